import { z } from "zod";
import { describeRecipe, type RecipeDescription } from "../engine/recipes/describe_recipe.ts";
import { defineOperation, type Operation } from "./define.ts";
import { recipeProblems, recipeRow } from "./recipe_shapes.ts";
import { jsonObject } from "./shapes.ts";

/** Shows one recipe. */
export const recipeShow: Operation<{ name: string }, RecipeDescription> = defineOperation({
  id: "recipe.show",
  summary: "Show a recipe: its parameters, the tools it calls, its source, and what is wrong with it.",
  examples: [{ command: "mcpx recipes show remember_folder", note: "one that comes with mcpx" }],
  effect: "read",
  http: { method: "GET", path: "/v1/recipes/{name}" },
  input: z.strictObject({ name: z.string().describe("The recipe's name.") }),
  output: z.object({
    ...recipeRow,
    description: z.string(),
    inputSchema: jsonObject,
    tools: z.array(z.string()),
    problems: recipeProblems,
    source: z.string(),
  }),
  cli: {
    commands: [{ words: ["recipes", "show"], positional: ["name"] }],
    fields: { name: { completion: "recipe" } },
    render: "text:source",
  },
  settings: ["recipes.toolBudget", "serve.nameLimit"],
  errors: ["unknown-script", "unknown-recipe", "invalid-input"],
  streams: false,
  run: (input, { engine, caller }) => describeRecipe(engine, input.name, caller),
});
