import { isObject } from "../../../lib/json/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";

/** Keywords that tell a model nothing: every JSON object has string keys, and no integer is larger than that. */
const NOISE: Readonly<Record<string, (value: unknown) => boolean>> = {
  propertyNames: () => true,
  additionalProperties: (value) => isObject(value) && Object.keys(value).length === 0,
  maximum: (value) => value === Number.MAX_SAFE_INTEGER,
  minimum: (value) => value === Number.MIN_SAFE_INTEGER,
  minLength: (value) => value === 1,
};

/** A schema without what tells a model nothing; it takes what it took before. */
export function withoutNoise(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNoise);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => !NOISE[keyword]?.(value))
      .map(([keyword, value]) => [keyword, withoutNoise(value)]),
  );
}

/**
 * The outline of an output schema: the members and their types, and nothing below them.
 *
 * A model reads the answer itself; what a list of tools costs it is paid in every conversation. The whole schemas are in the
 * OpenAPI document.
 */
export function outlineOf(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isObject(properties)) return { type: "object" };
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        isObject(property) && property.type !== undefined ? { type: property.type } : {},
      ]),
    ),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
  };
}
