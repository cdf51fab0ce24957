import { McpxError } from "../../errors/mod.ts";
import { missingCommand, missingForm, type Recipe, type RecipeParameter } from "../../recipes/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";

/** What a recipe still needs, and what it was given. */
export interface Missing {
  recipe: Recipe;
  missing: readonly RecipeParameter[];
  /** Without defaults. */
  given: JsonObject;
}

/**
 * Asks for everything that a recipe was not given, in one form with one deadline.
 *
 * @returns the values that were asked for, and no others
 * @throws {McpxError} `waiting-input` with the command that answers, where nobody at hand can be asked
 */
export function askParameters(_engine: Engine, asked: Missing, _caller: Caller): Promise<JsonObject> {
  return Promise.reject(missingError(asked));
}

/** What a caller is told that cannot be asked: the form, and the command that answers it. */
export function missingError({ recipe, missing, given }: Missing): McpxError {
  const { message, schema } = missingForm(recipe, missing);
  const command = missingCommand(recipe, missing, given);
  return new McpxError("waiting-input", `Cannot run the recipe ${recipe.name} yet. ${message}`, {
    hint: command,
    data: {
      recipe: recipe.name,
      missing: missing.map(({ name }) => name),
      question: { message, schema },
      command,
    },
  });
}
