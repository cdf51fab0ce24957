/** A number of places that are taken, and waited for in order. */
export class Places {
  readonly #count: number;
  readonly #queue = new Set<() => void>();
  #taken = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /** Waits for a place; false where the request was given up before there was one. */
  async enter(signal: AbortSignal): Promise<boolean> {
    while (this.#taken >= this.#count && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#queue.add(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      this.#queue.delete(resolve);
    }
    if (signal.aborted) return false;
    this.#taken++;
    return true;
  }

  /** Gives a place back to whoever has waited longest. */
  leave(): void {
    this.#taken--;
    for (const next of this.#queue) return next();
  }
}
