import type { McpFace } from "../face/mcp_face.ts";
import type { RequestOrigin } from "../surface_options.ts";
import { type Acceptance, readAccept } from "../wire/accept.ts";
import { errorResponse, notAcceptable } from "../wire/error_response.ts";
import { eventResponse } from "../wire/event_response.ts";
import { type HostId, type HostMessage, readHostMessage } from "../wire/host_message.ts";
import type { ConnectOptions } from "../wire/message_stream.ts";
import { ReplyChannel } from "../wire/reply_channel.ts";
import { RPC, RpcError, rpcErrorOf } from "../wire/rpc_error.ts";
import type { LegacyRequests } from "./legacy_requests.ts";
import type { LegacySession } from "./legacy_session.ts";
import type { LegacySessions } from "./legacy_sessions.ts";
import { SESSION, versionProblem } from "./session_headers.ts";
import { NoRoomError } from "./session_room.ts";

/** The first revision whose streams begin with an event to resume from. */
const PRIMED_SINCE = "2025-11-25";
/** How long a host of such a revision is left without one, ms: what is answered sooner is plain JSON. */
const PRIMING_MS = 20;

/** The legacy era over Streamable HTTP: sessions, their requests, their streams. */
export class LegacyHttp {
  readonly #face: McpFace;
  readonly #sessions: LegacySessions;
  readonly #requests: LegacyRequests;

  constructor(face: McpFace, shared: { sessions: LegacySessions; requests: LegacyRequests }) {
    this.#face = face;
    this.#sessions = shared.sessions;
    this.#requests = shared.requests;
  }

  /** Answers a POST whose body is parsed already. */
  async post(request: Request, body: unknown, origin: RequestOrigin): Promise<Response> {
    const first = readHostMessage(body);
    const id = first.kind === "request" ? first.id : null;
    const accept = readAccept(request);
    if (first.kind === "request" && !accept.json && !accept.events) return notAcceptable(id);
    if (first.kind === "request" && first.method === "initialize") {
      return await this.#initialize(request, first, { origin, accept });
    }
    if (first.kind === "request" && first.method === "ping" && !request.headers.has(SESSION)) {
      return Response.json({ jsonrpc: "2.0", id, result: {} });
    }
    const session = this.#sessionOf(request, id);
    if (session instanceof Response) return session;
    session.lastUsed = Date.now();
    if (Array.isArray(body) && (session.version !== "2025-03-26" || body.length === 0)) {
      const why = body.length === 0 ? "The batch is empty." : `Revision ${session.version} has no batches.`;
      return errorResponse(400, null, { code: RPC.invalidRequest, message: why });
    }
    const messages = Array.isArray(body) ? body.map(readHostMessage) : [first];
    const replies = new ReplyChannel({
      expected: messages.filter(({ kind }) => kind === "request" || kind === "bad").length,
      isBatch: Array.isArray(body),
      accept,
      stream: () => session.streams.reply(),
      connect: this.#connect(session),
      ...(session.version >= PRIMED_SINCE ? { patienceMs: PRIMING_MS } : {}),
      headers: { [SESSION]: session.id },
    });
    this.#requests.take(messages, { session, origin, replies });
    return await replies.response;
  }

  /** Opens the stream on which a session speaks of its own accord, or goes on with one that broke. */
  get(request: Request): Response {
    const session = this.#sessionOf(request, null);
    if (session instanceof Response) return session;
    if (!readAccept(request).events) {
      return errorResponse(406, null, { code: RPC.invalidRequest, message: "GET gives text/event-stream." });
    }
    session.lastUsed = Date.now();
    const lastEventId = request.headers.get("last-event-id") ?? "";
    const headers = { [SESSION]: session.id };
    if (lastEventId === "") {
      const primes = session.version >= PRIMED_SINCE;
      return eventResponse(session.streams.standing.connect({ primes }), headers);
    }
    const point = session.streams.find(lastEventId);
    if (!point) {
      const message =
        `No event ${lastEventId} is known here: its stream is of another session, or forgotten.`;
      return errorResponse(400, null, { code: RPC.invalidRequest, message });
    }
    if (!point.stream.hasAfter(point.after)) return ended();
    const { pollAfterMs = 0 } = point.stream === session.streams.standing ? {} : this.#connect(session);
    return eventResponse(point.stream.connect({ after: point.after, pollAfterMs }), headers);
  }

  /** Ends a session. */
  async delete(request: Request): Promise<Response> {
    const session = this.#sessionOf(request, null);
    if (session instanceof Response) return session;
    await this.#sessions.end(session);
    return new Response(null, { status: 204 });
  }

  /** Whether a session of that id is open. */
  has(id: string | null): boolean {
    return this.#sessions.has(id);
  }

  /** How the stream of an answer is opened: from 2025-11-25 on a host comes back to one that is ended early. */
  #connect(session: LegacySession): ConnectOptions {
    if (session.version < PRIMED_SINCE) return {};
    const pollAfterMs = session.origin.isBridge ? 0 : this.#face.engine.settings.base.get("serve.pollAfter");
    return { primes: true, pollAfterMs };
  }

  async #initialize(
    request: Request,
    { id, params }: HostMessage & { kind: "request" },
    { origin, accept }: { origin: RequestOrigin; accept: Acceptance },
  ): Promise<Response> {
    try {
      const problem = versionProblem(request);
      if (problem) return errorResponse(400, id, problem);
      if (this.has(request.headers.get(SESSION))) {
        throw new RpcError(RPC.invalidRequest, "The session is initialized already.");
      }
      const sessionId = this.#sessions.mint();
      const result = await this.#sessions.begin({ id: sessionId, params, origin, canPush: accept.events });
      const headers = { [SESSION]: sessionId };
      const message = { jsonrpc: "2.0", id, result };
      if (accept.json) return Response.json(message, { headers });
      const text = `event: message\ndata: ${JSON.stringify(message)}\n\n`;
      return eventResponse(new Blob([text]).stream(), headers);
    } catch (error) {
      return errorResponse(error instanceof NoRoomError ? 503 : 400, id, rpcErrorOf(error));
    }
  }

  /** The session of a request, or why there is none. */
  #sessionOf(request: Request, id: HostId | null): LegacySession | Response {
    const named = request.headers.get(SESSION);
    if (named === null) {
      const message = "The request names no session: send initialize first, then its Mcp-Session-Id.";
      return errorResponse(400, id, { code: RPC.invalidRequest, message });
    }
    const session = this.#sessions.get(named);
    if (!session?.streams.isResumable) {
      return errorResponse(404, id, {
        code: RPC.invalidRequest,
        message: "The session has ended: send initialize.",
      });
    }
    const problem = versionProblem(request, session);
    return problem ? errorResponse(400, id, problem) : session;
  }
}

/** What a stream says that has nothing more to give: a client that goes on trying stops here. */
function ended(): Response {
  const message = "That stream has ended: nothing comes after this event.";
  const response = errorResponse(405, null, { code: RPC.invalidRequest, message });
  response.headers.set("allow", "POST, DELETE");
  return response;
}
