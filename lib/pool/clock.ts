import type { PoolClock } from "./types.ts";

/** The longest delay that a system timer takes; an alarm that is due later rings early and is set again. */
const LONGEST_MS = 2 ** 31 - 1;

/** The system's clock and timers. */
export const systemClock: PoolClock = {
  now: (): number => Date.now(),
  setTimer(fn: () => void, ms: number): () => void {
    const id = setTimeout(fn, Math.min(ms, LONGEST_MS));
    return () => clearTimeout(id);
  },
};

/** One timer for many deadlines: it rings at the earliest that was asked for, and is then asked anew. */
export class Alarm {
  readonly #clock: PoolClock;
  readonly #ring: () => void;
  #at = Infinity;
  #cancel: (() => void) | undefined;

  /**
   * @param clock whose time the deadlines are in
   * @param ring called at or after the earliest deadline; it asks again for what is still to come
   */
  constructor(clock: PoolClock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Makes sure of a ring by `at`, ms since the epoch; `Infinity` asks for nothing. */
  by(at: number): void {
    if (at >= this.#at) return;
    this.off();
    this.#at = at;
    this.#cancel = this.#clock.setTimer(() => {
      this.off();
      this.#ring();
    }, Math.max(0, at - this.#clock.now()));
  }

  /** Forgets every deadline. */
  off(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#at = Infinity;
  }
}
