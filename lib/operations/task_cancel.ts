import { z } from "zod";
import type { TaskRecord } from "../store/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { taskId, taskShape } from "./question_shapes.ts";

/** Cancels a task. */
export const taskCancel: Operation<{ id: string }, { task: TaskRecord }> = defineOperation({
  id: "task.cancel",
  summary: "Cancel a task: its call is cancelled at the server, its questions are closed.",
  description: "A task that has ended is given as it is. Over MCP a session cancels the tasks that it began.",
  examples: [{ command: "mcpx task cancel tsk-7h2kq9m3xw", note: "by its id" }],
  effect: "destructive",
  http: { method: "POST", path: "/v1/tasks/{id}/cancel" },
  input: z.strictObject({ id: taskId }),
  output: z.object({ task: taskShape }),
  cli: {
    commands: [{ words: ["task", "cancel"], positional: ["id"] }],
    fields: { id: { completion: "task" } },
    render: "fields:task",
  },
  settings: [],
  errors: ["unknown-task"],
  streams: false,
  run: async ({ id }, { engine, caller }) => ({ task: await engine.tasks.cancel(id, caller) }),
});
