import type { RequestOrigin } from "../surface_options.ts";
import { readAccept } from "../wire/accept.ts";
import { errorResponse } from "../wire/error_response.ts";
import { eventResponse } from "../wire/event_response.ts";
import { type HostMessage, readHostMessage } from "../wire/host_message.ts";
import { MessageStream } from "../wire/message_stream.ts";
import type { Replies } from "../wire/reply_channel.ts";
import { RPC, rpcErrorOf } from "../wire/rpc_error.ts";
import type { LegacyRequests } from "./legacy_requests.ts";
import type { LegacySession } from "./legacy_session.ts";
import type { LegacySessions } from "./legacy_sessions.ts";
import { versionProblem } from "./session_headers.ts";
import type { SessionStreams } from "./session_streams.ts";

/** How many connections may be open that have not begun a session; the oldest goes first. */
const MOST_UNUSED = 1000;

/**
 * The transport of 2024-11-05: one stream on which everything comes, and an address to which everything is posted.
 *
 * The session lasts as long as the stream.
 */
export class LegacySse {
  readonly #sessions: LegacySessions;
  readonly #requests: LegacyRequests;
  /** Streams that are open, by their ids. */
  readonly #open = new Map<string, SessionStreams>();
  /** Streams whose session is being begun. */
  readonly #beginning = new Set<string>();

  constructor(shared: { sessions: LegacySessions; requests: LegacyRequests }) {
    this.#sessions = shared.sessions;
    this.#requests = shared.requests;
  }

  /** Opens a stream; its first event says where to post. */
  open(request: Request): Response {
    if (!readAccept(request).events) {
      return errorResponse(406, null, { code: RPC.invalidRequest, message: "GET gives text/event-stream." });
    }
    const problem = versionProblem(request);
    if (problem) return errorResponse(400, null, problem);
    const id = this.#sessions.mint();
    const streams = this.#sessions.streams((log) =>
      new MessageStream({ log, onGone: () => this.#ended(id) })
    );
    this.#open.set(id, streams);
    this.#endUnused();
    return eventResponse(streams.standing.connect({ head: `event: endpoint\ndata: /sse/${id}\n\n` }));
  }

  /** Takes what was posted for one stream: what it is answered with comes there. */
  async post(
    request: Request,
    id: string,
    { body, origin }: { body: unknown; origin: RequestOrigin },
  ): Promise<Response> {
    const streams = this.#open.get(id);
    const session = this.#sessions.get(id);
    if (!streams || streams.standing.isWhole) {
      const message = "The stream has ended: open another one.";
      return errorResponse(404, null, { code: RPC.invalidRequest, message });
    }
    const problem = versionProblem(request, session);
    if (problem) return errorResponse(400, null, problem);
    const isBatch = Array.isArray(body);
    if (isBatch && (session?.version !== "2025-03-26" || body.length === 0)) {
      const why = body.length === 0 ? "The batch is empty." : "The session's revision has no batches.";
      return errorResponse(400, null, { code: RPC.invalidRequest, message: why });
    }
    const messages = isBatch ? body.map(readHostMessage) : [readHostMessage(body)];
    const [first] = messages;
    if (!isBatch && first?.kind === "bad") return errorResponse(400, first.id, first.error);
    const replies = repliesOn(streams.standing);
    if (session) this.#serve(session, messages, { origin, replies });
    else await this.#begin(id, first, { streams, origin, replies });
    return new Response(null, { status: 202 });
  }

  /** Ends streams that have no session. */
  leave(): void {
    for (const [id, streams] of this.#open) if (!this.#sessions.has(id)) streams.close();
  }

  /** Ends every stream. */
  close(): void {
    for (const streams of this.#open.values()) streams.close();
    this.#open.clear();
  }

  #serve(
    session: LegacySession,
    messages: readonly HostMessage[],
    exchange: { origin: RequestOrigin; replies: Replies },
  ): void {
    session.lastUsed = Date.now();
    this.#requests.take(messages, { session, ...exchange });
  }

  /** Begins the session; before that nothing but a ping is answered. */
  async #begin(
    id: string,
    message: HostMessage | undefined,
    { streams, origin, replies }: { streams: SessionStreams; origin: RequestOrigin; replies: Replies },
  ): Promise<void> {
    if (message?.kind !== "request") return;
    const answer = (member: object): void =>
      replies.answer(message.id, { jsonrpc: "2.0", id: message.id, ...member });
    if (message.method === "ping") return answer({ result: {} });
    if (message.method !== "initialize") {
      return answer({
        error: { code: RPC.invalidRequest, message: "The session has not begun: send initialize." },
      });
    }
    if (this.#beginning.has(id)) {
      return answer({ error: { code: RPC.invalidRequest, message: "The session is initialized already." } });
    }
    this.#beginning.add(id);
    try {
      const result = await this.#sessions.begin({
        id,
        params: message.params,
        origin,
        canPush: true,
        streams,
      });
      // The host may have gone while servers were read.
      if (!this.#open.has(id)) return this.#ended(id);
      answer({ result });
    } catch (error) {
      answer({ error: rpcErrorOf(error) });
    } finally {
      this.#beginning.delete(id);
    }
  }

  /** The stream is the session's only way to its host: without it the session is over. */
  #ended(id: string): void {
    this.#open.get(id)?.close();
    this.#open.delete(id);
    const session = this.#sessions.get(id);
    if (session) this.#sessions.drop(session);
  }

  #endUnused(): void {
    for (const [id, { standing }] of this.#open) if (standing.isWhole) this.#open.delete(id);
    const unused = [...this.#open.keys()].filter((id) => !this.#sessions.has(id));
    const [oldest] = unused;
    if (unused.length > MOST_UNUSED && oldest !== undefined) this.#ended(oldest);
  }
}

function repliesOn(stream: MessageStream): Replies {
  return {
    canPush: true,
    push: (message) => stream.push(message),
    answer: (id, message) => stream.push(message, id ?? undefined),
    skip: () => undefined,
  };
}
