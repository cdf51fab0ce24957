import { z } from "zod";
import { searchCatalog } from "../engine/list_tools.ts";
import type { ServerProblem, ToolSummary } from "../engine/summaries.ts";
import { defineOperation, type Operation } from "./define.ts";
import { cachedField, serverProblems, toolSummary } from "./shapes.ts";

/** Finds tools by words. */
export const search: Operation<
  { query: string; limit?: number | undefined; cached?: boolean | undefined },
  { tools: (ToolSummary & { score: number })[]; problems: ServerProblem[] }
> = defineOperation({
  id: "search",
  summary: "Find tools by what they do.",
  examples: [{ command: "mcpx search read a file", note: "the best matches first" }],
  effect: "read",
  http: { method: "GET", path: "/v1/search" },
  input: z.strictObject({
    query: z.string().min(1).describe("What the tool should do, in words."),
    limit: z.int().min(1).optional().describe("How many tools; default search.limit."),
    cached: cachedField,
  }),
  output: z.object({
    tools: z.array(toolSummary.and(z.object({ score: z.number() }))),
    problems: serverProblems,
  }),
  cli: {
    commands: [{ words: ["search"], positional: ["query"], rest: true, rank: 20 }],
    fields: { limit: { short: "n" } },
    render: "table:tools:name,signature+,description~",
  },
  settings: ["search.limit", "servers.groups", "pool.startTimeout"],
  errors: ["invalid-input"],
  streams: true,
  run: (input, { engine, caller }) => searchCatalog(engine, caller, input),
});
