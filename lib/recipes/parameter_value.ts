import { isRawNumber } from "../json/mod.ts";
import type { RecipeParameter } from "./types.ts";

/** What each type is called in a sentence. */
const WANTED: Readonly<Record<Exclude<RecipeParameter["type"], "enum" | "json">, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/**
 * Why a value does not fit a parameter, as the end of a sentence; undefined where it fits.
 *
 * @param parameter its type, and its words where it is an enum
 * @param value a JSON value; numbers with more digits than a double holds come as raw JSON
 */
export function parameterProblem(
  { type, values }: Pick<RecipeParameter, "type" | "values">,
  value: unknown,
): string | undefined {
  if (type === "json") return value === undefined ? "it is not set" : undefined;
  if (type === "enum") {
    const words = values ?? [];
    if (typeof value === "string" && words.includes(value)) return undefined;
    return `${shown(value)} is not one of ${words.map((word) => JSON.stringify(word)).join(", ")}`;
  }
  return fits(type, value) ? undefined : `${shown(value)} is not ${WANTED[type]}`;
}

function fits(type: Exclude<RecipeParameter["type"], "enum" | "json">, value: unknown): boolean {
  switch (type) {
    case "number":
      return typeof value === "number" ? Number.isFinite(value) : isRawNumber(value);
    case "integer":
      return typeof value === "number"
        ? Number.isInteger(value)
        : isRawNumber(value) && /^-?\d+$/.test(value.rawJSON);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
  }
}

function shown(value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
