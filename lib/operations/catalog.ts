import { z } from "zod";
import { catalogText } from "../engine/list_tools.ts";
import type { ServerProblem } from "../engine/summaries.ts";
import { defineOperation, type Operation } from "./define.ts";
import { cachedField, serverProblems } from "./shapes.ts";

/** Prints the whole catalog within a budget of tokens. */
export const catalog: Operation<
  { budget?: number | undefined; cached?: boolean | undefined },
  { catalog: string; problems: ServerProblem[] }
> = defineOperation({
  id: "catalog",
  summary: "Print as much of the catalog as fits a number of tokens.",
  description:
    "The most useful tools come first; the last lines say what was left out, how many recipes there " +
    "are, and why some of them are no MCP tools. A token is four bytes.",
  examples: [{ command: "mcpx catalog --budget 800", note: "for a model's context" }],
  effect: "read",
  http: { method: "GET", path: "/v1/catalog" },
  input: z.strictObject({
    budget: z.int().min(1).optional().describe("How many tokens; default catalog.budget."),
    cached: cachedField,
  }),
  output: z.object({ catalog: z.string(), problems: serverProblems }),
  cli: { commands: [{ words: ["catalog"], rank: 27 }], render: "text:catalog" },
  settings: [
    "catalog.budget",
    "recipes.toolBudget",
    "serve.nameLimit",
    "servers.groups",
    "pool.startTimeout",
  ],
  errors: ["invalid-input"],
  streams: true,
  run: (input, { engine, caller }) => catalogText(engine, caller, input),
});
