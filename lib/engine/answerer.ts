import { askerOf } from "../elicit/asker.ts";
import type { Answer, Question } from "../elicit/types.ts";
import type { JsonObject } from "../schema/types.ts";
import type { Caller } from "./caller.ts";
import type { CallerAnswers } from "./caller_answers.ts";

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
  ask(question: AskedQuestion, signal: AbortSignal): Promise<Answer | undefined>;
}

/** A question as it is put to somebody. */
export interface AskedQuestion extends Question {
  /** Why the answer before did not do. */
  problem?: string;
  /** The request as a server made it. */
  request?: { method: string; params: JsonObject };
}

/** How a host is recorded that answered. */
export const MCP_HOST = "the MCP host";

/** Who can be asked at a caller's end: its answerer, or the MCP host that it is. */
export function answererOf(caller: Caller): Answerer | undefined {
  return caller.answerer ?? (caller.answers ? hostAnswerer(caller.answers) : undefined);
}

/** An MCP host as somebody who can be asked: a question goes out as the request that a server would make. */
function hostAnswerer(answers: CallerAnswers): Answerer {
  const can = (params: JsonObject): boolean => answers.can("elicitation/create", params);
  return {
    name: MCP_HOST,
    canElicit: { form: can({}), url: can({ mode: "url" }) },
    canSample: answers.can("sampling/createMessage", {}),
    ask: async (question, signal) => {
      const { method, params } = requestOf(question);
      // Some hosts answer a kind of request, and not what this one has in it.
      if (!answers.can(method, params)) return undefined;
      return answerOf(method, await answers.ask(method, params, signal));
    },
  };
}

/** What goes to the host: a server's own request whole, but for a message that names the server. */
function requestOf(question: AskedQuestion): { method: string; params: JsonObject } {
  if (question.sampling) return { method: "sampling/createMessage", params: question.sampling };
  const again = question.problem === undefined ? "" : `\n${question.problem}`;
  const message = `${askerOf(question)}: ${question.message}${again}`;
  if (question.request) {
    return { method: question.request.method, params: { ...question.request.params, message } };
  }
  const requestedSchema = question.schema ?? { type: "object", properties: {} };
  return { method: "elicitation/create", params: { message, requestedSchema } };
}

/** What an MCP host answered to a request, as the answer to a question. */
export function answerOf(method: string, { action, content, ...rest }: JsonObject): Answer {
  if (method === "sampling/createMessage") return { action: "accept", content: { ...rest, content } };
  if (action !== "accept") return { action: action === "decline" ? "decline" : "cancel" };
  return typeof content === "object" && content !== null && !Array.isArray(content)
    ? { action: "accept", content: { ...content } }
    : { action: "accept" };
}
