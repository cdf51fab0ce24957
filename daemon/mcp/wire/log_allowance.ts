import { type Loss, LOSSES } from "./kept_messages.ts";

/** A log that shares an allowance with others. */
export interface AllowedLog {
  /** Bytes that it may forget, with what keeping each message takes. */
  spareBytes(loss: Loss): number;
  /** Forgets the oldest messages until no more than so many of those bytes are left. */
  shrink(loss: Loss, bytes: number): void;
}

/** Bytes that all logs together may keep. */
const LIMIT = 128 * 1024 ** 2;
/** To which part of it they are brought back: not every message above it has to look at all of them. */
const AFTER = 7 / 8;

/**
 * What the logs of all sessions may hold together.
 *
 * Beyond it the fullest of them gives way, what was delivered before what waits, and what nobody listens for before what an
 * open connection waits for.
 */
export class LogAllowance {
  readonly #limit: number;
  readonly #logs = new Map<AllowedLog, number>();
  #bytes = 0;

  constructor(limit: number = LIMIT) {
    this.#limit = limit;
  }

  /** What all of them hold now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes down what a log holds, and has logs forget what is above the limit. */
  note(log: AllowedLog): void {
    this.#count(log);
    if (this.#bytes <= this.#limit) return;
    for (const loss of LOSSES) {
      // What an open connection waits for goes only where nothing else is left to go.
      if (loss !== "any" || this.#bytes > this.#limit) this.#shrink(loss, this.#limit * AFTER);
    }
  }

  #count(log: AllowedLog): void {
    const bytes = log.spareBytes("any");
    this.#bytes += bytes - (this.#logs.get(log) ?? 0);
    if (bytes > 0) this.#logs.set(log, bytes);
    else this.#logs.delete(log);
  }

  /** Has the fullest log give up half of what it holds, again and again. */
  #shrink(loss: Loss, goal: number): void {
    if (this.#bytes <= goal) return;
    const sizes = new Map([...this.#logs.keys()].map((log) => [log, log.spareBytes(loss)]));
    while (this.#bytes > goal) {
      const [log, size] = [...sizes].reduce((most, one) => one[1] > most[1] ? one : most);
      if (size === 0) return;
      log.shrink(loss, Math.max(Math.floor(size / 2), size - Math.ceil(this.#bytes - goal)));
      sizes.set(log, log.spareBytes(loss));
      this.#count(log);
    }
  }
}
