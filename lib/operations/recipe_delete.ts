import { z } from "zod";
import { deleteRecipe } from "../engine/recipes/edit_recipe.ts";
import { defineOperation, type Operation } from "./define.ts";

/** Deletes a recipe. */
export const recipeDelete: Operation<{ name: string }, { deleted: string; notes: string[] }> =
  defineOperation({
    id: "recipe.delete",
    summary: "Delete the nearest recipe or script of that name.",
    examples: [{ command: "mcpx recipes delete close-stale", note: "its file is removed" }],
    effect: "destructive",
    http: { method: "DELETE", path: "/v1/recipes/{name}" },
    input: z.strictObject({ name: z.string().describe("The recipe's name.") }),
    output: z.object({ deleted: z.string(), notes: z.array(z.string()) }),
    cli: {
      commands: [{ words: ["recipes", "delete"], positional: ["name"] }],
      fields: { name: { completion: "recipe" } },
      render: "text:deleted",
    },
    settings: [],
    errors: ["unknown-script", "invalid-input", "forbidden", "state-unwritable"],
    streams: false,
    run: (input, { engine, caller }) => deleteRecipe(engine, input.name, caller),
  });
