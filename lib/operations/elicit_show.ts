import { z } from "zod";
import { answerCommand, fieldLines, type Question } from "../elicit/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { questionId, questionShape } from "./question_shapes.ts";

/** Shows one question. */
export const elicitShow: Operation<
  { id: string },
  { question: Question; fields: string[]; command?: string | undefined }
> = defineOperation({
  id: "elicit.show",
  summary: "Show one question, what an answer has to fit, and the command that answers it.",
  description: "Over MCP a session is shown what its own calls raised.",
  examples: [{ command: "mcpx elicit show elc-7h2kq9m3xw", note: "by its id" }],
  effect: "read",
  http: { method: "GET", path: "/v1/elicit/{id}" },
  input: z.strictObject({ id: questionId }),
  output: z.object({
    question: questionShape,
    fields: z.array(z.string()).describe("What each field takes, in words."),
    command: z.string().optional(),
  }),
  cli: {
    commands: [{ words: ["elicit", "show"], positional: ["id"] }],
    fields: { id: { completion: "question" } },
    render: "question",
  },
  settings: [],
  errors: ["unknown-question"],
  streams: false,
  run: async ({ id }, { engine, caller }) => {
    const question = await engine.broker.show(id, caller);
    return {
      question,
      fields: fieldLines(question.schema),
      ...(question.state === "pending" ? { command: answerCommand(question) } : {}),
    };
  },
});
