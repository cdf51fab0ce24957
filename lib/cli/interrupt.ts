import type { CliIo } from "./io.ts";

/** Ctrl-C, as a signal: the first one cancels, the second one ends the process at once. */
export class Interrupt implements Disposable {
  readonly #controller = new AbortController();
  readonly #stop: () => void;

  constructor(io: Pick<CliIo, "onInterrupt" | "exit">) {
    this.#stop = io.onInterrupt(() => {
      if (this.#controller.signal.aborted) io.exit(130);
      this.#controller.abort();
    });
  }

  /** As if the person had pressed Ctrl-C. */
  now(): void {
    this.#controller.abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
