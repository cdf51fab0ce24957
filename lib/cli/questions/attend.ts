import { formFields } from "../../elicit/form_fields.ts";
import type { Question } from "../../elicit/types.ts";
import { McpxError } from "../../errors/mod.ts";
import { parseJson } from "../../json/lossless.ts";
import { type Api, readText } from "../api.ts";
import { askPerson } from "./ask_person.ts";
import type { Prompter } from "./prompter.ts";

/** What attending to questions needs. */
export interface AttendOptions {
  /** Writes a sentence on stderr. */
  say(text: string): void;
  /** The API on a connection of its own, for answers go out while the request still runs. */
  openApi(signal: AbortSignal): Promise<Api>;
  headers: Record<string, string>;
  signal: AbortSignal;
  /** The person broke off: whatever the command does is over. */
  onBreak(): void;
  /** Default: on the terminal. */
  prompter?(signal: AbortSignal): Promise<Prompter>;
}

type Asked = Question & { problem?: string };

/** Puts the questions that come up while a request runs to the person at the terminal, one after another. */
export class Attendant implements AsyncDisposable {
  readonly #options: AttendOptions;
  /** What takes each question's prompt away. */
  readonly #open = new Map<string, AbortController>();
  #turn: Promise<void> = Promise.resolve();

  constructor(options: AttendOptions) {
    this.#options = options;
  }

  /** Puts a question in line. */
  asked(question: Asked): void {
    const settled = new AbortController();
    this.#open.set(question.id, settled);
    this.#turn = this.#turn.then(() => this.#ask(question, settled.signal)).catch((thrown) => {
      if (settled.signal.aborted || this.#options.signal.aborted) return;
      this.#options.say(McpxError.from(thrown).message);
    });
  }

  /** A question needs no answer any more. */
  settled(id: string): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }

  /** Settles when no question is in line. */
  idle(): Promise<void> {
    return this.#turn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of [...this.#open.keys()]) this.settled(id);
    await this.#turn;
  }

  async #ask(question: Asked, settled: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([settled, this.#options.signal]);
    for (let asked = question; !signal.aborted;) {
      const prompter = await (this.#options.prompter ?? onTerminal)(signal);
      const reply = await askPerson(asked, prompter);
      if (signal.aborted) return;
      if (reply === undefined) return this.#options.onBreak();
      const problem = await this.#send(question, reply, signal);
      if (problem === undefined) return;
      asked = { ...question, problem };
    }
  }

  /** Hands an answer in; gives what is wrong with it. */
  async #send(question: Asked, reply: unknown, signal: AbortSignal): Promise<string | undefined> {
    const api = await this.#options.openApi(signal);
    try {
      const response = await api.request({
        method: "POST",
        path: `/v1/elicit/${encodeURIComponent(question.id)}/answer`,
        headers: { ...this.#options.headers, accept: "application/json" },
        body: JSON.stringify(reply),
      }, signal);
      const text = await readText(response);
      if (response.status < 400) return undefined;
      const body = parseJson(text);
      const error = typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
      const failure = typeof error === "object" && error !== null ? McpxError.fromBody(error) : undefined;
      // Somebody else was faster, or it is over: nothing is left to ask.
      if (failure?.code === "question-settled") return undefined;
      if (failure?.code === "invalid-input" && formFields(question.schema).length > 0) return failure.message;
      throw failure ??
        new McpxError("daemon-unreachable", `Cannot hand in the answer: status ${response.status}.`);
    } finally {
      await api.close();
    }
  }
}

async function onTerminal(signal: AbortSignal): Promise<Prompter> {
  const { clackPrompter } = await import(
    "./clack_prompter.ts" as string
  ) as typeof import("./clack_prompter.ts");
  return clackPrompter(signal);
}
