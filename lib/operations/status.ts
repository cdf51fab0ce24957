import { z } from "zod";
import type { EngineStatus } from "../engine/engine_options.ts";
import { defineOperation, type Operation } from "./define.ts";
import { jsonObject } from "./shapes.ts";

/** Shows the live daemon. */
export const status: Operation<Record<never, never>, EngineStatus> = defineOperation({
  id: "status",
  summary: "Show the daemon, its instances and what failed.",
  examples: [{ command: "mcpx status", note: "this project's daemon" }],
  effect: "read",
  http: { method: "GET", path: "/v1/status" },
  input: z.strictObject({}),
  output: z.object({
    version: z.string(),
    pid: z.number(),
    startedAt: z.string(),
    uptimeMs: z.number(),
    socket: z.string().optional(),
    url: z.string().optional(),
    configFiles: z.array(z.string()),
    memoryBytes: z.number(),
    active: z.number(),
    instances: z.array(jsonObject),
    failures: z.array(jsonObject),
    notes: z.array(z.string()),
    sandbox: z.object({
      isolation: z.string(),
      running: z.number(),
      queued: z.number(),
      idle: z.number(),
    }).optional(),
  }) as unknown as z.ZodType<EngineStatus>,
  cli: { commands: [{ words: ["status"], rank: 60 }], render: "status", daemon: "existing" },
  settings: [],
  errors: [],
  streams: false,
  run: (_input, { engine }) => Promise.resolve(engine.status()),
});
