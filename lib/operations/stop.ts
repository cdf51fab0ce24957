import { z } from "zod";
import { defineOperation, type Operation } from "./define.ts";

/** Stops the daemon. */
export const stop: Operation<{ drain?: boolean | undefined }, { stopping: boolean; pid: number }> =
  defineOperation({
    id: "stop",
    summary: "Stop the daemon and every server that it started.",
    description: "Calls in flight may finish within http.shutdownGrace, then they are cancelled.",
    examples: [{ command: "mcpx stop", note: "this project's daemon" }, {
      command: "mcpx stop --all",
      note: "every daemon",
    }],
    effect: "destructive",
    http: { method: "POST", path: "/v1/stop" },
    input: z.strictObject({
      drain: z.boolean().optional().describe("Let calls in flight finish, however long they take."),
    }),
    output: z.object({ stopping: z.boolean(), pid: z.number() }),
    cli: { commands: [{ words: ["stop"], rank: 70 }], render: "fields", daemon: "existing" },
    settings: ["http.shutdownGrace"],
    errors: ["forbidden"],
    streams: false,
    admin: "An agent must not be able to end the daemon that serves other callers.",
    run: (input, { engine }) => {
      engine.requestStop({ drain: input.drain ?? false });
      return Promise.resolve({ stopping: true, pid: Deno.pid });
    },
  });
