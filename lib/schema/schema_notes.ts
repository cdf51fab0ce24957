import { isRawNumber } from "../json/mod.ts";
import { own } from "./walk_schema.ts";
import type { SchemaObject } from "./types.ts";

const LONGEST = 80;

/** Keywords that a type cannot carry, with the words for them. */
const BOUNDS: readonly (readonly [keyword: string, words: string])[] = [
  ["minimum", "at least"],
  ["exclusiveMinimum", "more than"],
  ["maximum", "at most"],
  ["exclusiveMaximum", "less than"],
  ["multipleOf", "a multiple of"],
  ["minLength", "length at least"],
  ["maxLength", "length at most"],
  ["minItems", "items at least"],
  ["maxItems", "items at most"],
];

/**
 * What a schema says beside its type, in one line: default, format, bounds, pattern.
 *
 * @example
 * ```ts
 * import { schemaNotes } from "./schema_notes.ts";
 * console.assert(schemaNotes({ default: 10, minimum: 1 }) === "Default: 10. At least 1.");
 * ```
 */
export function schemaNotes(schema: SchemaObject): string {
  const notes: string[] = [];
  if (Object.hasOwn(schema, "default")) notes.push(`Default: ${short(schema.default)}.`);
  const format = own(schema, "format");
  if (typeof format === "string") notes.push(`Format: ${cut(format)}.`);
  const bounds = BOUNDS.flatMap(([keyword, words]) => {
    const value = own(schema, keyword);
    return typeof value === "number" || isRawNumber(value) ? [`${words} ${JSON.stringify(value)}`] : [];
  });
  if (own(schema, "uniqueItems") === true) bounds.push("no item twice");
  const sentence = bounds.join(", ");
  if (sentence !== "") notes.push(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`);
  const pattern = own(schema, "pattern");
  if (typeof pattern === "string") notes.push(`Pattern: ${cut(pattern)}`);
  if (own(schema, "deprecated") === true) notes.push("Deprecated.");
  return notes.join(" ");
}

function short(value: unknown): string {
  return cut(JSON.stringify(value) ?? "");
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
