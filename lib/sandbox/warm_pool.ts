import type { SandboxProcess } from "./process.ts";

/** Failed starts in a row after which the pool waits until somebody asks. */
const MAX_FAILURES = 3;

/** Sandbox processes started ahead, so that a run finds one that is ready. */
export class WarmPool implements AsyncDisposable {
  readonly #size: number;
  readonly #start: () => SandboxProcess;
  #idle: SandboxProcess[] = [];
  #failures = 0;
  #closed = false;

  /**
   * @param size how many are kept ready
   * @param start starts one
   */
  constructor(size: number, start: () => SandboxProcess) {
    this.#size = size;
    this.#start = start;
  }

  /** How many wait for a run. */
  get idle(): number {
    return this.#idle.length;
  }

  /** Starts what is missing; a machine on which they do not start is not asked over and over. */
  fill(): void {
    while (!this.#closed && this.#idle.length < this.#size && this.#failures < MAX_FAILURES) {
      let started: SandboxProcess;
      try {
        started = this.#start();
      } catch {
        this.#failures++;
        continue;
      }
      this.#idle.push(started);
      started.ready.then(() => {
        this.#failures = 0;
      }, () => {
        this.#failures++;
      });
      started.exited.then(() => this.#drop(started));
    }
  }

  /** The process that has waited longest, or a fresh one; it belongs to the caller from now on. */
  take(): SandboxProcess {
    this.#failures = 0;
    return this.#idle.shift() ?? this.#start();
  }

  /** Waits until every process that was started ahead can take a script. */
  async ready(): Promise<void> {
    await Promise.all(this.#idle.map((process) => process.ready));
  }

  #drop(process: SandboxProcess): void {
    const kept = this.#idle.filter((other) => other !== process);
    if (kept.length === this.#idle.length) return; // it was taken
    this.#idle = kept;
    this.fill();
  }

  /** Ends every waiting process and starts no more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const idle = this.#idle;
    this.#idle = [];
    await Promise.all(idle.map((process) => process[Symbol.asyncDispose]()));
  }
}
