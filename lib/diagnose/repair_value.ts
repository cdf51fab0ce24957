import { isObject } from "../json/mod.ts";
import type { ToolSchema } from "./tool_schema.ts";

/**
 * The value that was most likely meant where one of the wrong type was given, else the smallest of the right type.
 *
 * @param schema the tool's input
 * @param field the argument
 * @param value what was given
 * @returns a value that fits, and whether it carries what was given
 */
export function repairValue(
  schema: ToolSchema,
  field: string,
  value: unknown,
): { value: unknown; meant: boolean } {
  for (const candidate of candidatesOf(value)) {
    if (schema.accepts(field, candidate)) return { value: candidate, meant: true };
  }
  return { value: schema.minimal(field), meant: false };
}

function candidatesOf(value: unknown): unknown[] {
  if (typeof value === "string") {
    const read = readJson(value);
    return [...(read === undefined ? [] : [read]), [value]];
  }
  if (typeof value === "number" || typeof value === "boolean") return [String(value), [value]];
  return isObject(value) ? [[value], JSON.stringify(value)] : [];
}

/** The JSON value that a string holds, where it is not a string again. */
export function readJson(text: string): unknown {
  if (text.length > 100_000) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? undefined : value;
  } catch {
    return undefined;
  }
}
