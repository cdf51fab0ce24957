import type { ErrorCode } from "../errors/mod.ts";
import type { ScriptLimits } from "./types.ts";

/** What a {@link RunClock} looks at, and whom it tells. */
export interface RunClockEvents {
  paused(): boolean;
  cpuUsed(): Promise<number | undefined>;
  over(code: ErrorCode, message: string): void;
}

const LONGEST_TICK_MS = 250;

/** The clocks of one run: wall time while no question is open, wall time in any case, CPU time. */
export class RunClock {
  readonly #limits: ScriptLimits;
  readonly #events: RunClockEvents;
  #timer?: ReturnType<typeof setTimeout>;
  #startedAt = 0;
  #lastTick = 0;
  #active = 0;
  #cpuAtStart?: number;
  #stopped = false;

  constructor(limits: ScriptLimits, events: RunClockEvents) {
    this.#limits = limits;
    this.#events = events;
  }

  /** Starts counting. */
  start(): void {
    this.#startedAt = this.#lastTick = performance.now();
    this.#next();
  }

  /** Stops for good. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** The failure for a script that the CPU limit ended. */
  cpuFailure(): { code: ErrorCode; message: string } {
    return {
      code: "script-cpu",
      message: `The script used more than ${this.#limits.cpuSeconds} s of CPU time (exec.cpu).`,
    };
  }

  #next(): void {
    const { timeoutMs, maxWaitMs } = this.#limits;
    const left = Math.min(timeoutMs - this.#active, maxWaitMs - (this.#lastTick - this.#startedAt));
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, Math.min(LONGEST_TICK_MS, left)));
  }

  #tick(): void {
    const now = performance.now();
    if (!this.#events.paused()) this.#active += now - this.#lastTick;
    this.#lastTick = now;
    const { timeoutMs, maxWaitMs } = this.#limits;
    if (this.#active >= timeoutMs) {
      return this.#events.over(
        "script-timeout",
        `The script ran longer than ${span(timeoutMs)} (exec.timeout).`,
      );
    }
    if (now - this.#startedAt >= maxWaitMs) {
      const sentence = `The script ran and waited longer than ${span(maxWaitMs)} (exec.maxWait).`;
      return this.#events.over("script-timeout", sentence);
    }
    this.#checkCpu();
    this.#next();
  }

  /** The first look is what starting took, which is not the script's. */
  async #checkCpu(): Promise<void> {
    const used = await this.#events.cpuUsed();
    if (used === undefined || this.#stopped) return;
    const elapsed = (performance.now() - this.#startedAt) / 1000;
    this.#cpuAtStart ??= Math.max(0, used - elapsed);
    if (used - this.#cpuAtStart < this.#limits.cpuSeconds) return;
    const { code, message } = this.cpuFailure();
    this.#events.over(code, message);
  }
}

function span(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}
