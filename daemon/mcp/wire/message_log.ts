import type { Amount } from "./kept_messages.ts";

/** A stream whose messages a log counts. */
export interface LoggedStream {
  /** What it may forget. */
  readonly spare: Amount;
  /** Forgets the oldest of it, or puts something smaller in its place. */
  forgetOldest(): void;
}

/** Messages and bytes that a session of a host's may keep waiting or ready to be sent again. */
const LIMITS: Amount = { messages: 1000, bytes: 4 * 1024 ** 2 };

/**
 * What all streams of one session hold together.
 *
 * Beyond its limits the oldest messages of the fullest stream are forgotten.
 */
export class MessageLog {
  readonly #limits: Amount;
  readonly #streams = new Set<LoggedStream>();

  constructor(limits: Amount = LIMITS) {
    this.#limits = limits;
  }

  /** What it holds now, beside answers that wait for an open connection. */
  get spare(): Amount {
    const sum: Amount = { bytes: 0, messages: 0 };
    for (const { spare } of this.#streams) {
      sum.bytes += spare.bytes;
      sum.messages += spare.messages;
    }
    return sum;
  }

  add(stream: LoggedStream): void {
    this.#streams.add(stream);
  }

  remove(stream: LoggedStream): void {
    this.#streams.delete(stream);
  }

  /** Forgets what is above the limits. */
  trim(): void {
    for (let now = this.spare; now.bytes > this.#limits.bytes || now.messages > this.#limits.messages;) {
      const by = now.messages > this.#limits.messages ? "messages" : "bytes";
      [...this.#streams].reduce((most, one) => one.spare[by] > most.spare[by] ? one : most).forgetOldest();
      now = this.spare;
    }
  }
}
