import { z } from "zod";
import type { TaskRecord } from "../store/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { taskId, taskShape } from "./question_shapes.ts";

/** Shows one task. */
export const taskGet: Operation<{ id: string }, { task: TaskRecord; result?: unknown }> = defineOperation({
  id: "task.get",
  summary: "Show where a task stands, and what it gave once it is done.",
  description: "Over MCP a session is shown the tasks that it began.",
  examples: [{ command: "mcpx task get tsk-7h2kq9m3xw", note: "by its id" }],
  effect: "read",
  http: { method: "GET", path: "/v1/tasks/{id}" },
  input: z.strictObject({ id: taskId }),
  output: z.object({
    task: taskShape,
    result: z.unknown().optional().describe("What the call or run gave, of a task that has completed."),
  }),
  cli: {
    commands: [{ words: ["task", "get"], positional: ["id"] }],
    fields: { id: { completion: "task" } },
    render: "fields:task",
  },
  settings: ["task.ttl"],
  errors: ["unknown-task"],
  streams: false,
  run: async ({ id }, { engine, caller }) => {
    const task = await engine.tasks.get(id, caller);
    return { task, ...(task.state === "completed" ? { result: await engine.tasks.result(id, caller) } : {}) };
  },
});
