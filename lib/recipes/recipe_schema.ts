import type { JsonObject } from "../schema/types.ts";
import type { Recipe, RecipeParameter } from "./types.ts";

/**
 * A recipe's parameters as the JSON Schema of its MCP tool, and of its `key=value` words.
 *
 * @example
 * ```ts
 * import { recipeSchema } from "./recipe_schema.ts";
 * const schema = recipeSchema({ parameters: [{ name: "n", type: "integer", description: "how many", line: 1 }] });
 * console.assert(JSON.stringify(schema.required) === '["n"]');
 * ```
 */
export function recipeSchema({ parameters }: Pick<Recipe, "parameters">): JsonObject {
  const required = parameters.filter((parameter) => parameter.default === undefined).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      parameters.map((parameter) => [parameter.name, parameterSchema(parameter)]),
    ),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** One parameter as a schema. */
export function parameterSchema(parameter: RecipeParameter): JsonObject {
  const { type, values, description } = parameter;
  return {
    ...(type === "json" ? {} : { type: type === "enum" ? "string" : type }),
    ...(type === "enum" ? { enum: [...(values ?? [])] } : {}),
    ...(description === "" ? {} : { description }),
    ...(parameter.default === undefined ? {} : { default: parameter.default.value }),
  };
}
