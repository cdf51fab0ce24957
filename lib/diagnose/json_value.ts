import { isRawNumber } from "../json/mod.ts";

/** Whether the value is a JSON object; a number kept as its digits is none. */
export function isJsonObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** What a JSON value is, with its article. */
export function kindOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" || isRawNumber(value)) return "a number";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
