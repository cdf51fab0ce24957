import type { Question } from "./types.ts";

const MESSAGE_CHARS = 2000;
const SCHEMA_CHARS = 32_000;

/** A question as lists and events carry it: without its answer, and without what is too long for one line among many. */
export type BriefQuestion = Omit<Question, "answer" | "sampling">;

/** Shortens a question for a list: a long message is cut, a very long schema left to whoever shows the question alone. */
export function briefQuestion(question: Question): BriefQuestion {
  const { answer: _answer, sampling: _sampling, schema, ...brief } = question;
  return {
    ...brief,
    message: question.message.length > MESSAGE_CHARS
      ? `${question.message.slice(0, MESSAGE_CHARS)}…`
      : question.message,
    ...(schema && JSON.stringify(schema).length <= SCHEMA_CHARS ? { schema } : {}),
  };
}
