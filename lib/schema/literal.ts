import { isRawNumber } from "../json/mod.ts";
import { isObject } from "./walk_schema.ts";

const SAFE_KEY = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/**
 * A string literal that every TypeScript scanner reads back as `text`: nothing invisible in it stays raw.
 *
 * @example
 * ```ts
 * import { quote } from "./literal.ts";
 * console.assert(quote("a\u2028b") === '"a\\u2028b"');
 * ```
 */
export function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u00a0\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A property name as it stands in a type: quoted unless it is a plain ASCII identifier. */
export function propertyKey(name: string): string {
  return SAFE_KEY.test(name) && name !== "new" ? name : quote(name);
}

/**
 * A JSON value as a type that only it has.
 *
 * @param value a JSON value
 * @param depth how many levels of lists and objects are still written out
 */
export function literalType(value: unknown, depth = 4): string {
  if (typeof value === "string") return quote(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "number";
  if (isRawNumber(value)) return "number";
  if (depth === 0) return "unknown";
  if (Array.isArray(value)) return `[${value.map((item) => literalType(item, depth - 1)).join(", ")}]`;
  if (!isObject(value)) return "unknown";
  const members = Object.entries(value).map(([key, item]) =>
    `${propertyKey(key)}: ${literalType(item, depth - 1)}`
  );
  return members.length === 0 ? "Record<string, never>" : `{ ${members.join("; ")} }`;
}
