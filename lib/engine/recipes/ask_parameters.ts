import { recipeFormQuestion } from "../../elicit/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import {
  missingCommand,
  missingForm,
  readForm,
  type Recipe,
  type RecipeParameter,
  recipeSchema,
} from "../../recipes/mod.ts";
import { coerceArguments, type JsonObject } from "../../schema/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";

/** What a recipe still needs, and what it was given. */
export interface Missing {
  recipe: Recipe;
  missing: readonly RecipeParameter[];
  /** What the caller itself gave. */
  given: { values?: JsonObject | undefined; textArguments?: readonly [string, string][] | undefined };
}

/**
 * Asks for everything that a recipe was not given, in one form with one deadline. A caller that nobody can be asked at is told
 * `waiting-input`, and the run goes on as a task.
 *
 * @returns the values that were asked for, and no others
 * @throws {McpxError} `waiting-input` with the command that fills them in, where no answer came
 */
export async function askParameters(engine: Engine, asked: Missing, caller: Caller): Promise<JsonObject> {
  const { recipe, missing } = asked;
  const { message, schema } = missingForm(recipe, missing);
  const deadlineMs = engine.settings.base.get("elicit.askTimeout");
  const draft = { ...recipeFormQuestion({ recipe: recipe.name, schema, deadlineMs }), message };
  const answer = await engine.broker.ask(draft, caller);
  if (caller.signal.aborted) throw McpxError.from(caller.signal.reason);
  if (answer.action !== "accept") throw missingError(asked, message, schema);
  const read = readForm(missing, answer.content ?? {});
  if ("values" in read) return read.values;
  throw new McpxError("invalid-input", `Cannot run the recipe ${recipe.name}: ${read.problem}.`, {
    hint: commandFor(asked),
    data: { recipe: recipe.name },
  });
}

function missingError(asked: Missing, message: string, schema: JsonObject): McpxError {
  const { recipe, missing } = asked;
  const command = commandFor(asked);
  return new McpxError(
    "waiting-input",
    `Cannot run the recipe ${recipe.name} yet: nobody answered. ${message}`,
    {
      hint: command,
      data: {
        recipe: recipe.name,
        missing: missing.map(({ name }) => name),
        question: { message, schema },
        answer: command,
      },
    },
  );
}

/** The command that says it all at once. */
function commandFor({ recipe, missing, given }: Missing): string {
  const { values, textArguments } = given;
  const written = textArguments ? coerceArguments(recipeSchema(recipe), textArguments) : {};
  return missingCommand(recipe, missing, { ...values, ...written });
}
