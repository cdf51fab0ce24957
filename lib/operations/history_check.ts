import { z } from "zod";
import { checkCatalog, type CheckDocument } from "../engine/schema_history.ts";
import { defineOperation, type Operation } from "./define.ts";
import { recordedChange, serverProblems } from "./shapes.ts";

/** Compares the tools with the lock file. */
export const historyCheck: Operation<Record<never, never>, CheckDocument> = defineOperation({
  id: "history.check",
  summary: "Compare every tool with mcpx.lock.json; exits 1 where a change breaks callers or should be read.",
  examples: [{ command: "mcpx history check", note: "in CI" }],
  effect: "read",
  http: { method: "POST", path: "/v1/catalog/check" },
  input: z.strictObject({}),
  output: z.object({
    exitCode: z.number(),
    file: z.string(),
    changes: z.array(recordedChange),
    problems: serverProblems,
  }),
  cli: {
    commands: [{ words: ["history", "check"] }],
    render: "table:changes:server,tool,verdict,what,flags",
  },
  settings: ["pool.startTimeout"],
  errors: ["invalid-input"],
  streams: true,
  run: (_input, { engine, caller }) => checkCatalog(engine, caller),
});
