import { z } from "zod";
import type { Question } from "../elicit/mod.ts";
import type { TaskRecord } from "../store/mod.ts";
import { jsonObject } from "./shapes.ts";

const answer = z.discriminatedUnion("action", [
  z.object({ action: z.literal("accept"), content: jsonObject.optional() }),
  z.object({ action: z.literal("decline") }),
  z.object({ action: z.literal("cancel") }),
]);

const questionFields = {
  id: z.string(),
  kind: z.enum(["elicitation", "url", "sampling", "disambiguation", "confirmation", "recipe-form"]),
  server: z.string().optional(),
  tool: z.string().optional(),
  trace: z.string().optional(),
  session: z.string().optional(),
  task: z.string().optional(),
  message: z.string(),
  schema: jsonObject.optional(),
  url: z.string().optional(),
  warning: z.string().optional(),
  sampling: jsonObject.optional(),
  audience: z.enum(["human", "agent"]),
  reason: z.string(),
  default: answer.optional(),
  createdAt: z.string(),
  expiresAt: z.string(),
  state: z.enum(["pending", "accepted", "declined", "cancelled", "expired"]),
  answeredBy: z.string().optional(),
  settledAt: z.string().optional(),
};

/** The schema of a {@link Question}. */
export const questionShape: z.ZodType<Question> = z.object({
  ...questionFields,
  answer: answer.optional(),
}) as z.ZodType<
  Question
>;

/** A question in a list: with the command that answers it, without what was answered. */
export interface ListedQuestion extends Omit<Question, "answer" | "sampling"> {
  /** The command that answers it, where it is open. */
  command?: string;
}

/** The schema of a {@link ListedQuestion}. */
export const listedQuestion: z.ZodType<ListedQuestion> = z.object({
  ...questionFields,
  sampling: z.undefined().optional(),
  command: z.string().optional(),
}) as z.ZodType<ListedQuestion>;

/** The schema of a {@link TaskRecord}. */
export const taskShape: z.ZodType<TaskRecord> = z.object({
  id: z.string(),
  title: z.string(),
  state: z.enum(["working", "input_required", "completed", "failed", "cancelled"]),
  status: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  expiresAt: z.string().optional(),
  trace: z.string(),
  session: z.string().optional(),
  questions: z.array(z.string()),
  error: jsonObject.optional(),
  diagnostics: z.array(z.unknown()).readonly().optional(),
}) as unknown as z.ZodType<TaskRecord>;

/** Whether it runs without its caller from the start. */
export const backgroundField: z.ZodType<boolean | undefined> = z.boolean().optional()
  .describe("Run it as a task: the answer is the task, and mcpx task result collects the result.");

/** What a list says of itself while nothing of it can be written down. */
export function unkeptNotes(what: string, reason: string | undefined): { notes?: string[] } {
  return reason === undefined
    ? {}
    : { notes: [`${what} are held in memory alone, and end with the daemon. ${reason}`] };
}

/** The `id` of a question, in the path. */
export const questionId: z.ZodType<string> = z.string().min(1).describe("The question: elc-….");

/** The `id` of a task, in the path. */
export const taskId: z.ZodType<string> = z.string().min(1).describe("The task: tsk-….");
