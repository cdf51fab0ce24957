import { McpxError } from "../errors/mod.ts";
import { coerceList, coerceText, waysOf } from "./coerce_text.ts";
import { facets, findProperty } from "./find_property.ts";
import { minimalValue } from "./minimal_value.ts";
import { SchemaDocument } from "./schema_document.ts";
import type { JsonObject } from "./types.ts";
import { isObject, own } from "./walk_schema.ts";

/** A member that was written on the command line, with its place and schema. */
interface Placed {
  path: string[];
  /** Undefined where the schema does not know the member. */
  schema: unknown;
}

/**
 * Turns `key=value` words of a command line into the argument object that the schema describes.
 *
 * A string parameter keeps its text as typed; numbers keep their digits; other types are read as JSON. A key that is
 * repeated makes a list where the schema has one; `a.b` sets `b` inside `a` unless a property is called `a.b`. Where
 * the schema says nothing, text that is JSON is read as JSON and other text is a string.
 *
 * @param schema the tool's input schema; anything that is no schema says nothing
 * @param pairs keys and texts, in the order written
 * @returns the arguments
 * @throws {McpxError} `invalid-input`, naming the key, where a text fits none of its types
 * @see spec/98 item 21
 *
 * @example
 * ```ts
 * import { coerceArguments } from "./coerce_arguments.ts";
 * const schema = { properties: { pin: { type: "string" }, n: { type: "integer" } } };
 * console.assert(JSON.stringify(coerceArguments(schema, [["pin", "0001"], ["n", "2"]])) === '{"pin":"0001","n":2}');
 * ```
 */
export function coerceArguments(schema: unknown, pairs: readonly (readonly [string, string])[]): JsonObject {
  const document = new SchemaDocument(isObject(schema) ? schema : true);
  const args: JsonObject = {};
  for (const [key, group] of Map.groupBy(pairs, ([name]) => name)) {
    const placed = place(key, document);
    setAt(args, placed.path, valueOf(key, group.map(([, text]) => text), placed.schema, document));
  }
  return args;
}

function valueOf(key: string, texts: readonly string[], schema: unknown, document: SchemaDocument): unknown {
  const [text = ""] = texts;
  const value = texts.length === 1 ? coerceText(text, schema, document) : coerceList(texts, schema, document);
  if (value !== undefined) return value.value;
  const kinds = [...new Set(waysOf(schema, document).map((way) => way.words))].join(" or ");
  const state = texts.length === 1 || waysOf(schema, document).some((way) => way.kind === "array")
    ? `it takes ${kinds}`
    : `it was given ${texts.length} times and takes one value, ${kinds}`;
  const example = JSON.stringify(minimalValue(schema, document.root)) ?? "null";
  throw new McpxError("invalid-input", `Cannot use ${key}=${shortened(texts.join(` ${key}=`))}: ${state}.`, {
    data: { key, texts: [...texts], expected: kinds },
    hint: `Write it as ${key}=${/^[\w.-]+$/.test(example) ? example : `'${example}'`}, for example.`,
  });
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Finds the member that `key` names: a property of that very name first, then one step in at each dot. */
function place(key: string, document: SchemaDocument): Placed {
  const path: string[] = [];
  let schema: unknown = document.root;
  let rest = key;
  while (true) {
    const name = longestDeclared(schema, rest, document) ?? rest.split(".", 1)[0] ?? rest;
    const whole = name === "" || rest.endsWith(".") || rest.includes("..") ? rest : name;
    path.push(whole);
    schema = memberSchema(schema, whole, document);
    if (whole.length >= rest.length) return { path, schema };
    rest = rest.slice(whole.length + 1);
  }
}

/** The longest declared property that `key` starts with, up to a dot or its end. */
function longestDeclared(schema: unknown, key: string, document: SchemaDocument): string | undefined {
  for (let end = key.length; end > 0; end = key.lastIndexOf(".", end - 1)) {
    const name = key.slice(0, end);
    if (findProperty(schema, name, document) !== undefined) return name;
  }
  return undefined;
}

function memberSchema(schema: unknown, name: string, document: SchemaDocument): unknown {
  const declared = findProperty(schema, name, document);
  if (declared !== undefined) return declared;
  return facets(schema, document).map((facet) => own(facet, "additionalProperties")).find(isObject);
}

function setAt(root: JsonObject, path: readonly string[], value: unknown): void {
  let holder = root;
  for (const name of path.slice(0, -1)) {
    const inner = Object.hasOwn(holder, name) ? holder[name] : define(holder, name, {});
    if (!isMutableObject(inner)) throw givenTwice(path, name);
    holder = inner;
  }
  const last = path.at(-1) ?? "";
  if (Object.hasOwn(holder, last)) throw givenTwice(path, last);
  define(holder, last, value);
}

function isMutableObject(value: unknown): value is JsonObject {
  return isObject(value);
}

function givenTwice(path: readonly string[], name: string): McpxError {
  return new McpxError("invalid-input", `Cannot set ${path.join(".")}: ${name} was given a value already.`, {
    data: { key: path.join(".") },
    hint: "Give either the whole object or its members.",
  });
}

/** Sets an own member whatever its name, `__proto__` included. */
function define(holder: JsonObject, name: string, value: unknown): unknown {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
  return value;
}
