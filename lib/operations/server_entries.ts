import { z } from "zod";
import { listEntries, type ServerEntry } from "../engine/edit_configuration.ts";
import { defineOperation, type Operation } from "./define.ts";

/** Lists the entries of the configuration. */
export const serverEntries: Operation<Record<never, never>, { servers: ServerEntry[] }> = defineOperation({
  id: "server.entries",
  summary: "List the configured servers: what each runs, and the file that says so.",
  description: "`mcpx ls` shows what they offer; this shows where they are written. Secrets are not shown.",
  examples: [{ command: "mcpx servers list", note: "every entry" }],
  effect: "read",
  http: { method: "GET", path: "/v1/config/servers" },
  input: z.strictObject({}),
  output: z.object({
    servers: z.array(z.object({
      name: z.string(),
      namespace: z.string(),
      target: z.string(),
      file: z.string(),
      disabled: z.boolean(),
      error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
    })),
  }),
  cli: { commands: [{ words: ["servers", "list"] }], render: "table:servers:name,target,file,error!" },
  settings: [],
  errors: ["invalid-config"],
  streams: false,
  run: (_input, { engine }) => Promise.resolve({ servers: listEntries(engine) }),
});
