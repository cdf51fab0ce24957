import type { JsonObject } from "../schema/types.ts";
import { parameterProblem } from "./parameter_value.ts";
import { parameterSchema } from "./recipe_schema.ts";
import type { Recipe, RecipeParameter } from "./types.ts";

/** One form for everything that a recipe was not given. */
export interface MissingForm {
  message: string;
  /** A flat schema of primitive fields, as forms of MCP have them. */
  schema: JsonObject;
}

/**
 * Writes the form for a recipe's missing parameters. A list, an object or any JSON value is asked for as JSON text, since a form
 * has only plain fields.
 */
export function missingForm(
  recipe: Pick<Recipe, "name" | "summary">,
  missing: readonly RecipeParameter[],
): MissingForm {
  const fields = missing.map((parameter) => [parameter.name, formField(parameter)] as const);
  const about = recipe.summary === "" ? "" : ` ${recipe.summary}`;
  return {
    message: `The recipe ${recipe.name} needs ${missing.map(({ name }) => name).join(", ")}.${about}`,
    schema: {
      type: "object",
      properties: Object.fromEntries(fields),
      required: missing.map(({ name }) => name),
    },
  };
}

function formField(parameter: RecipeParameter): JsonObject {
  if (!isText(parameter)) return { title: parameter.name, ...parameterSchema(parameter) };
  const description = parameter.description === "" ? "As JSON." : `${parameter.description}, as JSON`;
  return { title: parameter.name, type: "string", description };
}

/** Whether the parameter is asked for as JSON text. */
function isText({ type }: RecipeParameter): boolean {
  return type === "array" || type === "object" || type === "json";
}

/**
 * Reads the answer to a form: only what was asked for, each as its type wants it.
 *
 * @param missing what was asked for
 * @param content what was answered
 * @returns the values, or what is wrong with the answer
 */
export function readForm(
  missing: readonly RecipeParameter[],
  content: JsonObject,
): { values: JsonObject } | { problem: string } {
  const values: JsonObject = {};
  const asked = new Map(missing.map((parameter) => [parameter.name, parameter]));
  for (const name of Object.keys(content)) {
    if (!asked.has(name)) return { problem: `${name} was not asked for` };
  }
  for (const parameter of missing) {
    const { name } = parameter;
    if (!Object.hasOwn(content, name)) return { problem: `${name} is missing` };
    const value = isText(parameter) ? fromText(content[name]) : content[name];
    const problem = parameterProblem(parameter, value);
    if (problem !== undefined) return { problem: `${name}: ${problem}` };
    values[name] = value;
  }
  return { values };
}

/** Text that is no JSON stays a string, which fits where any JSON value does. */
function fromText(answered: unknown): unknown {
  if (typeof answered !== "string") return answered;
  try {
    return JSON.parse(answered);
  } catch {
    return answered;
  }
}

/**
 * The command that runs the recipe, with what was given and a place for each missing value.
 *
 * @param given the values that the caller gave, defaults left out
 */
export function missingCommand(
  recipe: Pick<Recipe, "name">,
  missing: readonly RecipeParameter[],
  given: JsonObject = {},
): string {
  const words = Object.entries(given).map(([name, value]) =>
    `${name}=${quoteWord(typeof value === "string" ? value : JSON.stringify(value))}`
  );
  const holes = missing.map(({ name, type, values }) =>
    `${name}='<${type === "enum" ? (values ?? []).join("|") : type}>'`
  );
  return ["mcpx recipes run", recipe.name, ...words, ...holes].join(" ");
}

/** A word as a shell reads it back. */
function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
