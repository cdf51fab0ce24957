import { nearest } from "../catalog/nearest.ts";
import { McpxError } from "../errors/mod.ts";
import { coerceArguments } from "../schema/coerce_arguments.ts";
import type { JsonObject } from "../schema/types.ts";
import { parameterProblem } from "./parameter_value.ts";
import { recipeSchema } from "./recipe_schema.ts";
import type { Recipe, RecipeParameter } from "./types.ts";

/** What a recipe was given, as values or as words of a command line. */
export interface GivenValues {
  /** Values as JSON has them. */
  values?: JsonObject | undefined;
  /** Values as words of a command line, still to be read by their types. */
  text?: readonly (readonly [string, string])[] | undefined;
}

/** A recipe's values, defaults included, and what is still missing. */
export interface RecipeValues {
  /** The values by name, defaults included. */
  values: JsonObject;
  /** The parameters that still need one. */
  missing: RecipeParameter[];
}

/**
 * Reads what a recipe was given; nothing is dropped.
 *
 * @param recipe the recipe
 * @param given values, or `key=value` words that the header's types turn into values
 * @throws {McpxError} `invalid-input` for a name that is not declared, with the nearest, and for a value that does not fit
 *
 * @example
 * ```ts
 * import { readValues } from "./read_values.ts";
 * const parameters = [{ name: "n", type: "integer", description: "", line: 1 }] as const;
 * const { values, missing } = readValues({ name: "hi", parameters }, { text: [["n", "3"]] });
 * console.assert(values.n === 3 && missing.length === 0);
 * ```
 */
export function readValues(recipe: Pick<Recipe, "name" | "parameters">, given: GivenValues): RecipeValues {
  const { parameters } = recipe;
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  for (const [key] of given.text ?? []) {
    const root = known.has(key) ? key : key.split(".")[0] ?? key;
    if (!known.has(root)) throw undeclared(recipe, root);
  }
  const written = given.text ? coerceArguments(recipeSchema(recipe), given.text) : {};
  const all = new Map<string, unknown>();
  for (const [name, value] of [...Object.entries(given.values ?? {}), ...Object.entries(written)]) {
    const parameter = known.get(name);
    if (parameter === undefined) throw undeclared(recipe, name);
    if (all.has(name)) throw refuse(recipe, name, "it is given twice");
    const problem = parameterProblem(parameter, value);
    if (problem !== undefined) throw refuse(recipe, name, problem);
    all.set(name, value);
  }
  const missing: RecipeParameter[] = [];
  const values: JsonObject = {};
  for (const parameter of parameters) {
    if (all.has(parameter.name)) values[parameter.name] = all.get(parameter.name);
    else if (parameter.default !== undefined) values[parameter.name] = parameter.default.value;
    else missing.push(parameter);
  }
  return { values, missing };
}

function undeclared({ name, parameters }: Pick<Recipe, "name" | "parameters">, key: string): McpxError {
  const names = parameters.map((parameter) => parameter.name);
  const near = nearest(key, names, 1)[0];
  return new McpxError("invalid-input", `Cannot run the recipe ${name}: it has no parameter ${key}.`, {
    hint: near !== undefined
      ? `Did you mean ${near}?`
      : names.length === 0
      ? "It takes no parameters."
      : `It takes: ${names.join(", ")}.`,
    data: { field: key, recipe: name },
  });
}

function refuse({ name }: Pick<Recipe, "name">, key: string, problem: string): McpxError {
  return new McpxError("invalid-input", `Cannot run the recipe ${name}: ${key} does not fit: ${problem}.`, {
    hint: `mcpx recipes show ${name}`,
    data: { field: key, recipe: name },
  });
}
