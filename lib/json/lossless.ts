/**
 * JSON that keeps the digits of numbers beyond 2^53.
 *
 * Such a number becomes a raw JSON value (`JSON.rawJSON`): it prints as it came, and nothing in mcpx calculates
 * with it. Text without a long run of digits takes the plain, fast path.
 */
const RawJson = JSON as typeof JSON & {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { rawJSON: string };
};

const LONG_NUMBER = /\d{16}|[eE]\+?\d{3}/;

/**
 * Parses JSON text; integers and decimals that a double cannot hold keep their digits.
 *
 * @param text JSON text
 * @returns the value, with raw JSON objects in the place of numbers that would lose digits
 * @throws {SyntaxError} when the text is not JSON
 *
 * @example
 * ```ts
 * import { parseJson } from "./lossless.ts";
 * console.assert(JSON.stringify(parseJson('{"id":9007199254740993}')) === '{"id":9007199254740993}');
 * ```
 */
export function parseJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepDigits as (this: unknown, key: string, value: unknown) => unknown);
}

function keepDigits(_key: string, value: unknown, context: { source?: string }): unknown {
  const source = context.source;
  if (typeof value !== "number" || source === undefined) return value;
  if (source.length < 16 && Number.isFinite(value)) return value;
  return sameNumber(value, source) ? value : RawJson.rawJSON(source);
}

/** Whether printing the double gives back the number that was written, spelling aside. */
function sameNumber(value: number, source: string): boolean {
  const printed = String(value);
  if (printed === source) return true;
  return /[.eE]/.test(source) && normalDigits(printed) === normalDigits(source);
}

/** A decimal number as `sign digits e exponent`, without leading or trailing zeros. */
function normalDigits(source: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (!match) return source;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = (whole + fraction).replace(/^0+/, "");
  const trimmed = digits.replace(/0+$/, "");
  const power = Number(exponent) - fraction.length + (digits.length - trimmed.length);
  return trimmed === "" ? "0" : `${sign}${trimmed}e${power}`;
}

/** Whether `value` is a number kept as its digits. */
export function isRawNumber(value: unknown): value is { rawJSON: string } {
  return typeof value === "object" && value !== null && RawJson.isRawJSON(value);
}

/** A number from its own digits, however many there are. */
export function rawNumber(digits: string): object {
  return RawJson.rawJSON(digits);
}
