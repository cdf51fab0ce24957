import { z } from "zod";
import { answerCommand, briefQuestion, type Question } from "../elicit/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { type ListedQuestion, listedQuestion, unkeptNotes } from "./question_shapes.ts";

const ALL = ["pending", "accepted", "declined", "cancelled", "expired"] as const;

/** Lists questions. */
export const elicitList: Operation<
  { all?: boolean | undefined; state?: (typeof ALL)[number] | undefined; limit?: number | undefined },
  { questions: ListedQuestion[]; notes?: string[] | undefined }
> = defineOperation({
  id: "elicit.list",
  summary: "List the questions that wait for an answer.",
  description:
    "A question whose daemon ended before it was answered is listed too, as cancelled, with the reason. Answers are not shown. " +
    "Over MCP a session is shown what its own calls raised.",
  examples: [
    { command: "mcpx elicit list", note: "those that are open" },
    { command: "mcpx elicit list --all", note: "settled ones too" },
  ],
  effect: "read",
  http: { method: "GET", path: "/v1/elicit" },
  input: z.strictObject({
    all: z.boolean().optional().describe("Settled questions too."),
    state: z.enum(ALL).optional().describe("Only questions in this state."),
    limit: z.int().min(1).max(10_000).optional().describe("The newest so many; default 100."),
  }),
  output: z.object({ questions: z.array(listedQuestion), notes: z.array(z.string()).optional() }),
  cli: {
    commands: [{ words: ["elicit", "list"], rank: 55 }],
    render: "table:questions:id,kind,server,message,audience,state,expiresAt",
  },
  settings: [],
  errors: ["invalid-input"],
  streams: false,
  run: async ({ all, state, limit }, { engine, caller }) => {
    const states = state ? [state] : all ? ALL : undefined;
    const questions = await engine.broker.list({ states, limit: limit ?? 100 }, caller);
    return { questions: questions.map(listed), ...unkeptNotes("Questions", engine.broker.unkept) };
  },
});

/** A question without its answer, with the command that answers it. */
export function listed(question: Question): ListedQuestion {
  const brief = briefQuestion(question);
  return question.state === "pending" ? { ...brief, command: answerCommand(question) } : brief;
}
