import { z } from "zod";
import { type IntentDocument, runIntent } from "../engine/recipes/run_intent.ts";
import { defineOperation, type Operation } from "./define.ts";
import { exec } from "./exec.ts";
import { autonomyField, autonomyFields, candidate, recipeArgsField } from "./recipe_shapes.ts";
import { runDocumentFields } from "./run_document.ts";
import { textArgumentsField } from "./shapes.ts";

/** What a request in words is asked with. */
export interface IntentInput {
  request: string;
  args?: Record<string, unknown> | undefined;
  textArguments?: [string, string][] | undefined;
  autonomy?: "propose" | "run" | undefined;
  run?: boolean | undefined;
  limit?: number | undefined;
}

/** Takes a request in words to a saved script. */
export const intent: Operation<IntentInput, IntentDocument> = defineOperation({
  id: "intent",
  summary: "Take a request in words to the saved script that does it.",
  description:
    "Recipes are matched first, without a model; only where none fits, and prompt.sample says so, is a model asked to write a " +
    "script. The script is checked and shown; it is run only where that is asked for and autonomy.max allows it. " +
    "Exit 1 where nothing fits.",
  examples: [
    { command: `mcpx prompt "remember the files of a folder" folder=.`, note: "shows the script" },
    { command: `mcpx prompt remember the files of a folder folder=. --run`, note: "runs it" },
  ],
  effect: "destructive",
  http: { method: "POST", path: "/v1/intent" },
  input: z.strictObject({
    request: z.string().min(1).describe("What is wanted, in words."),
    args: recipeArgsField,
    textArguments: textArgumentsField,
    autonomy: autonomyField,
    run: z.boolean().optional().describe("Run the script: the same as autonomy `run`."),
    limit: z.int().min(1).optional().describe("How many candidates; default recipes.limit."),
  }),
  output: z.object({
    ...runDocumentFields,
    ...autonomyFields,
    outcome: z.enum(["ran", "proposed", "advised", "unmatched"]),
    message: z.string(),
    candidates: z.array(candidate),
    generated: z.literal(true).optional().describe("A model wrote the script."),
  }),
  cli: {
    commands: [{ words: ["prompt"], positional: ["request", "args"], rest: true, rank: 45 }],
    fields: {
      request: { words: true },
      args: { pairs: true, reads: "stdin" },
      textArguments: { hidden: true },
      autonomy: { conflicts: ["run"] },
      limit: { short: "n" },
    },
    render: "run",
  },
  settings: [
    ...exec.settings,
    "prompt.autonomy",
    "prompt.sample",
    "prompt.catalogBudget",
    "recipes.minScore",
    "recipes.matchMargin",
    "recipes.limit",
    "model.provider",
    "model.baseUrl",
    "model.name",
    "model.apiKey",
    "model.timeout",
    "model.maxTokens",
  ],
  errors: exec.errors,
  streams: true,
  task: ({ request }) => `intent ${request.slice(0, 60)}`,
  run: ({ args, ...input }, { engine, caller }) => runIntent(engine, { ...input, values: args }, caller),
});
