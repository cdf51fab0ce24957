import type { Question } from "./types.ts";

const MESSAGE_CHARS = 2000;
const SCHEMA_CHARS = 16_000;
const ANSWER_CHARS = 64_000;

/** A question as lists and events carry it: without its answer, and without what is too long for one line among many. */
export type BriefQuestion = Omit<Question, "answer" | "sampling">;

/** Shortens a question for a list: a long message is cut, a very long schema left to whoever shows the question alone. */
export function briefQuestion(question: Question): BriefQuestion {
  const { answer: _answer, sampling: _sampling, schema, ...brief } = question;
  return {
    ...brief,
    message: briefMessage(question.message),
    ...(schema && JSON.stringify(schema).length <= SCHEMA_CHARS ? { schema } : {}),
  };
}

/** What is asked, cut where it is too long to be read in passing. */
export function briefMessage(message: string): string {
  return message.length > MESSAGE_CHARS ? `${message.slice(0, MESSAGE_CHARS)}…` : message;
}

/** What is kept of a question once it is settled: what it was and what came of it, not all that it held. */
export function settledRecord(question: Question): Question {
  const { answer } = question;
  if (answer === undefined) return briefQuestion(question);
  const isLong = JSON.stringify(answer).length > ANSWER_CHARS;
  return { ...briefQuestion(question), answer: isLong ? { action: answer.action } : answer };
}
