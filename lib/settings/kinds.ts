import { McpxError } from "../errors/mod.ts";

/** What a setting's value is. Durations are milliseconds and sizes are bytes once parsed. */
export type SettingKind = "bool" | "int" | "duration" | "bytes" | "enum" | "string" | "list" | "json";

/** The TypeScript type of a parsed value, by kind. */
export interface KindValues {
  bool: boolean;
  int: number;
  duration: number;
  bytes: number;
  enum: string;
  string: string;
  list: string[];
  json: unknown;
}

const DURATION_UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTE_UNITS: Record<string, number> = {
  b: 1,
  kb: 1000,
  mb: 1e6,
  gb: 1e9,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};
const TRUE = new Set(["true", "1", "yes", "on"]);
const FALSE = new Set(["false", "0", "no", "off"]);

/**
 * Parses a setting's value, from a file (any JSON value) or from text.
 *
 * @param kind what the value must be
 * @param raw the value as written
 * @param where what to name in the error, such as `exec.timeout`
 * @param values the allowed words of an enum
 * @throws {McpxError} `invalid-input`
 *
 * @example
 * ```ts
 * import { parseValue } from "./kinds.ts";
 * console.assert(parseValue("duration", "1m30s", "exec.timeout") === 90_000);
 * console.assert(parseValue("bytes", "32KiB", "output.preview") === 32_768);
 * ```
 */
export function parseValue(
  kind: SettingKind,
  raw: unknown,
  where: string,
  values?: readonly string[],
): unknown {
  switch (kind) {
    case "bool":
      return parseBool(raw, where);
    case "int":
      return parseInteger(raw, where);
    case "duration":
      return parseAmount(raw, where, DURATION_UNITS, "a duration such as 90s, 500ms or 1h30m");
    case "bytes":
      return parseAmount(raw, where, BYTE_UNITS, "a size such as 512KiB or 8MiB");
    case "enum":
      if (typeof raw === "string" && values?.includes(raw)) return raw;
      throw refuse(where, raw, `one of ${values?.join(", ")}`);
    case "string":
      if (typeof raw === "string") return raw;
      throw refuse(where, raw, "a string");
    case "list":
      return parseList(raw, where, values);
    case "json":
      if (typeof raw !== "string") return raw;
      try {
        return JSON.parse(raw);
      } catch {
        throw refuse(where, raw, "a JSON value");
      }
  }
}

/** Prints a parsed value as a user would write it. */
export function printValue(kind: SettingKind, value: unknown): string {
  if (kind === "duration") {
    return printAmount(value as number, [["h", 3_600_000], ["m", 60_000], ["s", 1000], ["ms", 1]]);
  }
  if (kind === "bytes") {
    return printAmount(value as number, [["GiB", 1024 ** 3], ["MiB", 1024 ** 2], ["KiB", 1024], ["B", 1]]);
  }
  if (kind === "list") return (value as string[]).join(",");
  return kind === "json" ? JSON.stringify(value) : String(value);
}

function printAmount(amount: number, units: [string, number][]): string {
  for (const [name, size] of units) if (amount !== 0 && amount % size === 0) return `${amount / size}${name}`;
  return `0${units[units.length - 1]?.[0] ?? ""}`;
}

function parseBool(raw: unknown, where: string): boolean {
  if (typeof raw === "boolean") return raw;
  const word = typeof raw === "string" ? raw.toLowerCase() : "";
  if (TRUE.has(word)) return true;
  if (FALSE.has(word)) return false;
  throw refuse(where, raw, "true or false");
}

function parseList(raw: unknown, where: string, values: readonly string[] | undefined): string[] {
  const items: unknown = typeof raw === "string"
    ? raw === "" ? [] : raw.split(",").map((item) => item.trim())
    : raw;
  if (!Array.isArray(items) || !items.every((item) => typeof item === "string")) {
    throw refuse(where, raw, "a list of strings");
  }
  const odd = values && items.find((item) => !values.includes(item));
  if (odd !== undefined || (values && items.length === 0)) {
    throw refuse(where, odd ?? raw, `a list of ${values?.join(", ")}`);
  }
  return items;
}

function parseInteger(raw: unknown, where: string): number {
  const value = typeof raw === "string" && /^\d{1,15}$/.test(raw) ? Number(raw) : raw;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw refuse(where, raw, "a whole number of 0 or more");
}

function parseAmount(raw: unknown, where: string, units: Record<string, number>, wanted: string): number {
  if (typeof raw === "number" && Number.isSafeInteger(raw) && raw >= 0) return raw;
  if (typeof raw !== "string" || raw === "") throw refuse(where, raw, wanted);
  if (/^\d{1,15}$/.test(raw)) return Number(raw);
  if (!/^(\d+(\.\d+)?[a-zA-Z]+)+$/.test(raw)) throw refuse(where, raw, wanted);
  let total = 0;
  for (const [, amount, unit] of raw.matchAll(/(\d+(?:\.\d+)?)([a-zA-Z]+)/g)) {
    const size = units[(unit ?? "").toLowerCase()];
    if (size === undefined) throw refuse(where, raw, wanted);
    total += Number(amount) * size;
  }
  if (!Number.isSafeInteger(Math.round(total))) throw refuse(where, raw, wanted);
  return Math.round(total);
}

function refuse(where: string, raw: unknown, wanted: string): McpxError {
  const shown = JSON.stringify(raw) ?? String(raw);
  return new McpxError("invalid-input", `Cannot set ${where}: ${shown.slice(0, 80)} is not ${wanted}.`, {
    data: { field: where },
  });
}
