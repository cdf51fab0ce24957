import { parseJson } from "../json/mod.ts";
import { decimalOf, isWhole } from "./decimal.ts";
import { referenceOf, type SchemaDocument } from "./schema_document.ts";
import type { SchemaObject } from "./types.ts";
import { isObject, listOf, own } from "./walk_schema.ts";

/** One way in which a schema lets a value be. */
export interface Way {
  kind: "string" | "integer" | "number" | "boolean" | "null" | "array" | "object" | "value" | "anything";
  /** The words for it in an error. */
  words: string;
  schema: SchemaObject;
  /** For `value`: the value itself. */
  value?: unknown;
}

/** A value that was read; the wrapper tells `undefined` from nothing. */
export interface Read {
  value: unknown;
}

const WORDS = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  null: "null",
  array: "a JSON list",
  object: "a JSON object",
  anything: "any value",
} as const;

const MOST_WAYS = 500;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NOTHING: SchemaObject = {};

/** The ways a schema lets a value be, in the order it declares them; no schema lets it be anything. */
export function waysOf(schema: unknown, document: SchemaDocument): Way[] {
  const ways: Way[] = [];
  collect(schema, document, ways, new Set());
  return ways.length > 0 ? ways : [{ kind: "anything", words: WORDS.anything, schema: NOTHING }];
}

function collect(schema: unknown, document: SchemaDocument, ways: Way[], seen: Set<unknown>): void {
  if (!isObject(schema) || seen.has(schema) || ways.length > MOST_WAYS || seen.size > MOST_WAYS) return;
  seen.add(schema);
  const values = Object.hasOwn(schema, "const") ? [schema.const] : listOf(schema, "enum");
  for (const value of values) {
    ways.push({ kind: "value", words: JSON.stringify(value) ?? "null", schema, value });
  }
  const type = own(schema, "type");
  const kinds = (Array.isArray(type) ? type : [type]).filter(isKind);
  for (const kind of kinds.length > 0 ? kinds : impliedKinds(schema, values)) {
    ways.push({ kind, words: WORDS[kind], schema });
  }
  if (kinds.length === 0) {
    const reference = referenceOf(schema);
    if (reference !== undefined) collect(document.resolve(reference)?.schema, document, ways, seen);
    for (const key of ["allOf", "anyOf", "oneOf"]) {
      for (const member of listOf(schema, key)) collect(member, document, ways, seen);
    }
  }
  if (own(schema, "nullable") === true) ways.push({ kind: "null", words: WORDS.null, schema });
}

function isKind(word: unknown): word is Exclude<Way["kind"], "value"> {
  return typeof word === "string" && word !== "anything" && Object.hasOwn(WORDS, word);
}

function impliedKinds(schema: SchemaObject, values: readonly unknown[]): Exclude<Way["kind"], "value">[] {
  if (["properties", "additionalProperties", "required"].some((key) => Object.hasOwn(schema, key))) {
    return ["object"];
  }
  if (["items", "prefixItems"].some((key) => Object.hasOwn(schema, key))) return ["array"];
  const kinds: string[] = values.map((value) => value === null ? "null" : typeof value);
  return [...new Set(kinds)].filter(isKind);
}

/** Reads one text by the first way that takes it; a list of one is made only where nothing else fits. */
export function coerceText(text: string, schema: unknown, document: SchemaDocument): Read | undefined {
  const ways = waysOf(schema, document);
  for (const way of ways) {
    const read = readBy(way, text);
    if (read) return read;
  }
  return ways.some(({ kind }) => kind === "array") ? coerceList([text], schema, document) : undefined;
}

/** Reads several texts as the items of a list; undefined where the schema has no list or an item does not fit. */
export function coerceList(
  texts: readonly string[],
  schema: unknown,
  document: SchemaDocument,
): Read | undefined {
  for (const way of waysOf(schema, document)) {
    if (way.kind !== "array" && way.kind !== "anything") continue;
    const rest = own(way.schema, "items");
    const first = Array.isArray(rest) ? rest : listOf(way.schema, "prefixItems");
    const read = texts.map((text, at) => coerceText(text, at < first.length ? first[at] : rest, document));
    if (read.every((item) => item !== undefined)) return { value: read.map((item) => item.value) };
  }
  return undefined;
}

function readBy(way: Way, text: string): Read | undefined {
  switch (way.kind) {
    case "string":
      return { value: text };
    case "value":
      return text === way.value || (typeof way.value !== "string" && text === JSON.stringify(way.value))
        ? { value: way.value }
        : undefined;
    case "integer":
      return readInteger(text.trim());
    case "number":
      return readNumber(text.trim());
    case "boolean":
      return text === "true" || text === "false" ? { value: text === "true" } : undefined;
    case "null":
      return text === "null" ? { value: null } : undefined;
    case "array":
      return readJson(text, Array.isArray);
    case "object":
      return readJson(text, isObject);
    case "anything":
      return readJson(text, () => true) ?? { value: text };
  }
}

/** `007` is seven where an integer is wanted: nothing else can be meant. */
function readInteger(text: string): Read | undefined {
  const read = readNumber(text.replace(/^(-?)0+(?=\d)/, "$1"));
  const number = decimalOf(read?.value);
  return number && isWhole(number) ? read : undefined;
}

function readNumber(text: string): Read | undefined {
  return NUMBER.test(text) ? { value: parseJson(text) } : undefined;
}

function readJson(text: string, fits: (value: unknown) => boolean): Read | undefined {
  try {
    const value = parseJson(text);
    return fits(value) ? { value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
