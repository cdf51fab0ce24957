/** What a log may hold. */
export interface LogLimits {
  messages: number;
  bytes: number;
}

/** A stream whose messages a log counts. */
export interface LoggedStream {
  /** Bytes of messages that it may forget. */
  readonly spareBytes: number;
  /** How many messages those are. */
  readonly spareMessages: number;
  /** Forgets the oldest of them, or puts something smaller in its place. */
  forgetOldest(): void;
}

/** Messages and bytes that a session of a host's may keep waiting or ready to be sent again. */
const LIMITS: LogLimits = { messages: 1000, bytes: 4 * 1024 ** 2 };

/**
 * What all streams of one session hold together.
 *
 * Beyond its limits the oldest messages of the fullest stream are forgotten.
 */
export class MessageLog {
  readonly #limits: LogLimits;
  readonly #streams = new Set<LoggedStream>();

  constructor(limits: LogLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Bytes that it holds now, beside answers that wait for an open connection. */
  get bytes(): number {
    return this.#sum("spareBytes");
  }

  /** Messages that it holds now. */
  get messages(): number {
    return this.#sum("spareMessages");
  }

  add(stream: LoggedStream): void {
    this.#streams.add(stream);
  }

  remove(stream: LoggedStream): void {
    this.#streams.delete(stream);
  }

  /** Forgets what is above the limits. */
  trim(): void {
    let [bytes, messages] = [this.bytes, this.messages];
    while (bytes > this.#limits.bytes || messages > this.#limits.messages) {
      const by = messages > this.#limits.messages ? "spareMessages" : "spareBytes";
      const fullest = [...this.#streams].reduce((most, one) => one[by] > most[by] ? one : most);
      fullest.forgetOldest();
      [bytes, messages] = [this.bytes, this.messages];
    }
  }

  #sum(member: "spareBytes" | "spareMessages"): number {
    let sum = 0;
    for (const stream of this.#streams) sum += stream[member];
    return sum;
  }
}
