import { McpxError } from "../errors/mod.ts";
import { isRawNumber } from "../json/mod.ts";

/** Nesting beyond this is no value that somebody typed, and too deep for engines to parse. */
const MAX_DEPTH = 200;

/**
 * Writes a JSON value as a JavaScript expression that is nothing but literals, on one line.
 *
 * Beyond JSON's own escapes `<` is escaped, so that no comment and no tag can begin, and so are U+2028 and U+2029. A whole number
 * that a double cannot hold becomes a BigInt, as everywhere in scripts; the key `__proto__` is computed, so that it is a key
 * like any other.
 *
 * @param value anything JSON can carry
 * @param name what to name in the error
 * @throws {McpxError} `invalid-input` with the path, for anything that JSON cannot carry
 *
 * @example
 * ```ts
 * import { literal } from "./literal.ts";
 * console.assert(literal("</script>`${x}", "text") === '"\\u003c/script>`${x}"');
 * ```
 */
export function literal(value: unknown, name: string): string {
  return write(value, name, 0);
}

function write(value: unknown, path: string, depth: number): string {
  if (depth > MAX_DEPTH) throw refuse(path, `it is nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === "string") return quote(value);
  if (typeof value === "boolean" || value === null) return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw refuse(path, `${value} is no JSON number`);
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (isRawNumber(value)) return writeRaw(value.rawJSON, path);
  if (Array.isArray(value)) {
    // A list with holes has no member to map there.
    return `[${Array.from(value, (item, at) => write(item, `${path}[${at}]`, depth + 1)).join(", ")}]`;
  }
  if (typeof value !== "object") throw refuse(path, `${typeof value} is nothing that JSON carries`);
  const members = Object.entries(value).map(([key, member]) => {
    const written = key === "__proto__" ? `["__proto__"]` : quote(key);
    return `${written}: ${write(member, `${path}.${key.slice(0, 40)}`, depth + 1)}`;
  });
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function writeRaw(digits: string, path: string): string {
  if (/^-?\d+$/.test(digits)) return `${digits}n`;
  const double = Number(digits);
  if (!Number.isFinite(double)) throw refuse(path, `${digits.slice(0, 40)} is more than a number can be`);
  return String(double);
}

function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[<\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function refuse(path: string, reason: string): McpxError {
  return new McpxError("invalid-input", `Cannot use the value of ${path}: ${reason}.`, {
    data: { field: path },
  });
}
