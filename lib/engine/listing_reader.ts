/** How notices of changed lists become readings. */
export interface ListingReaderOptions {
  /** Reads the lists; tells whether they differ from the last time. */
  read(): Promise<boolean>;
  /** How long further notices are gathered into one reading, ms. */
  settleMs: number;
  setTimer(run: () => void, ms: number): { cancel(): void };
  onError(error: unknown): void;
}

/**
 * Turns a storm of `list_changed` into two readings: one at once, one when it has settled.
 *
 * A server that announces a change whenever it is read would be read for ever. So notices that come during a reading count
 * only while readings bring something new.
 */
export class ListingReader {
  readonly #options: ListingReaderOptions;
  #timer: { cancel(): void } | undefined;
  #reading = false;
  #noticedWhileReading = false;
  #noticedWhileSettling = false;
  #closed = false;

  constructor(options: ListingReaderOptions) {
    this.#options = options;
  }

  /** A notice came. */
  notice(): void {
    if (this.#closed) return;
    if (this.#reading) this.#noticedWhileReading = true;
    else if (this.#timer) this.#noticedWhileSettling = true;
    else void this.#read(false);
  }

  /** Stops reading; a reading under way ends by itself. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  async #read(becauseOfReading: boolean): Promise<void> {
    this.#reading = true;
    this.#noticedWhileReading = false;
    this.#noticedWhileSettling = false;
    let changed = false;
    try {
      changed = await this.#options.read();
    } catch (error) {
      this.#options.onError(error);
    }
    this.#reading = false;
    if (this.#closed) return;
    const followUp = this.#noticedWhileReading && (changed || !becauseOfReading);
    this.#timer = this.#options.setTimer(() => {
      this.#timer = undefined;
      if (this.#noticedWhileSettling) void this.#read(false);
      else if (followUp) void this.#read(true);
    }, this.#options.settleMs);
  }
}
