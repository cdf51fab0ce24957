import { LEGACY_VERSIONS } from "../../../lib/mcp/mod.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { McpFace } from "../face/mcp_face.ts";
import type { RequestOrigin } from "../surface_options.ts";
import { type HostId, type HostMessage, idKey, isId, readHostMessage } from "../wire/host_message.ts";
import { errorResponse } from "../wire/error_response.ts";
import { ReplyChannel } from "../wire/reply_channel.ts";
import { RPC, RpcError, rpcErrorOf } from "../wire/rpc_error.ts";
import { answerLegacy, initializeResult, readInitialize } from "./legacy_methods.ts";
import { LegacySession } from "./legacy_session.ts";
import { legacyError } from "./legacy_shape.ts";

/** How long `initialize` waits for servers that were never read, so that what it declares is right, ms. */
const FIRST_READING_MS = 2000;
const SESSION = "mcp-session-id";
/** Begins the names of sessions that end with their connection; another name was given by whoever runs the host. */
const MINTED = "mcp-";
/** How many sessions there may be; the longest unused one goes first. */
const MOST_SESSIONS = 1000;

/** The legacy era over Streamable HTTP: sessions, their requests, their streams. */
export class LegacyHttp {
  readonly #face: McpFace;
  readonly #sessions = new Map<string, LegacySession>();
  readonly #sweep: ReturnType<typeof setInterval>;

  constructor(face: McpFace) {
    this.#face = face;
    this.#sweep = setInterval(() => this.#expire(), 30_000);
    Deno.unrefTimer(this.#sweep);
  }

  /** Answers a POST whose body is parsed already. */
  async post(request: Request, body: unknown, origin: RequestOrigin): Promise<Response> {
    const first = readHostMessage(body);
    if (first.kind === "request" && first.method === "initialize") {
      return await this.#initialize(request, first, origin);
    }
    const id = first.kind === "request" ? first.id : null;
    if (first.kind === "request" && first.method === "ping" && !request.headers.has(SESSION)) {
      return Response.json({ jsonrpc: "2.0", id: first.id, result: {} });
    }
    const session = this.#sessionOf(request, id);
    if (session instanceof Response) return session;
    session.lastUsed = Date.now();
    if (!Array.isArray(body)) return await this.#serve(session, request, [first], origin, false);
    if (session.version !== "2025-03-26" || body.length === 0) {
      const why = body.length === 0 ? "The batch is empty." : `Revision ${session.version} has no batches.`;
      return errorResponse(400, null, { code: RPC.invalidRequest, message: why });
    }
    return await this.#serve(session, request, body.map(readHostMessage), origin, true);
  }

  /** Opens the stream on which a session speaks of its own accord. */
  get(request: Request): Response {
    const session = this.#sessionOf(request, null);
    if (session instanceof Response) return session;
    if (!takesEvents(request)) {
      return errorResponse(406, null, { code: RPC.invalidRequest, message: "GET gives text/event-stream." });
    }
    session.lastUsed = Date.now();
    return session.stream.open({ [SESSION]: session.id });
  }

  /** Ends a session. */
  async delete(request: Request): Promise<Response> {
    const session = this.#sessionOf(request, null);
    if (session instanceof Response) return session;
    this.#sessions.delete(session.id);
    await session.close();
    return new Response(null, { status: 204 });
  }

  /** Whether a session of that id is open. */
  has(id: string | null): boolean {
    return id !== null && this.#sessions.has(id);
  }

  /** Ends every session. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map((session) => session.close()));
  }

  async #initialize(
    request: Request,
    message: HostMessage & { kind: "request" },
    origin: RequestOrigin,
  ): Promise<Response> {
    const { id, params } = message;
    try {
      if (this.has(request.headers.get(SESSION))) {
        throw new RpcError(RPC.invalidRequest, "The session is initialized already.");
      }
      const { version, capabilities } = readInitialize(params);
      const sessionId = `${MINTED}${crypto.randomUUID()}`;
      const identity = { ...origin.identity, session: origin.identity.session ?? sessionId };
      const caller = this.#face.engine.caller({ surface: "mcp", ...origin, identity });
      await this.#face.readFirst(caller, FIRST_READING_MS);
      // Only now: what was read just before is no change to a host that has seen nothing yet.
      this.#admit(
        new LegacySession(this.#face, {
          id: sessionId,
          version,
          capabilities,
          origin: { ...origin, identity },
          ownsScope: identity.session.startsWith(MINTED),
        }),
      );
      const result = initializeResult(version, this.#face.known(caller), {
        mode: caller.settings.get("serve.mode"),
        canPush: takesEvents(request),
      });
      return Response.json({ jsonrpc: "2.0", id, result }, { headers: { [SESSION]: sessionId } });
    } catch (error) {
      return errorResponse(400, id, rpcErrorOf(error));
    }
  }

  /** The session of a request, or why there is none. */
  #sessionOf(request: Request, id: HostId | null): LegacySession | Response {
    const named = request.headers.get(SESSION);
    if (named === null) {
      const message = "The request names no session: send initialize first, then its Mcp-Session-Id.";
      return errorResponse(400, id, { code: RPC.invalidRequest, message });
    }
    this.#expire();
    const session = this.#sessions.get(named);
    if (!session) {
      return errorResponse(404, id, {
        code: RPC.invalidRequest,
        message: "The session has ended: send initialize.",
      });
    }
    const version = request.headers.get("mcp-protocol-version");
    if (version !== null && version !== session.version) {
      return errorResponse(400, id, {
        code: RPC.invalidRequest,
        message: `The session speaks ${session.version}, and MCP-Protocol-Version says ${version}.`,
        data: { supported: [...LEGACY_VERSIONS], requested: version },
      });
    }
    return session;
  }

