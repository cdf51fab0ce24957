import { McpxError } from "../errors/mod.ts";

interface Waiter {
  start(): void;
  refuse(error: McpxError): void;
}

/** Lets a number of runs through at once and a number wait, first come, first served. */
export class RunSlots {
  readonly #max: () => number;
  readonly #maxQueued: number;
  readonly #waiting = new Set<Waiter>();
  #used = 0;

  /**
   * @param max runs at once, read anew whenever one comes or goes
   * @param maxQueued runs that may wait
   */
  constructor(max: () => number, maxQueued: number) {
    this.#max = max;
    this.#maxQueued = maxQueued;
  }

  /** Slots in use. */
  get used(): number {
    return this.#used;
  }

  /** Runs that wait. */
  get queued(): number {
    return this.#waiting.size;
  }

  /**
   * Waits for a slot.
   *
   * @param signal gives the place in the queue up
   * @returns the slot; disposing it lets the next one in
   * @throws {McpxError} `queue-full`, `cancelled`, `daemon-stopping`
   */
  async take(signal: AbortSignal): Promise<Disposable> {
    if (signal.aborted) throw cancelled();
    if (this.#used < this.#limit && this.#waiting.size === 0) this.#used++;
    else await this.#wait(signal);
    let held = true;
    return {
      [Symbol.dispose]: (): void => {
        if (held) this.#release();
        held = false;
      },
    };
  }

  /** Lets in who waits as far as there is room: after the limit was raised. */
  reconsider(): void {
    while (this.#used < this.#limit && this.#waiting.size > 0) {
      this.#used++;
      this.#next()?.start();
    }
  }

  /** Refuses everyone who waits. */
  close(): void {
    for (const waiter of this.#waiting) {
      waiter.refuse(new McpxError("daemon-stopping", "Cannot run the script: the daemon is shutting down."));
    }
    this.#waiting.clear();
  }

  async #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#maxQueued) {
      throw new McpxError("queue-full", `Cannot run the script: ${this.#maxQueued} runs wait already.`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { start: resolve, refuse: reject };
    const cancel = (): void => {
      this.#waiting.delete(waiter);
      reject(cancelled());
    };
    this.#waiting.add(waiter);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  get #limit(): number {
    return Math.max(1, this.#max());
  }

  /** Hands the slot to who waits longest. */
  #release(): void {
    this.#used--;
    this.reconsider();
  }

  #next(): Waiter | undefined {
    const next = this.#waiting.values().next().value;
    if (next !== undefined) this.#waiting.delete(next);
    return next;
  }
}

function cancelled(): McpxError {
  return new McpxError("cancelled", "The run was cancelled by its caller.");
}
