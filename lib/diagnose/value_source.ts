import { isObject, isRawNumber } from "../json/mod.ts";
import { quote } from "../schema/literal.ts";

const DEEPEST = 8;
const LONGEST_STRING = 60;
const MOST_ITEMS = 5;
const LONGEST_CALL = 10_000;

/** A property's name as it stands in an object literal. */
export function keySource(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : quote(name);
}

/**
 * A JSON value as a TypeScript literal in one line; long strings end in `…`, long lists are cut, deep values are empty.
 *
 * @example
 * ```ts
 * import { valueSource } from "./value_source.ts";
 * console.assert(valueSource({ a: [1, "x"] }) === '{ a: [1, "x"] }');
 * ```
 */
export function valueSource(value: unknown, depth = 0): string {
  if (typeof value === "string") {
    return quote(
      value.length > LONGEST_STRING ? `${value.slice(0, LONGEST_STRING - 1).toWellFormed()}…` : value,
    );
  }
  if (isRawNumber(value)) return value.rawJSON;
  if (Array.isArray(value)) {
    if (depth >= DEEPEST) return "[]";
    return `[${value.slice(0, MOST_ITEMS).map((item) => valueSource(item, depth + 1)).join(", ")}]`;
  }
  if (isObject(value)) {
    if (depth >= DEEPEST) return "{}";
    return objectSource(
      Object.entries(value).map(([key, item]) => `${keySource(key)}: ${valueSource(item, depth + 1)}`),
    );
  }
  return typeof value === "number" && Number.isFinite(value) || typeof value === "boolean"
    ? String(value)
    : "null";
}

/** An object literal with these members. */
export function objectSource(members: readonly string[]): string {
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** A callee: `ns.fn`, or the bracket spelling where the name wants it. */
export function calleeSource(namespace: string, fn: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(fn)
    ? `${namespace}.${fn}`
    : `${namespace}[${quote(fn)}]`;
}

/**
 * A call with one object argument.
 *
 * @param callee what is called, with what stands before it
 * @param members the argument's members; none: no argument
 * @returns undefined where nobody would read so much
 */
export function callSource(callee: string, members: readonly string[]): string | undefined {
  const text = `${callee}(${members.length === 0 ? "" : objectSource(members)})`;
  return text.length > LONGEST_CALL ? undefined : text;
}

/** Code in one line, white space drawn together, at most `limit` characters. */
export function oneLine(source: string, limit = 120): string {
  const text = source.replace(/\s+/g, " ").trim();
  return text.length > limit ? `${text.slice(0, limit - 1).toWellFormed()}…` : text;
}
