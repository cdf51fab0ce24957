import { isRawNumber } from "../json/mod.ts";
import type { JsonSchema, SchemaObject } from "./types.ts";

/** Keywords whose value is a schema, or a list of schemas in older drafts. */
const SINGLE = [
  "items",
  "additionalProperties",
  "additionalItems",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/** A schema inside another, with its place. */
export interface PlacedSchema {
  schema: JsonSchema;
  pointer: string;
  depth: number;
}

/** Whether `value` is a JSON object (a number kept as its digits is none). */
export function isObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** Whether `value` can be read as a schema at all. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "boolean" || isObject(value);
}

/** The value of `record`'s own member `key`. */
export function own(record: SchemaObject, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The member as a list; anything else is an empty one. */
export function listOf(record: SchemaObject, key: string): readonly unknown[] {
  const value = own(record, key);
  return Array.isArray(value) ? value : [];
}

/** The member's entries where it is an object; anything else has none. */
export function entriesOf(record: SchemaObject, key: string): [string, unknown][] {
  const value = own(record, key);
  return isObject(value) ? Object.entries(value) : [];
}

/** The names that `required` lists. */
export function requiredOf(schema: SchemaObject): string[] {
  return listOf(schema, "required").filter((name) => typeof name === "string");
}

/** One more segment of a JSON pointer. */
export function pointerTo(pointer: string, segment: string | number): string {
  return `${pointer}/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/**
 * Every schema in a schema, itself first, without recursion: depth costs no stack.
 *
 * @param root where to start
 * @returns the schemas in document order
 *
 * @example
 * ```ts
 * import { walkSchema } from "./walk_schema.ts";
 * const found = [...walkSchema({ properties: { a: { type: "string" } } })];
 * console.assert(found[1]?.pointer === "/properties/a");
 * ```
 */
export function* walkSchema(root: JsonSchema): Generator<PlacedSchema> {
  const pending: PlacedSchema[] = [{ schema: root, pointer: "", depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield next;
    if (isObject(next.schema)) pending.push(...childrenOf(next.schema, next).reverse());
  }
}

function childrenOf(schema: SchemaObject, at: PlacedSchema): PlacedSchema[] {
  const children: PlacedSchema[] = [];
  const add = (value: unknown, pointer: string): void => {
    if (isSchema(value)) children.push({ schema: value, pointer, depth: at.depth + 1 });
  };
  for (const key of MAPS) {
    for (const [name, value] of entriesOf(schema, key)) {
      add(value, pointerTo(pointerTo(at.pointer, key), name));
    }
  }
  for (const key of LISTS) {
    listOf(schema, key).forEach((value, index) => add(value, pointerTo(pointerTo(at.pointer, key), index)));
  }
  for (const key of SINGLE) add(own(schema, key), pointerTo(at.pointer, key));
  return children;
}
