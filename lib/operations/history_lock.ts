import { z } from "zod";
import { lockCatalog, type LockDocument } from "../engine/schema_history.ts";
import { defineOperation, type Operation } from "./define.ts";
import { serverProblems } from "./shapes.ts";

/** Writes the shapes of every tool into a lock file. */
export const historyLock: Operation<Record<never, never>, LockDocument> = defineOperation({
  id: "history.lock",
  summary: "Write the shape of every tool into mcpx.lock.json, beside the nearest configuration.",
  examples: [{ command: "mcpx history lock", note: "to be committed" }],
  effect: "write",
  admin: "A lock says that somebody has looked at the tools as they are.",
  http: { method: "POST", path: "/v1/catalog/lock" },
  input: z.strictObject({}),
  output: z.object({
    file: z.string(),
    servers: z.number(),
    tools: z.number(),
    problems: serverProblems,
  }),
  cli: { commands: [{ words: ["history", "lock"] }], render: "fields" },
  settings: ["pool.startTimeout"],
  errors: ["forbidden", "state-unwritable"],
  streams: true,
  run: (_input, { engine, caller }) => lockCatalog(engine, caller),
});
