import { z } from "zod";
import { emitCatalogTypes } from "../engine/list_tools.ts";
import type { ServerProblem } from "../engine/summaries.ts";
import { defineOperation, type Operation } from "./define.ts";
import { cachedField, serverProblems } from "./shapes.ts";

/** Prints the TypeScript declarations of the tools. */
export const types: Operation<
  { namespace?: string | undefined; cached?: boolean | undefined },
  { types: string; problems: ServerProblem[] }
> = defineOperation({
  id: "types",
  summary: "Print the tools as TypeScript declarations.",
  examples: [
    { command: "mcpx types everything", note: "one server" },
    { command: "mcpx types > tools.d.ts", note: "all, for an editor" },
  ],
  effect: "read",
  http: { method: "GET", path: "/v1/types" },
  input: z.strictObject({
    namespace: z.string().optional().describe("A namespace or a server's name; default all."),
    cached: cachedField,
  }),
  output: z.object({ types: z.string(), problems: serverProblems }),
  cli: {
    commands: [{ words: ["types"], positional: ["namespace"], rank: 25 }],
    fields: { namespace: { completion: "namespace" } },
    render: "text:types",
  },
  settings: ["servers.groups", "pool.startTimeout"],
  errors: ["unknown-server"],
  streams: true,
  run: (input, { engine, caller }) => emitCatalogTypes(engine, caller, input),
});
