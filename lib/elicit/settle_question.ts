import { McpxError } from "../errors/mod.ts";
import type { Answer, Question, QuestionState } from "./types.ts";

const STATES: Readonly<Record<Answer["action"], QuestionState>> = {
  accept: "accepted",
  decline: "declined",
  cancel: "cancelled",
};

/**
 * The question after an answer. Whoever comes second is told who was first.
 *
 * @param answer checked already
 * @param by who answered, or why nobody can any more
 * @param now milliseconds since the epoch
 * @throws {McpxError} `question-settled` when it is open no more
 */
export function settleQuestion(
  question: Question,
  answer: Answer,
  { by, now }: { by: string; now: number },
): Question {
  if (question.state !== "pending") throw alreadySettled(question);
  return { ...question, state: STATES[answer.action], answer, answeredBy: by, settledAt: iso(now) };
}

/** The question after its deadline: its default stands, without one it is cancelled. */
export function expireQuestion(question: Question, now: number): Question {
  if (question.state !== "pending") return question;
  return {
    ...question,
    state: "expired",
    answer: question.default ?? { action: "cancel" },
    answeredBy: question.default ? "nobody in time: its default stands" : "nobody in time",
    settledAt: iso(now),
  };
}

/** Why a question takes no answer any more. */
export function alreadySettled({ id, state, answeredBy, settledAt }: Question): McpxError {
  const who = answeredBy === undefined
    ? ""
    : ` (${answeredBy}${settledAt === undefined ? "" : `, ${settledAt}`})`;
  return new McpxError("question-settled", `Cannot answer ${id}: it is ${state} already${who}.`, {
    hint: "mcpx elicit list",
    data: { id, state, ...(answeredBy === undefined ? {} : { answeredBy }) },
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
