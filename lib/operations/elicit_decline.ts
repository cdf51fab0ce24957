import { z } from "zod";
import { defineOperation, type Operation } from "./define.ts";
import { type AnswerOutput, answerOutput, giveAnswer } from "./elicit_answer.ts";
import { questionId } from "./question_shapes.ts";
import { jsonObject } from "./shapes.ts";

/** Declines a question. */
export const elicitDecline: Operation<
  { id: string; content?: Record<string, unknown> | null | undefined },
  AnswerOutput
> = defineOperation({
  id: "elicit.decline",
  summary: "Decline a question: a no, which the server is told.",
  examples: [{ command: "mcpx elicit decline elc-7h2kq9m3xw", note: "a no" }],
  effect: "write",
  http: { method: "POST", path: "/v1/elicit/{id}/decline" },
  input: z.strictObject({
    id: questionId,
    content: jsonObject.nullable().optional().describe("Not looked at: what is not accepted has no values."),
  }),
  output: answerOutput,
  cli: {
    commands: [{ words: ["elicit", "decline"], positional: ["id"] }],
    fields: { id: { completion: "question" }, content: { hidden: true } },
    render: "settled",
  },
  settings: [],
  errors: ["unknown-question", "question-settled", "forbidden"],
  streams: false,
  run: ({ id }, { engine, caller }) => giveAnswer(engine, caller, id, { action: "decline" }),
});
