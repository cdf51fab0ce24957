/** How many ids are remembered; the oldest goes first. */
const MOST = 1000;

/** A set of ids that forgets. */
export class RecentIds {
  readonly #ids = new Set<string>();

  add(id: string): void {
    this.#ids.delete(id);
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MOST && oldest !== undefined) this.#ids.delete(oldest);
  }

  has(id: unknown): boolean {
    return typeof id === "string" && this.#ids.has(id);
  }

  delete(id: unknown): void {
    if (typeof id === "string") this.#ids.delete(id);
  }
}