  async #serve(
    session: LegacySession,
    request: Request,
    messages: readonly HostMessage[],
    origin: RequestOrigin,
    isBatch: boolean,
  ): Promise<Response> {
    const expected = messages.filter(({ kind }) => kind === "request" || kind === "bad").length;
    const channel = new ReplyChannel({
      expected,
      isBatch,
      takesEvents: takesEvents(request),
      headers: { [SESSION]: session.id },
    });
    for (const message of messages) {
      switch (message.kind) {
        case "bad":
          channel.answer({ jsonrpc: "2.0", id: message.id, error: message.error }, 400);
          break;
        case "answer":
          session.answered(message);
          break;
        case "notification":
          this.#notified(session, message.method, message.params);
          break;
        case "request":
          void this.#run(session, message, origin, channel);
      }
    }
    if (expected === 0) channel.skip(0);
    return await channel.response;
  }

  #notified(session: LegacySession, method: string, params: JsonObject): void {
    if (method !== "notifications/cancelled" || !isId(params.requestId)) return;
    const key = idKey(params.requestId);
    const running = session.running.get(key);
    if (!running) return session.earlyCancels.note(key);
    const reason = typeof params.reason === "string" ? `: ${params.reason}` : "";
    running.abort(new McpxError("cancelled", `Cancelled by the host${reason}.`));
  }

  /** Runs one request; a cancelled one is not answered. */
  async #run(
    session: LegacySession,
    { id, method, params }: HostMessage & { kind: "request" },
    origin: RequestOrigin,
    channel: ReplyChannel,
  ): Promise<void> {
    const { engine } = this.#face;
    const key = idKey(id);
    const abort = new AbortController();
    if (session.running.has(key)) {
      const message = "A request of that id is under way already.";
      return channel.answer({ jsonrpc: "2.0", id, error: { code: RPC.invalidRequest, message } }, 400);
    }
    if (session.earlyCancels.take(key)) return channel.skip();
    session.running.set(key, abort);
    engine.active++;
    const push = (message: JsonObject): void => channel.push(message);
    try {
      const identity = { ...session.origin.identity, ...origin.identity };
      const caller = engine.caller({
        surface: "mcp",
        ...session.origin,
        ...origin,
        identity,
        signal: abort.signal,
      });
      const result = await answerLegacy(this.#face, session, {
        method,
        params,
        caller,
        era: "legacy",
        version: session.version,
        capabilities: session.capabilities,
        logLevel: session.logLevel,
        notify: (name, content) => push({ jsonrpc: "2.0", method: name, params: content }),
        ...(channel.canPush ? { answers: session.answersOver(push) } : {}),
      });
      if (!abort.signal.aborted) channel.answer({ jsonrpc: "2.0", id, result });
    } catch (error) {
      if (!abort.signal.aborted) {
        channel.answer({ jsonrpc: "2.0", id, error: legacyError(method, rpcErrorOf(error)) });
      }
    } finally {
      if (abort.signal.aborted) channel.skip();
      session.running.delete(key);
      session.earlyCancels.finished(key);
      session.lastUsed = Date.now();
      engine.active--;
    }
  }

  #admit(session: LegacySession): void {
    this.#sessions.set(session.id, session);
    if (this.#sessions.size <= MOST_SESSIONS) return;
    const [oldest] = [...this.#sessions.values()].sort((a, b) => a.lastUsed - b.lastUsed);
    if (oldest) this.#end(oldest);
  }

  #expire(): void {
    const limit = this.#face.engine.settings.base.get("serve.sessionTimeout");
    for (const session of this.#sessions.values()) {
      if (!session.isBusy && Date.now() - session.lastUsed > limit) this.#end(session);
    }
  }

  #end(session: LegacySession): void {
    this.#sessions.delete(session.id);
    session.close().catch((error) => this.#face.engine.note("warn", McpxError.from(error).message));
  }
}

function takesEvents(request: Request): boolean {
  const accept = request.headers.get("accept") ?? "*/*";
  return accept.includes("text/event-stream") || accept.includes("*/*");
}
