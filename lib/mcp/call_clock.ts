import { LONGEST_TIMER_MS } from "./delay.ts";

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
  #last: number;

  constructor(options: CallClockOptions, now: number) {
    this.#options = options;
    this.#last = now;
  }

  /** The server gave a sign of life. */
  progress(): void {
    this.look(performance.now());
    this.#silence = 0;
  }

  /** Counts the time since the last look, and tells whether a limit ran out. */
  look(now: number): Expiry | undefined {
    const { timeoutMs = Infinity, maxTotalMs = Infinity, paused } = this.#options;
    if (!paused?.()) {
      this.#silence += now - this.#last;
      this.#total += now - this.#last;
    }
    this.#last = now;
    if (this.#total >= maxTotalMs) return { limit: "total", ms: maxTotalMs };
    if (this.#silence >= timeoutMs) return { limit: "silence", ms: timeoutMs };
    return undefined;
  }

  /** When the clock wants to be looked at again. */
  nextLook(): number {
    const { timeoutMs = Infinity, maxTotalMs = Infinity, paused } = this.#options;
    const left = Math.min(timeoutMs - this.#silence, maxTotalMs - this.#total);
    return this.#last + (paused ? Math.min(left, LOOK_MS) : left);
  }

  /** Tells the clock's owner. */
  expire(expiry: Expiry): void {
    this.#options.onExpire(expiry);
  }
}

/**
 * The clocks of one connection on one timer, which a finished call leaves running: setting and clearing a timer
 * for every call would cost more than everything else that is done for it.
 */
export class CallClocks {
  readonly #running = new Set<CallClock>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #armedFor = Infinity;

  start(options: CallClockOptions): CallClock {
    const clock = new CallClock(options, performance.now());
    this.#running.add(clock);
    this.#arm(clock.nextLook());
    return clock;
  }

  stop(clock: CallClock): void {
    this.#running.delete(clock);
  }

  /** Ends the timer; clocks started later start it again. */
  close(): void {
    clearTimeout(this.#timer);
    this.#armedFor = Infinity;
  }

  #arm(due: number): void {
    if (due >= this.#armedFor) return;
    clearTimeout(this.#timer);
    this.#armedFor = due;
    const left = Math.max(0, Math.ceil(due - performance.now()));
    this.#timer = setTimeout(() => this.#tick(), Math.min(LONGEST_TIMER_MS, left));
  }

  #tick(): void {
    this.#armedFor = Infinity;
    const now = performance.now();
    for (const clock of [...this.#running]) {
      const expiry = clock.look(now);
      if (expiry) {
        this.#running.delete(clock);
        clock.expire(expiry);
      } else {
        this.#arm(clock.nextLook());
      }
    }
  }
}
