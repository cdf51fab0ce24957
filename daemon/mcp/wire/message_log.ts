import { type Amount, type Loss, LOSSES } from "./kept_messages.ts";
import type { AllowedLog, LogAllowance } from "./log_allowance.ts";

/** A stream whose messages a log counts. */
export interface LoggedStream {
  /** What it may forget. */
  spare(loss: Loss): Amount;
  /** Forgets the oldest of it, or puts something smaller in its place. */
  forgetOldest(loss: Loss): void;
}

/** Messages and bytes that a session of a host's may keep waiting or ready to be sent again. */
const LIMITS: Amount = { messages: 1000, bytes: 4 * 1024 ** 2 };
/** Bytes that keeping one message takes beside its own. */
const KEEPING = 256;

/**
 * What all streams of one session hold together.
 *
 * Beyond its limits the oldest messages of the fullest stream are forgotten: first those that were delivered, which are kept
 * only for a host that resumes.
 */
export class MessageLog implements AllowedLog {
  readonly #limits: Amount;
  readonly #allowance: LogAllowance | undefined;
  readonly #streams = new Set<LoggedStream>();

  /** @param options.allowance what it shares with the logs of other sessions */
  constructor({ limits = LIMITS, allowance }: { limits?: Amount; allowance?: LogAllowance } = {}) {
    this.#limits = limits;
    this.#allowance = allowance;
  }

  /** What it holds now, beside what waits for an open connection and must not be lost. */
  get spare(): Amount {
    return this.#spare("any");
  }

  add(stream: LoggedStream): void {
    this.#streams.add(stream);
  }

  remove(stream: LoggedStream): void {
    this.#streams.delete(stream);
    this.#allowance?.note(this);
  }

  spareBytes(loss: Loss): number {
    const { bytes, messages } = this.#spare(loss);
    return bytes + messages * KEEPING;
  }

  shrink(loss: Loss, bytes: number): void {
    while (this.spareBytes(loss) > bytes) this.#forget(loss, "bytes");
  }

  /** Forgets what is above the limits, its own and those of all logs. */
  trim(): void {
    for (let now = this.spare; now.bytes > this.#limits.bytes || now.messages > this.#limits.messages;) {
      const by = now.messages > this.#limits.messages ? "messages" : "bytes";
      const loss = LOSSES.find((one) => this.#spare(one)[by] > 0) ?? "any";
      this.#forget(loss, by);
      now = this.spare;
    }
    this.#allowance?.note(this);
  }

  #spare(loss: Loss): Amount {
    const sum: Amount = { bytes: 0, messages: 0 };
    for (const stream of this.#streams) {
      const { bytes, messages } = stream.spare(loss);
      sum.bytes += bytes;
      sum.messages += messages;
    }
    return sum;
  }

  #forget(loss: Loss, by: keyof Amount): void {
    [...this.#streams].reduce((most, one) => one.spare(loss)[by] > most.spare(loss)[by] ? one : most)
      .forgetOldest(loss);
  }
}
