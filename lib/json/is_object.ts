import { isRawNumber } from "./lossless.ts";

/** Whether a value is a JSON object: neither a list, nor null, nor a number that was kept as text. */
export function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
