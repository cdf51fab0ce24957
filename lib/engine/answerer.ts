import type { Answer, Question } from "../elicit/types.ts";

/**
 * Somebody at hand who can be asked while a request of theirs runs: a person at the terminal, an MCP host.
 *
 * A surface gives one to the callers it makes. The broker asks it first. A question that it cannot take, or gives back with
 * `undefined`, makes the request answer `waiting-input` at once, and what the request was doing goes on as a task.
 */
export interface Answerer {
  /** Who it is, for the record: `the terminal`, `claude-code over MCP`. */
  name: string;
  canElicit: { form: boolean; url: boolean };
  canSample: boolean;
  /**
   * Puts a question to them.
   *
   * `accept` carries `content`: for a form its values, for `sampling` a whole `sampling/createMessage` result, for `url`
   * nothing. An answer that does not fit is put again, with what is wrong in `problem`, at most twice.
   *
   * @param question what to ask; `message` already names who asks
   * @param signal aborted once the question needs no answer any more: answered elsewhere, expired, or its call is over
   * @returns undefined when they can give no answer (which is no `cancel`): the question stays open for others
   */
  ask(question: Question & { problem?: string }, signal: AbortSignal): Promise<Answer | undefined>;
}
