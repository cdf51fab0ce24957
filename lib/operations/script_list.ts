import { z } from "zod";
import { listNamedScripts, type NamedScript } from "../engine/scripts/list_named_scripts.ts";
import { defineOperation, type Operation } from "./define.ts";

/** Lists the scripts that `mcpx run` finds by name. */
export const scriptList: Operation<Record<string, never>, { scripts: NamedScript[]; notes: string[] }> =
  defineOperation({
    id: "script.list",
    summary: "List the scripts on the search path, nearest first; the ones with a header are recipes.",
    examples: [{ command: "mcpx scripts", note: "all that `mcpx run` finds by name" }],
    effect: "read",
    http: { method: "GET", path: "/v1/scripts" },
    input: z.strictObject({}) as unknown as z.ZodType<Record<string, never>>,
    output: z.object({
      scripts: z.array(
        z.object({ name: z.string(), summary: z.string(), path: z.string(), recipe: z.boolean() }),
      ),
      notes: z.array(z.string()),
    }),
    cli: {
      commands: [{ words: ["scripts"], rank: 52 }],
      render: "table:scripts:name,summary,path",
    },
    settings: [],
    errors: [],
    streams: false,
    run: (_input, { engine, caller }) => listNamedScripts(engine.scriptFolders(caller), engine.scriptRules),
  });
