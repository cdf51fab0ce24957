import { isObject, isRawNumber } from "../../../json/mod.ts";
import type { JsonObject, JsonSchema } from "../../../schema/types.ts";
import { headerValue } from "./header_value.ts";

const MARK = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

/** An argument that is repeated in a header. */
export interface ParamHeader {
  header: string;
  /** Where the argument is: property names from the top. */
  path: string[];
}

/** What a tool's input schema asks for, or what is wrong with it. */
export type ParamHeaders = { headers: ParamHeader[] } | { fault: string };

/** Finds the properties of an input schema that are marked with `x-mcp-header`. */
export function readParamHeaders(schema: JsonSchema | undefined): ParamHeaders {
  const headers: ParamHeader[] = [];
  const fault = findFault(schema, [], true, headers);
  return fault === undefined ? { headers } : { fault };
}

function findFault(
  node: unknown,
  path: string[],
  reachable: boolean,
  found: ParamHeader[],
): string | undefined {
  if (Array.isArray(node)) return firstFault(node, (item) => findFault(item, path, false, found));
  if (!isObject(node)) return undefined;
  if (Object.hasOwn(node, MARK)) {
    const fault = markFault(node, path, reachable, found);
    if (fault !== undefined) return fault;
    found.push({ header: String(node[MARK]), path });
  }
  return firstFault(Object.entries(node), ([keyword, value]) => {
    if (DATA_KEYWORDS.has(keyword) || keyword === MARK) return undefined;
    if (!isNamedSchemas(keyword, value)) return findFault(value, path, false, found);
    const inside = reachable && keyword === "properties";
    return firstFault(
      Object.entries(value),
      ([name, child]) => findFault(child, [...path, name], inside, found),
    );
  });
}

const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

function isNamedSchemas(keyword: string, value: unknown): value is JsonObject {
  return NAMED_SCHEMAS.has(keyword) && isObject(value);
}

function markFault(
  node: JsonObject,
  path: string[],
  reachable: boolean,
  found: ParamHeader[],
): string | undefined {
  const name = node[MARK];
  const place = path.length === 0 ? "the schema itself" : `property ${path.join(".")}`;
  if (!reachable || path.length === 0) return `${MARK} on ${place} is not on a plain property`;
  if (typeof name !== "string" || !TOKEN.test(name)) return `${MARK} on ${place} is no header name`;
  if (!TYPES.includes(node.type)) return `${MARK} on ${place} wants a string, an integer or a boolean`;
  const twice = found.some(({ header }) => header.toLowerCase() === name.toLowerCase());
  return twice ? `${MARK} ${name} is used twice` : undefined;
}

function firstFault<T>(items: Iterable<T>, check: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = check(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The `Mcp-Param-…` headers of one call; absent and null arguments have none. */
export function writeParamHeaders(headers: ParamHeader[], args: unknown): Record<string, string> {
  const written: Record<string, string> = {};
  for (const one of headers) {
    const text = paramHeaderText(one, args);
    if (text !== undefined) written[`mcp-param-${one.header}`] = headerValue(text);
  }
  return written;
}

/** What a header says of one call's arguments, before it is encoded; nothing for an absent or null argument. */
export function paramHeaderText({ path }: ParamHeader, args: unknown): string | undefined {
  const value = path.reduce<unknown>(
    (at, name) => isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined,
    args,
  );
  return isRawNumber(value) ? value.rawJSON : plainText(value);
}

function plainText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "boolean" || typeof value === "number" ? String(value) : undefined;
}
