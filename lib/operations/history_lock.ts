import { z } from "zod";
import { lockCatalog } from "../engine/schema_history.ts";
import { defineOperation, type Operation } from "./define.ts";

/** Writes the shapes of every tool into a lock file. */
export const historyLock: Operation<Record<never, never>, { file: string; servers: number; tools: number }> =
  defineOperation({
    id: "history.lock",
    summary: "Write the shape of every tool into mcpx.lock.json, beside the nearest configuration.",
    examples: [{ command: "mcpx history lock", note: "to be committed" }],
    effect: "write",
    http: { method: "POST", path: "/v1/catalog/lock" },
    input: z.strictObject({}),
    output: z.object({ file: z.string(), servers: z.number(), tools: z.number() }),
    cli: { commands: [{ words: ["history", "lock"] }], render: "fields" },
    settings: ["servers.groups"],
    errors: ["server-config", "state-unwritable"],
    streams: true,
    run: (_input, { engine, caller }) => lockCatalog(engine, caller),
  });
