/** Which of a request's two limits ran out. */
export type Expiry = { limit: "silence" | "total"; ms: number };

/** What a clock is started with. */
export interface CallClockOptions {
  /** Silence allowed, ms; {@link CallClock.progress} starts it anew. */
  timeoutMs?: number;
  /** Bounds the whole, ms. */
  maxTotalMs?: number;
  /** Stops the clock while it answers true. */
  paused?: () => boolean;
  onExpire: (expiry: Expiry) => void;
}

/** How often a pausable clock looks whether it is paused, ms. */
const LOOK_MS = 100;

/** Measures one request against its limits, leaving out the time in which it is paused. */
export class CallClock {
  readonly #options: CallClockOptions;
  #silence = 0;
  #total = 0;
  #last = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: CallClockOptions) {
    this.#options = options;
    this.#arm();
  }

  /** The server gave a sign of life. */
  progress(): void {
    this.#count();
    this.#silence = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #arm(): void {
    const { timeoutMs = Infinity, maxTotalMs = Infinity, paused } = this.#options;
    const left = Math.min(timeoutMs - this.#silence, maxTotalMs - this.#total);
    if (left === Infinity) return;
    this.#timer = setTimeout(() => this.#tick(), Math.ceil(paused ? Math.min(left, LOOK_MS) : left));
  }

  #tick(): void {
    this.#count();
    const { timeoutMs = Infinity, maxTotalMs = Infinity, onExpire } = this.#options;
    if (this.#total >= maxTotalMs) return onExpire({ limit: "total", ms: maxTotalMs });
    if (this.#silence >= timeoutMs) return onExpire({ limit: "silence", ms: timeoutMs });
    this.#arm();
  }

  #count(): void {
    const now = performance.now();
    if (!this.#options.paused?.()) {
      this.#silence += now - this.#last;
      this.#total += now - this.#last;
    }
    this.#last = now;
  }
}
