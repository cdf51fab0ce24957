import type { Output } from "../output.ts";
import { displayWidth } from "./table.ts";
import { inert } from "./style.ts";

const DELAY_MS = 1000;
const CLEAR = "\r\x1b[K";

/** One line at the bottom of a terminal that says what takes so long; shown only for what takes longer than a second. */
export class ProgressLine implements AsyncDisposable {
  readonly #output: Output;
  readonly #width: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #text: string;
  #due = false;
  #shown = false;

  /** `first` is said until there is a better word. */
  constructor(output: Output, options: { first: string; width: number; enabled: boolean }) {
    this.#output = output;
    this.#width = options.width;
    this.#text = options.first;
    if (!options.enabled) return;
    this.#timer = setTimeout(() => {
      this.#due = true;
      this.#draw();
    }, DELAY_MS);
  }

  /** Shows another text. */
  update(text: string): void {
    this.#text = inert(text).replace(/\s+/g, " ");
    if (this.#due) this.#draw();
  }

  /** Takes the line away, so that something else can be written; the next update brings it back. */
  async hide(): Promise<void> {
    if (!this.#shown) return;
    this.#shown = false;
    await this.#output.write(CLEAR);
  }

  /** Takes the line away for good. */
  async finish(): Promise<void> {
    // Timers load late in this runtime, and cost a fifth of a warm command: none is touched where none was set.
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#due = false;
    await this.hide();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.finish();
  }

  #draw(): void {
    this.#shown = true;
    let text = this.#text;
    while (displayWidth(text) > this.#width - 1) text = text.slice(0, -1);
    // Progress that cannot be written is no reason to fail.
    this.#output.write(CLEAR + text).catch(() => undefined);
  }
}
