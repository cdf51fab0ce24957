import { z } from "zod";
import { describeRecipes, type RecipeRow } from "../engine/recipes/describe_recipe.ts";
import { defineOperation, type Operation } from "./define.ts";
import { recipeRow } from "./recipe_shapes.ts";

/** Lists the recipes on the search path. */
export const recipeList: Operation<Record<never, never>, { recipes: RecipeRow[]; notes: string[] }> =
  defineOperation({
    id: "recipe.list",
    summary: "List the recipes on the search path.",
    description:
      "A recipe is a script whose header declares its parameters: `// @param name:type = default   what it is`.",
    examples: [{
      command: "mcpx recipes list",
      note: "the project's, the user's, and those that come with mcpx",
    }],
    effect: "read",
    http: { method: "GET", path: "/v1/recipes" },
    input: z.strictObject({}),
    output: z.object({ recipes: z.array(z.object(recipeRow)), notes: z.array(z.string()) }),
    cli: {
      commands: [{ words: ["recipes", "list"], rank: 52 }],
      render: "table:recipes:name,summary,parameters,origin",
    },
    settings: ["recipes.toolBudget", "serve.nameLimit"],
    errors: [],
    streams: false,
    run: (_input, { engine, caller }) => describeRecipes(engine, caller),
  });
