import type { JsonObject } from "../../../lib/schema/mod.ts";

const HEARTBEAT_MS = 15_000;
/** Messages kept for a host that has no stream open; the oldest go first. */
const MOST_KEPT = 100;
const ENCODER = new TextEncoder();

/** What a session says of its own accord: over the host's GET stream, one message on one stream only. */
export class StandingStream {
  readonly #kept: string[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  /** Whether a host listens now. */
  get isOpen(): boolean {
    return this.#controller !== undefined;
  }

  /** Opens the stream; an earlier one ends. */
  open(headers: Record<string, string>): Response {
    this.#detach();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#controller = undefined;
        clearInterval(this.#heartbeat);
      },
    });
    // What proxies and clients wait for before they call a stream open.
    this.#controller?.enqueue(ENCODER.encode(": \n\n"));
    for (const text of this.#kept.splice(0)) this.#write(text);
    this.#heartbeat = setInterval(() => this.#controller?.enqueue(ENCODER.encode(": \n\n")), HEARTBEAT_MS);
    if (this.#closed) this.#detach();
    return new Response(stream, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "x-accel-buffering": "no",
        ...headers,
      },
    });
  }

  /** Sends a message now, or once a host listens. */
  push(message: JsonObject): void {
    if (this.#closed) return;
    const text = JSON.stringify(message);
    if (this.#controller) return this.#write(text);
    if (this.#kept.includes(text)) return; // one notice of a change is as good as two
    this.#kept.push(text);
    if (this.#kept.length > MOST_KEPT) this.#kept.shift();
  }

  close(): void {
    this.#closed = true;
    this.#detach();
  }

  #write(text: string): void {
    this.#controller?.enqueue(ENCODER.encode(`event: message\ndata: ${text}\n\n`));
  }

  #detach(): void {
    clearInterval(this.#heartbeat);
    this.#controller?.close();
    this.#controller = undefined;
  }
}
