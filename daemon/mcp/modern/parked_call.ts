import { isObject } from "../../../lib/json/mod.ts";
import type { CallerAnswers } from "../../../lib/engine/caller_answers.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { hostCan } from "../face/can_answer.ts";

/** What a host learns of a call: that it is done, or what it waits for. */
export type CallState =
  | { done: true; result: JsonObject }
  | { done: false; inputRequests: JsonObject };

interface Question {
  method: string;
  params: JsonObject;
  resolve(answer: JsonObject): void;
  reject(error: McpxError): void;
}

/**
 * One call that may stop for a question of a server that asks while the call is open.
 *
 * The modern era has no requests towards the host: the questions become the result of the host's request, and the call
 * waits until the host comes back with the answers.
 */
export class ParkedCall {
  readonly answers: CallerAnswers;
  readonly #questions = new Map<string, Question>();
  readonly #result: Promise<JsonObject>;
  #asked = Promise.withResolvers<void>();
  #count = 0;

  /**
   * @param host what the host can answer
   * @param run the call itself
   */
  constructor(
    host: { version: string; capabilities: JsonObject },
    run: (answers: CallerAnswers) => Promise<JsonObject>,
  ) {
    this.answers = {
      can: (method, params) => hostCan(host, method, params),
      ask: (method, params, signal) => this.#ask(method, params, signal),
    };
    this.#result = run(this.answers);
    this.#result.catch(() => undefined); // told by next(), or nobody is left to hear it
  }

  /** Waits for the result or a question, whichever comes first. @throws what the call throws */
  async next(): Promise<CallState> {
    if (this.#questions.size === 0) {
      const first = await Promise.race([this.#result.then((result) => ({ result })), this.#asked.promise]);
      if (first) return { done: true, result: first.result };
    }
    const inputRequests = Object.fromEntries(
      [...this.#questions].map(([key, { method, params }]) => [key, { method, params }]),
    );
    return { done: false, inputRequests };
  }

  /** Takes a host's answers to questions by their keys. */
  answer(responses: unknown): void {
    for (const [key, answer] of Object.entries(isObject(responses) ? responses : {})) {
      const question = this.#questions.get(key);
      if (!question || !isObject(answer)) continue;
      this.#questions.delete(key);
      question.resolve(answer);
    }
    if (this.#questions.size === 0) this.#asked = Promise.withResolvers();
  }

  async #ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const key = `${method.split("/")[0]}-${++this.#count}`;
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const onAbort = (): void => {
      this.#questions.delete(key);
      reject(McpxError.from(signal.reason));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#questions.set(key, { method, params, resolve, reject });
    this.#asked.resolve();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }
}
