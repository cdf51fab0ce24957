import { z } from "zod";
import { defineOperation, type Operation } from "./define.ts";

/** Stops the instances of servers, so that the next call starts fresh ones. */
export const restart: Operation<{ namespace?: string | undefined }, { stopped: number }> = defineOperation({
  id: "restart",
  summary: "Stop the instances of one server, or of all; the next call starts fresh ones.",
  examples: [{ command: "mcpx restart everything", note: "one server" }],
  effect: "write",
  http: { method: "POST", path: "/v1/restart" },
  input: z.strictObject({
    namespace: z.string().optional().describe("A namespace or a server's name; default all."),
  }),
  output: z.object({ stopped: z.number() }),
  cli: {
    commands: [{ words: ["restart"], positional: ["namespace"] }],
    fields: { namespace: { completion: "namespace" } },
    render: "fields",
  },
  settings: ["pool.stopGrace"],
  errors: ["unknown-server"],
  streams: false,
  run: async (input, { engine }) => ({ stopped: await engine.restart(input.namespace) }),
});
