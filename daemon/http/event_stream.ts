import type { CallerEvent } from "../../lib/engine/caller.ts";
import type { Answer } from "./answer.ts";

/** Unread bytes above which progress is dropped rather than kept; logs and values are never dropped. */
const BACKLOG_BYTES = 4 * 1024 ** 2;
const HEARTBEAT_MS = 15_000;

/** An answer as server-sent events: what happens meanwhile, then `done` with status and body. */
export class EventStreamAnswer {
  readonly response: Response;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  /** @param onGone called when the reader goes away before the end */
  constructor(onGone: () => void) {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#end();
        onGone();
      },
    }, new ByteLengthQueuingStrategy({ highWaterMark: BACKLOG_BYTES }));
    this.#heartbeat = setInterval(() => this.#write(": \n\n"), HEARTBEAT_MS);
    this.response = new Response(stream, {
      headers: {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
      },
    });
  }

  /** Sends one event. */
  emit(event: CallerEvent): void {
    if (event.type === "progress" && (this.#controller?.desiredSize ?? 0) <= 0) return;
    const { type, ...data } = event;
    this.#write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends the answer and ends the stream. */
  done(answer: Answer): void {
    this.#write(`event: done\ndata: ${JSON.stringify(answer)}\n\n`);
    const controller = this.#controller;
    this.#end();
    controller?.close();
  }

  #write(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  #end(): void {
    clearInterval(this.#heartbeat);
    this.#controller = undefined;
  }
}
