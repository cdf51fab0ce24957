import type { CliIo } from "./io.ts";

/** Ctrl-C, TERM and HUP, as a signal: the first one cancels, the second one ends the process at once. */
export class Interrupt implements Disposable {
  readonly #controller = new AbortController();
  readonly #stop: () => void;

  constructor(io: Pick<CliIo, "onInterrupt" | "exit">) {
    this.#stop = io.onInterrupt((status) => {
      if (this.#controller.signal.aborted) io.exit(status);
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
