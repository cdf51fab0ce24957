import { z } from "zod";
import type { TaskRecord } from "../store/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { taskShape } from "./question_shapes.ts";

const STATES = ["working", "input_required", "completed", "failed", "cancelled"] as const;

/** Lists tasks. */
export const taskList: Operation<
  { state?: (typeof STATES)[number] | undefined; limit?: number | undefined },
  { tasks: TaskRecord[] }
> = defineOperation({
  id: "task.list",
  summary: "List tasks: calls and runs that go on, or went on, without their caller.",
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
  output: z.object({ tasks: z.array(taskShape) }),
  cli: {
    commands: [{ words: ["task", "list"], rank: 57 }],
    render: "table:tasks:id,title,state,questions,createdAt,status",
  },
  settings: ["task.ttl"],
  errors: ["invalid-input"],
  streams: false,
  run: async ({ state, limit }, { engine, caller }) => {
    const tasks = await engine.tasks.list({ states: state ? [state] : undefined, limit: limit ?? 100 });
    // An agent sees what its own session's calls have become.
    return {
      tasks: caller.surface === "mcp"
        ? tasks.filter(({ session }) => session === caller.identity.session)
        : tasks,
    };
  },
});
