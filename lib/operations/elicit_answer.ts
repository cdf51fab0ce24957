import { z } from "zod";
import { type Question, uncheckedFields } from "../elicit/mod.ts";
import type { Reply } from "../engine/questions/broker_types.ts";
import type { Caller } from "../engine/caller.ts";
import type { Engine } from "../engine/engine.ts";
import { defineOperation, type Operation } from "./define.ts";
import { questionId, questionShape } from "./question_shapes.ts";
import { jsonObject } from "./shapes.ts";

/** What an answer gives back. */
export interface AnswerOutput {
  question: Question;
  notes?: string[] | undefined;
}

/** The schema of {@link AnswerOutput}. */
export const answerOutput: z.ZodType<AnswerOutput> = z.object({
  question: questionShape,
  notes: z.array(z.string()).optional(),
});

/** Answers a question. */
export const elicitAnswer: Operation<
  {
    id: string;
    content?: Record<string, unknown> | undefined;
    textArguments?: [string, string][] | undefined;
    action?: "accept" | "decline" | "cancel" | undefined;
  },
  AnswerOutput
> = defineOperation({
  id: "elicit.answer",
  summary: "Answer a question.",
  description:
    "The values are one JSON object, or key=value words that the question's schema turns into values. An answer that does not fit " +
    "is refused with every field that is wrong, and the question stays open. What is not asked for is refused too. " +
    "A question that is for a human is taken from a command line as anyone's answer: there the audience is advisory.",
  examples: [
    { command: "mcpx elicit answer elc-7h2kq9m3xw name=Ada age=36", note: "key=value" },
    { command: `mcpx elicit answer elc-7h2kq9m3xw '{"name":"Ada","age":36}'`, note: "a JSON object" },
  ],
  effect: "write",
  http: { method: "POST", path: "/v1/elicit/{id}/answer" },
  input: z.strictObject({
    id: questionId,
    content: jsonObject.nullable().optional().transform((content) => content ?? undefined)
      .describe("The values as one JSON object."),
    textArguments: z.array(z.tuple([z.string(), z.string()])).optional()
      .describe("The values as key and text, coerced by the question's schema."),
    action: z.enum(["accept", "decline", "cancel"]).optional()
      .describe("Default accept; decline is a no, cancel is no answer."),
  }),
  output: answerOutput,
  cli: {
    commands: [{ words: ["elicit", "answer"], positional: ["id", "content"], rest: true, rank: 56 }],
    fields: {
      id: { completion: "question" },
      content: { pairs: true, reads: "stdin" },
      textArguments: { hidden: true },
    },
    render: "settled",
  },
  settings: ["http.auth"],
  errors: ["unknown-question", "question-settled", "invalid-input", "forbidden"],
  streams: false,
  run: ({ id, content, textArguments, action }, { engine, caller }) =>
    giveAnswer(engine, caller, id, { action: action ?? "accept", content, textContent: textArguments }),
});

/** Hands an answer in, in the name of whoever calls, and says what it led to. */
export async function giveAnswer(
  engine: Engine,
  caller: Caller,
  id: string,
  reply: Reply,
): Promise<AnswerOutput> {
  const { identity } = caller;
  const { session } = identity;
  // Whoever can reach a port without a token may be anybody.
  const isUnknown = caller.isRemote === true && engine.settings.base.get("http.auth") === "none";
  const surface = isUnknown ? "mcp" : caller.surface;
  const question = await engine.broker.answer(id, reply, {
    name: replierName(caller.surface, session),
    surface,
    ...(session === undefined ? {} : { session }),
  });
  const waiting = await engine.tasks.list({ states: ["working", "input_required"], limit: 1000 });
  const notes = question.state === "pending" ? [`${id} stays open: a human may still answer it.`] : [
    ...(question.audience === "human" && surface !== "mcp"
      ? [
        `It was for a human (${question.reason}). Here anyone's answer is taken: that is advice, not a barrier.`,
      ]
      : []),
    ...unchecked(question),
    ...waiting.filter(({ trace }) => trace === question.trace)
      .map((task) => `mcpx task result ${task.id}   gives the result of ${task.title}.`),
  ];
  return { question, ...(notes.length > 0 ? { notes } : {}) };
}

/** What was taken as it is, since the server's pattern for it cannot be held against it. */
function unchecked({ schema, answer }: Question): string[] {
  if (answer?.action !== "accept" || !answer.content) return [];
  return uncheckedFields(schema, answer.content).map((name) =>
    `\`${name}\` was not held against its pattern, which is none that can be checked in bounded time: the server may refuse it.`
  );
}

function replierName(surface: Caller["surface"], session: string | undefined): string {
  const names = { cli: "the command line", http: "HTTP", mcp: "an agent over MCP", script: "a script" };
  return session === undefined ? names[surface] : `${names[surface]} (session ${session})`;
}
