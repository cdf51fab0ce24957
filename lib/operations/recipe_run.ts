import { z } from "zod";
import { runRecipe } from "../engine/recipes/run_recipe.ts";
import { defineOperation, type Operation } from "./define.ts";
import { exec, type ExecOutput } from "./exec.ts";
import { autonomyField, autonomyFields, recipeArgsField } from "./recipe_shapes.ts";
import { runDocumentFields } from "./run_document.ts";
import { runFields, type RunInput } from "./run_fields.ts";
import { textArgumentsField } from "./shapes.ts";

/** What a recipe is run with. */
export interface RecipeRunInput extends RunInput {
  name: string;
  args?: Record<string, unknown> | undefined;
  textArguments?: [string, string][] | undefined;
  autonomy?: "propose" | "run" | undefined;
}

/** Runs a recipe. */
export const recipeRun: Operation<RecipeRunInput, ExecOutput> = defineOperation({
  id: "recipe.run",
  summary: "Run a recipe with its parameters.",
  description:
    "The values are put in as JSON, so none of them can change what the script does. What is missing is asked for in one form. " +
    "Above autonomy.max the rendered script is given instead, with exit 1.",
  examples: [
    { command: "mcpx recipes run remember_folder folder=.", note: "key=value" },
    {
      command: `mcpx recipes run remember_folder '{"folder":"."}' --autonomy propose`,
      note: "the script alone",
    },
  ],
  effect: "destructive",
  http: { method: "POST", path: "/v1/recipes/{name}/run" },
  input: z.strictObject({
    name: z.string().describe("The recipe's name."),
    args: recipeArgsField,
    textArguments: textArgumentsField,
    autonomy: autonomyField,
    ...runFields,
  }),
  output: z.object({ ...runDocumentFields, ...autonomyFields }),
  cli: {
    commands: [{ words: ["recipes", "run"], positional: ["name", "args"], rest: true, rank: 51 }],
    fields: {
      name: { completion: "recipe" },
      args: { pairs: true, reads: "stdin", completion: "argument" },
      textArguments: { hidden: true },
    },
    render: "run",
  },
  settings: exec.settings,
  errors: [...exec.errors, "unknown-recipe"],
  streams: true,
  task: ({ name }) => `recipe ${name}`,
  run: ({ args, ...input }, { engine, caller }) => runRecipe(engine, { ...input, values: args }, caller),
});
