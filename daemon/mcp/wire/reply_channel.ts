import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { Acceptance } from "./accept.ts";
import { eventResponse } from "./event_response.ts";
import type { HostId } from "./host_message.ts";
import type { ConnectOptions, MessageStream } from "./message_stream.ts";

/** How one POST is answered. */
export interface ReplyOptions {
  /** How many answers complete it. */
  expected: number;
  /** Whether they are one JSON array, as a batch wants it. */
  isBatch: boolean;
  /** What the host takes. */
  accept: Acceptance;
  /** Makes the stream that the answer turns into where it is events. */
  stream(): MessageStream;
  /** How its first connection is opened. */
  connect?: ConnectOptions;
  /** After how long an answer that is not there yet turns into events, ms; by default before a quiet connection is cut. */
  patienceMs?: number;
  headers?: Record<string, string>;
}

/** Where the answers to one POST go, and what is said before them. */
export interface Replies {
  /** Whether something can be said before the result. */
  readonly canPush: boolean;
  /** Sends a message that is no answer. */
  push(message: JsonObject): void;
  /** Sends an answer. */
  answer(id: HostId | null, message: JsonObject, status?: number): void;
  /** Expects one answer less: a cancelled request has none. */
  skip(): void;
}

const PATIENCE_MS = 15_000;

/**
 * The answer to one POST: plain JSON where nothing comes before the result and it comes soon, else server-sent events.
 *
 * Once it is events, whether anybody reads them is the stream's concern.
 */
export class ReplyChannel implements Replies {
  readonly response: Promise<Response>;
  readonly #options: ReplyOptions;
  readonly #answers: { id: HostId | null; message: JsonObject }[] = [];
  readonly #settle: (response: Response) => void;
  #left: number;
  #stream: MessageStream | undefined;
  #patience: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: ReplyOptions) {
    this.#options = options;
    this.#left = options.expected;
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#settle = resolve;
    const { expected, accept, patienceMs = PATIENCE_MS } = options;
    if (expected === 0) this.#end(202);
    else if (accept.events && !accept.json) this.#open();
    else if (accept.events) this.#patience = setTimeout(() => this.#open(), patienceMs);
  }

  get canPush(): boolean {
    return this.#options.accept.events && !this.#closed;
  }

  /** Sends a message that is no answer; dropped where the host takes no events. */
  push(message: JsonObject): void {
    if (this.canPush) this.#open().push(message);
  }

  /** Sends an answer; the last one ends the channel. */
  answer(id: HostId | null, message: JsonObject, status = 200): void {
    if (this.#closed) return;
    if (this.#stream) this.#stream.push(message, id ?? undefined);
    else this.#answers.push({ id, message });
    if (--this.#left === 0) this.#end(status);
  }

  skip(): void {
    if (!this.#closed && --this.#left === 0) this.#end(202);
  }

  #end(status: number): void {
    this.#closed = true;
    clearTimeout(this.#patience);
    if (this.#stream) return this.#stream.finish();
    const { isBatch, headers } = this.#options;
    const [first] = this.#answers;
    if (!first) return this.#settle(new Response(null, { status: 202, headers }));
    const body = isBatch ? this.#answers.map(({ message }) => message) : first.message;
    this.#settle(Response.json(body, { status: isBatch ? 200 : status, headers }));
  }

  #open(): MessageStream {
    if (this.#stream) return this.#stream;
    clearTimeout(this.#patience);
    const stream = this.#options.stream();
    this.#stream = stream;
    this.#settle(eventResponse(stream.connect(this.#options.connect), this.#options.headers));
    for (const { id, message } of this.#answers.splice(0)) stream.push(message, id ?? undefined);
    return stream;
  }
}
