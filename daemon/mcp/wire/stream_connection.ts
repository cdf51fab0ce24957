const HEARTBEAT_MS = 15_000;
const HEARTBEAT = new TextEncoder().encode(": \n\n");

/** Where a connection takes what it sends next: bytes, nothing for now, or the end. */
export type NextBytes = () => Uint8Array | "wait" | "end";

/**
 * One response body of server-sent events.
 *
 * Bytes are taken only when the reader wants them, so that nothing is kept for one that does not read. Comments keep a quiet
 * connection from being cut.
 */
export class StreamConnection {
  readonly body: ReadableStream<Uint8Array>;
  readonly #next: NextBytes;
  readonly #onGone: () => void;
  #wake: (() => void) | undefined;
  #last: Uint8Array | undefined;
  #over = false;
  #gone = false;

  /** @param options.onGone called when the reader goes away before the end */
  constructor(options: { next: NextBytes; onGone: () => void }) {
    this.#next = options.next;
    this.#onGone = options.onGone;
    this.body = new ReadableStream<Uint8Array>({
      pull: (controller) => this.#pull(controller),
      cancel: () => {
        const isEarly = !this.#over;
        this.#gone = true;
        this.end();
        if (isEarly) this.#onGone();
      },
    }, { highWaterMark: 0 });
  }

  /** Says that there may be something to send. */
  wake(): void {
    this.#wake?.();
  }

  /** Ends the body, whatever is still to send, with these bytes as its last. */
  end(last?: Uint8Array): void {
    this.#over = true;
    this.#last = last;
    this.wake();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (!this.#gone) {
      const next = this.#over ? "end" : this.#next();
      if (next === "end") {
        this.#over = true;
        if (this.#last) controller.enqueue(this.#last);
        return controller.close();
      }
      if (next !== "wait") return controller.enqueue(next);
      if (await this.#isQuiet() && !this.#gone) return controller.enqueue(HEARTBEAT);
    }
  }

  /** Waits until it is woken; gives whether that took too long. */
  async #isQuiet(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(true), HEARTBEAT_MS);
    this.#wake = () => resolve(false);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#wake = undefined;
    }
  }
}
