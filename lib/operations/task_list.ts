import { z } from "zod";
import type { TaskRecord } from "../store/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { taskShape, unkeptNotes } from "./question_shapes.ts";

const STATES = ["working", "input_required", "completed", "failed", "cancelled"] as const;

/** Lists tasks. */
export const taskList: Operation<
  { state?: (typeof STATES)[number] | undefined; limit?: number | undefined },
  { tasks: TaskRecord[]; notes?: string[] | undefined }
> = defineOperation({
  id: "task.list",
  summary: "List tasks: calls and runs that go on, or went on, without their caller.",
  description: "At a command line and over HTTP all are listed, over MCP those that the session began.",
  examples: [{ command: "mcpx task list", note: "newest first" }, {
    command: "mcpx task list --state input_required",
    note: "those that wait for an answer",
  }],
  effect: "read",
  http: { method: "GET", path: "/v1/tasks" },
  input: z.strictObject({
    state: z.enum(STATES).optional().describe("Only tasks in this state."),
    limit: z.int().min(1).max(10_000).optional().describe("The newest so many; default 100."),
  }),
  output: z.object({ tasks: z.array(taskShape), notes: z.array(z.string()).optional() }),
  cli: {
    commands: [{ words: ["task", "list"], rank: 57 }],
    render: "table:tasks:id,title,state,questions,createdAt,status",
  },
  settings: ["task.ttl"],
  errors: ["invalid-input"],
  streams: false,
  run: async ({ state, limit }, { engine, caller }) => {
    const states = state ? [state] : undefined;
    const tasks = await engine.tasks.list({ states, limit: limit ?? 100 }, caller);
    return { tasks, ...unkeptNotes("Tasks", engine.tasks.unkept) };
  },
});
