/** Tells when nothing has been asked for a while. */
export class IdleExit {
  readonly #limitMs: () => number;
  readonly #isBusy: () => boolean;
  readonly #onIdle: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastUse: number = Date.now();

  /** @param options.limitMs read again at every look, so that a change is hot; 0 never ends */
  constructor(options: { limitMs: () => number; isBusy: () => boolean; onIdle: () => void }) {
    this.#limitMs = options.limitMs;
    this.#isBusy = options.isBusy;
    this.#onIdle = options.onIdle;
    this.#look();
  }

  /** Something was asked. */
  used(): void {
    this.#lastUse = Date.now();
  }

  /** Looks anew: the limit may have changed. */
  reconsider(): void {
    this.#look();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    clearTimeout(this.#timer);
    const limit = this.#limitMs();
    if (limit === 0) return;
    if (this.#isBusy()) this.#lastUse = Date.now();
    const left = this.#lastUse + limit - Date.now();
    if (left <= 0) this.#onIdle();
    else this.#timer = setTimeout(() => this.#look(), Math.min(left, 2 ** 30));
  }
}
