/** How long a cancellation waits for its request, ms. */
const WAITS_MS = 30_000;
const MOST_EARLY = 100;
const MOST_OVER = 1000;

/**
 * Cancellations that came before the requests that they cancel.
 *
 * Each message may come over a connection of its own, so a small cancellation can overtake a large request. One of a request that
 * is over means nothing, and is not kept: a host that uses an id again would lose its request.
 *
 * @example
 * ```ts
 * import { EarlyCancels } from "./early_cancels.ts";
 * const early = new EarlyCancels();
 * early.note("7");
 * console.assert(early.take("7") && !early.take("7"));
 * ```
 */
export class EarlyCancels {
  readonly #now: () => number;
  /** Ids, and until when their cancellations hold; the oldest first. */
  readonly #early = new Map<string, number>();
  readonly #over = new Set<string>();

  /** @param now the time in ms */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Remembers the cancellation of a request that is not under way. */
  note(id: string): void {
    if (this.#over.has(id)) return;
    this.#early.delete(id);
    this.#early.set(id, this.#now() + WAITS_MS);
    dropOldest(this.#early, MOST_EARLY);
  }

  /** Whether a request that begins now was cancelled before; says so once. */
  take(id: string): boolean {
    const until = this.#early.get(id);
    this.#early.delete(id);
    return until !== undefined && this.#now() <= until;
  }

  /** Remembers that a request is over. */
  finished(id: string): void {
    this.#over.delete(id);
    this.#over.add(id);
    dropOldest(this.#over, MOST_OVER);
  }
}

function dropOldest(kept: Map<string, unknown> | Set<string>, most: number): void {
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
