/**
 * Writes a value as indented JSON, and one that is nested too deep for that on one line.
 *
 * @param value what JSON can carry
 * @returns the text
 *
 * @example
 * ```ts
 * import { indentedJson } from "./indented_json.ts";
 * console.assert(indentedJson([1]) === "[\n  1\n]");
 * ```
 */
export function indentedJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch (error) {
    if (error instanceof RangeError) return JSON.stringify(value); // the stack, or the longest string, was too short
    throw error;
  }
}
