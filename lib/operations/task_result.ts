import { z } from "zod";
import { defineOperation, type Operation } from "./define.ts";
import { taskId } from "./question_shapes.ts";

/** Collects the result of a task. */
export const taskResult: Operation<{ id: string }, unknown> = defineOperation({
  id: "task.result",
  summary: "Wait for a task and give its result, as the call or run would have given it.",
  description:
    "While the task waits for an answer that cannot be given here, the question comes back instead, with exit 75. " +
    "A task that failed fails here in the same way. Over MCP a session collects the results of the tasks that it began.",
  examples: [{ command: "mcpx task result tsk-7h2kq9m3xw", note: "by its id" }],
  effect: "read",
  http: { method: "GET", path: "/v1/tasks/{id}/result" },
  input: z.strictObject({ id: taskId }),
  output: z.unknown(),
  cli: {
    commands: [{ words: ["task", "result"], positional: ["id"], rank: 58 }],
    fields: { id: { completion: "task" } },
    render: "run",
  },
  settings: ["task.ttl", "exec.maxWait"],
  errors: ["unknown-task", "waiting-input", "task-lost", "cancelled"],
  streams: true,
  run: ({ id }, { engine, caller }) => engine.tasks.result(id, caller),
});
