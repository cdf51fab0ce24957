/** How long nothing must have been asked before memory is given back, ms. */
const QUIET_MS = 3000;
/** How many requests leave so little behind that it is not worth the pause. */
const FEW = 200;

/** What V8 offers as `gc` under `--expose-gc`, with which a daemon is started. */
type Collect = (options?: { type: "major"; flavor: "last-resort" }) => void;

/**
 * Gives memory back to the system once a burst of requests is over: V8 by itself keeps the heap that it grew to until the next burst.
 */
export class IdleMemory {
  readonly #collect = (globalThis as { gc?: Collect }).gc;
  #requests = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** A request came. */
  used(): void {
    if (!this.#collect) return;
    this.#requests++;
    if (this.#timer !== undefined || this.#requests < FEW) return;
    this.#wait(this.#requests);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Collects when as many requests have come as before the wait; else waits again. */
  #wait(seen: number): void {
    this.#timer = setTimeout(() => {
      if (this.#requests !== seen) return this.#wait(this.#requests);
      this.#timer = undefined;
      this.#requests = 0;
      this.#collect?.({ type: "major", flavor: "last-resort" });
    }, QUIET_MS);
  }
}
