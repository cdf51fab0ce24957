import { z } from "zod";
import type { ConfigSource } from "../config/mod.ts";
import { defineOperation, type Operation } from "./define.ts";

/** Shows where the configuration came from. */
export const configShow: Operation<Record<never, never>, { sources: ConfigSource[]; notes: string[] }> =
  defineOperation({
    id: "config",
    summary: "Show the configuration files, nearest first, and what each gave.",
    examples: [{ command: "mcpx config --sources", note: "the list of files" }],
    effect: "read",
    http: { method: "GET", path: "/v1/config" },
    input: z.strictObject({}),
    output: z.object({
      sources: z.array(z.object({
        path: z.string(),
        kind: z.enum(["project", "user", "system", "explicit"]),
        servers: z.array(z.string()),
        settings: z.array(z.string()),
        notes: z.array(z.string()),
      })),
      notes: z.array(z.string()),
    }),
    cli: { commands: [{ words: ["config"] }], render: "table:sources:path,kind,servers,settings,notes" },
    settings: ["config.trust"],
    errors: ["invalid-config"],
    streams: false,
    run: (_input, { engine }) =>
      Promise.resolve({ sources: engine.configuration.sources, notes: engine.configuration.notes }),
  });
