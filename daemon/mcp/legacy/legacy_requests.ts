import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { McpFace } from "../face/mcp_face.ts";
import type { RequestOrigin } from "../surface_options.ts";
import { type HostMessage, idKey, isId } from "../wire/host_message.ts";
import { errorMessage } from "../wire/error_response.ts";
import type { Replies } from "../wire/reply_channel.ts";
import { RPC, rpcErrorOf } from "../wire/rpc_error.ts";
import { answerLegacy } from "./legacy_methods.ts";
import type { LegacySession } from "./legacy_session.ts";
import { legacyError } from "./legacy_shape.ts";

/** Who sent messages, and where what they are answered with goes. */
export interface Exchange {
  session: LegacySession;
  origin: RequestOrigin;
  replies: Replies;
}

/** Carries out what hosts of the legacy era send in their sessions. */
export class LegacyRequests {
  readonly #face: McpFace;

  constructor(face: McpFace) {
    this.#face = face;
  }

  /** Takes messages in their order; requests go on by themselves. */
  take(messages: readonly HostMessage[], exchange: Exchange): void {
    const { session, replies } = exchange;
    for (const message of messages) {
      switch (message.kind) {
        case "bad":
          replies.answer(message.id, refusalOf(message, session.version), 400);
          break;
        case "answer":
          session.questions.answered(message);
          break;
        case "notification":
          this.#notified(session, message.method, message.params);
          break;
        case "request":
          void this.#run(message, exchange);
      }
    }
  }

  #notified(session: LegacySession, method: string, params: JsonObject): void {
    if (method !== "notifications/cancelled") return session.notified(method, params);
    if (!isId(params.requestId)) return;
    const key = idKey(params.requestId);
    const running = session.running.get(key);
    if (!running) return session.earlyCancels.note(key);
    const reason = typeof params.reason === "string" ? `: ${params.reason}` : "";
    running.abort(new McpxError("cancelled", `Cancelled by the host${reason}.`));
  }

  /** Runs one request; a cancelled one is not answered, and one that nobody waits for any more goes on. */
  async #run(
    { id, method, params }: HostMessage & { kind: "request" },
    { session, origin, replies }: Exchange,
  ): Promise<void> {
    const { engine } = this.#face;
    const key = idKey(id);
    const abort = new AbortController();
    if (session.running.has(key)) {
      const message = "A request of that id is under way already.";
      return replies.answer(id, { jsonrpc: "2.0", id, error: { code: RPC.invalidRequest, message } }, 400);
    }
    if (session.earlyCancels.take(key)) return replies.skip();
    session.running.set(key, abort);
    engine.active++;
    try {
      using answers = replies.canPush
        ? session.questions.during(key, (message) => replies.push(message))
        : undefined;
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
        told: session.told,
        notify: (name, content) => {
          // A task goes on when its request has been answered.
          const isOpen = session.running.get(key) === abort;
          (isOpen ? replies : session.streams).push({ jsonrpc: "2.0", method: name, params: content });
        },
        ...(answers ? { answers } : {}),
      });
      if (!abort.signal.aborted) replies.answer(id, { jsonrpc: "2.0", id, result });
    } catch (error) {
      if (!abort.signal.aborted) {
        const told = legacyError(method, rpcErrorOf(error));
        session.questions.noteError(told);
        replies.answer(id, { jsonrpc: "2.0", id, error: told });
      }
    } finally {
      if (abort.signal.aborted) replies.skip();
      session.finished(key);
      engine.active--;
    }
  }
}

/** In batches, which one revision has, an answer without an id of its own has the null of JSON-RPC. */
function refusalOf({ id, error }: HostMessage & { kind: "bad" }, version: string): JsonObject {
  return version === "2025-03-26" ? { jsonrpc: "2.0", id, error } : errorMessage(id, error);
}
