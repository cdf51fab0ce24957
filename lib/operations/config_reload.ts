import { z } from "zod";
import { defineOperation, type Operation } from "./define.ts";

/** Reads the configuration again. */
export const configReload: Operation<Record<never, never>, { reloaded: boolean; servers: number }> =
  defineOperation({
    id: "config.reload",
    summary: "Read the configuration files again now.",
    description:
      "A daemon does this by itself when a file changes. Servers whose definition did not change keep their instances.",
    examples: [{ command: "mcpx reload", note: "after an edit" }],
    effect: "write",
    http: { method: "POST", path: "/v1/reload" },
    input: z.strictObject({}),
    output: z.object({ reloaded: z.boolean(), servers: z.number() }),
    cli: { commands: [{ words: ["reload"] }], render: "fields" },
    settings: ["config.trust"],
    errors: ["invalid-config"],
    streams: false,
    run: async (_input, { engine }) => {
      await engine.reload();
      return { reloaded: true, servers: engine.configuration.servers.length };
    },
  });
