/** A value that does not fit its field; whoever knows the server and the file makes an error of it. */
export class FieldFault extends Error {
  /** Keys from the entry down to the value. */
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

/** A value with the keys that lead to it. */
export interface Field {
  value: unknown;
  path: readonly (string | number)[];
}

/** Whether `value` is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names a path of keys as a reader would write it: `env.TOKEN`, `args[2]`. */
export function fieldName(path: readonly (string | number)[]): string {
  return path.map((key, at) => typeof key === "number" ? `[${key}]` : at === 0 ? key : `.${key}`).join("");
}

/** @throws {FieldFault} */
export function readString({ value, path }: Field): string {
  if (typeof value === "string" && value !== "") return value;
  throw fault(path, "a string that is not empty", value);
}

/** A string as the system takes it; numbers and booleans become their text. @throws {FieldFault} */
export function readText({ value, path }: Field): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw fault(path, "a string", value);
}

/** @throws {FieldFault} */
export function readBoolean({ value, path }: Field): boolean {
  if (typeof value === "boolean") return value;
  throw fault(path, "true or false", value);
}

/** @throws {FieldFault} */
export function readTexts({ value, path }: Field): string[] {
  if (!Array.isArray(value)) throw fault(path, "a list of strings", value);
  return value.map((item, at) => readText({ value: item, path: [...path, at] }));
}

/** A list of strings, or one string. @throws {FieldFault} */
export function readNames({ value, path }: Field): string[] {
  if (typeof value === "string") return [readString({ value, path })];
  if (!Array.isArray(value)) throw fault(path, "a list of strings", value);
  return value.map((item, at) => readString({ value: item, path: [...path, at] }));
}

/** @throws {FieldFault} */
export function readTextRecord({ value, path }: Field): Record<string, string> {
  if (!isObject(value)) throw fault(path, "an object of strings", value);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, readText({ value: item, path: [...path, key] })]),
  );
}

/** @throws {FieldFault} */
export function readChoice<T extends string>({ value, path }: Field, choices: readonly T[]): T {
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  throw fault(path, `one of ${choices.join(", ")}`, value);
}

/** A whole number of at least `least`. @throws {FieldFault} */
export function readCount({ value, path }: Field, least: number): number {
  const count = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof count === "number" && Number.isSafeInteger(count) && count >= least) return count;
  throw fault(path, `a whole number of at least ${least}`, value);
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds: `500ms`, `90s`, `2m`, `1h30m`; a plain number is milliseconds. @throws {FieldFault} */
export function readDuration({ value, path }: Field): number {
  const ms = typeof value === "number"
    ? value
    : typeof value === "string"
    ? parseDuration(value.trim())
    : NaN;
  if (Number.isFinite(ms) && ms >= 0 && ms <= Number.MAX_SAFE_INTEGER) return Math.round(ms);
  throw fault(path, "a duration such as 500ms, 90s or 2m", value);
}

function parseDuration(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return NaN;
  let ms = 0;
  for (const [, digits, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    ms += Number(digits) * (UNITS[unit ?? ""] ?? NaN);
  }
  return ms;
}

/** The values themselves stay out of messages where they could be secrets: only their kind is told. */
function fault(path: readonly (string | number)[], wanted: string, value: unknown): FieldFault {
  const last = path.at(-1);
  const shown = path[0] === "mcpx" || path[0] === "pool" || last === "type" || last === "transport"
    ? JSON.stringify(value)
    : value === null
    ? "null"
    : value === ""
    ? "an empty string"
    : Array.isArray(value)
    ? "a list"
    : typeof value === "object"
    ? "an object"
    : `a ${typeof value}`;
  return new FieldFault(path, `${fieldName(path)} must be ${wanted}, not ${shown}`);
}
