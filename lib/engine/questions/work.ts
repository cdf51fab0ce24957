import type { McpxError } from "../../errors/mod.ts";
import type { Question } from "../../elicit/mod.ts";
import type { Caller, CallerEvent } from "../caller.ts";

const MOST_NOTES = 20;

/** Somebody who waits for a work's end. */
export interface Waiter {
  caller: Caller;
  /** Ends the waiting; the work goes on. */
  leave(error: McpxError): void;
}

/**
 * One request that runs: a call, a script, whatever may meet a question. It begins with a caller who waits for it, and can go on
 * without one, as a task.
 */
export class Work {
  readonly trace: string;
  readonly title: string;
  readonly caller: Caller;
  readonly startedAt: number;
  /** The questions that it waits for, by their ids. */
  readonly questions = new Map<string, Question>();
  /** Questions that may be its own as well, which stops its clocks. */
  readonly possible = new Set<string>();
  readonly waiters = new Set<Waiter>();
  /** Which instance was chosen for it, by the server's name: one question per run is enough. */
  readonly chosen = new Map<string, string | undefined>();
  /** The task that it has become. */
  task: string | undefined;
  readonly #abort = new AbortController();
  readonly #noted = new Set<string>();

  constructor(options: { trace: string; title: string; caller: Caller; now: number }) {
    this.trace = options.trace;
    this.title = options.title;
    this.caller = options.caller;
    this.startedAt = options.now;
  }

  /** Aborted when the work is to end. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends it. */
  abort(reason: unknown): void {
    this.#abort.abort(reason);
  }

  /** Whether a question is open, which stops the clocks. */
  get paused(): boolean {
    return this.questions.size > 0 || this.possible.size > 0;
  }

  /** Tells whoever waits something that is true of it from now on. */
  noteOnce(text: string): void {
    if (this.waiters.size === 0 || this.#noted.has(text) || this.#noted.size >= MOST_NOTES) return;
    this.#noted.add(text);
    this.emit({ type: "note", text });
  }

  /** Tells whoever waits. */
  emit(event: CallerEvent): void {
    for (const { caller } of this.waiters) caller.emit(event);
  }
}
