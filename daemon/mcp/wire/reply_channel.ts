import type { JsonObject } from "../../../lib/schema/mod.ts";

/** How one POST is answered. */
export interface ReplyOptions {
  /** How many answers complete it. */
  expected: number;
  /** Whether they are one JSON array, as a batch wants it. */
  isBatch: boolean;
  /** Whether the host takes server-sent events. */
  takesEvents: boolean;
  headers?: Record<string, string>;
  /** Called when the host goes away before the last answer. */
  onGone?: () => void;
}

const HEARTBEAT_MS = 15_000;
const ENCODER = new TextEncoder();

/**
 * The answer to one POST: plain JSON where nothing comes before the result, else server-sent events.
 *
 * A result that is long in coming turns it into events too, whose comments keep the connection from being cut.
 */
export class ReplyChannel {
  readonly response: Promise<Response>;
  readonly #options: ReplyOptions;
  readonly #answers: JsonObject[] = [];
  readonly #settle: (response: Response) => void;
  #expected: number;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #heartbeat: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: ReplyOptions) {
    this.#options = options;
    this.#expected = options.expected;
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#settle = resolve;
    if (options.takesEvents) this.#heartbeat = setTimeout(() => this.#beat(), HEARTBEAT_MS);
  }

  /** Whether something can be said before the result. */
  get canPush(): boolean {
    return this.#options.takesEvents && !this.#closed;
  }

  /** Sends a message that is no answer; dropped where the host takes no events. */
  push(message: JsonObject): void {
    if (!this.canPush) return;
    this.#openStream();
    this.#write(message);
  }

  /** Sends an answer; the last one ends the channel. */
  answer(message: JsonObject, status = 200): void {
    if (this.#closed) return;
    this.#answers.push(message);
    if (this.#controller) this.#write(message);
    this.#endWhenWhole(status);
  }

  /** Expects one answer less: a cancelled request has none, and a channel for no request at all is complete at once. */
  skip(answers = 1): void {
    if (this.#closed) return;
    this.#expected -= answers;
    this.#endWhenWhole(200);
  }

  #endWhenWhole(status: number): void {
    if (this.#answers.length < this.#expected) return;
    const isStream = this.#controller !== undefined;
    this.#end();
    if (isStream) return;
    const { isBatch, headers } = this.#options;
    if (this.#answers.length === 0) return this.#settle(new Response(null, { status: 202, headers }));
    const body = JSON.stringify(isBatch ? this.#answers : this.#answers[0]);
    this.#settle(new Response(body, { status, headers: { "content-type": "application/json", ...headers } }));
  }

  #openStream(): void {
    if (this.#controller) return;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#controller = undefined;
        this.#end();
        this.#options.onGone?.();
      },
    });
    for (const message of this.#answers) this.#write(message);
    this.#settle(
      new Response(stream, {
        headers: {
          "content-type": "text/event-stream",
          "cache-control": "no-cache, no-transform",
          "x-accel-buffering": "no",
          ...this.#options.headers,
        },
      }),
    );
  }

  #write(message: JsonObject): void {
    this.#controller?.enqueue(ENCODER.encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`));
  }

  #beat(): void {
    this.#openStream();
    this.#controller?.enqueue(ENCODER.encode(": \n\n"));
    this.#heartbeat = setTimeout(() => this.#beat(), HEARTBEAT_MS);
  }

  #end(): void {
    this.#closed = true;
    clearTimeout(this.#heartbeat);
    this.#controller?.close();
    this.#controller = undefined;
  }
}
