import { isRawNumber } from "../json/mod.ts";

/** What a JSON value is, with its article. */
export function kindOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" || isRawNumber(value)) return "a number";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
