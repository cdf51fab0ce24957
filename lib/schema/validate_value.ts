import { isRawNumber } from "../json/mod.ts";
import { referenceOf, SchemaDocument } from "./schema_document.ts";
import { compareDecimals, decimalOf, isMultiple, isWhole } from "./decimal.ts";
import { fitsPattern, patternBudget } from "./safe_pattern.ts";
import type { SchemaObject } from "./types.ts";
import { entriesOf, isObject, listOf, own, pointerTo, requiredOf } from "./walk_schema.ts";

/** One place where a value does not fit its schema. */
export interface ValueProblem {
  /** JSON pointer into the value. */
  pointer: string;
  /** What is wrong, in words that follow the pointer. */
  message: string;
}

const MOST_PROBLEMS = 20;
const MOST_STEPS = 50_000;
const DEEPEST = 200;

/**
 * Explains where a value does not fit a schema. It never throws and never takes long: what cannot be decided
 * cheaply (a costly pattern, a schema without end) counts as fitting, so the answer is for explaining, not for refusing.
 *
 * @param schema anything a server sent as a schema
 * @param value a JSON value
 * @returns the problems, in the order of the schema; empty where none was found
 *
 * @example
 * ```ts
 * import { validateValue } from "./validate_value.ts";
 * const [problem] = validateValue({ properties: { n: { type: "integer" } } }, { n: "7" });
 * console.assert(problem?.pointer === "/n" && problem.message === "must be an integer, and is a string");
 * ```
 */
export function validateValue(schema: unknown, value: unknown): ValueProblem[] {
  const check = new ValueCheck(new SchemaDocument(isObject(schema) || schema === false ? schema : true));
  return check.problems(value);
}

class ValueCheck {
  readonly #document: SchemaDocument;
  readonly #patterns = patternBudget();
  #left = MOST_STEPS;

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  problems(value: unknown): ValueProblem[] {
    return this.#check(this.#document.root, value, "", 0).slice(0, MOST_PROBLEMS);
  }

  #check(schema: unknown, value: unknown, pointer: string, depth: number): ValueProblem[] {
    if (schema === false) return [{ pointer, message: "is not allowed" }];
    if (!isObject(schema) || depth > DEEPEST || this.#left-- <= 0) return [];
    if (value === null && own(schema, "nullable") === true) return [];
    const found = [...typeProblems(schema, value, pointer), ...valueProblems(schema, value, pointer)];
    if (found.length > 0) return found;
    const reference = referenceOf(schema);
    if (reference !== undefined) {
      found.push(...this.#check(this.#document.resolve(reference)?.schema, value, pointer, depth + 1));
    }
    for (const member of listOf(schema, "allOf")) {
      found.push(...this.#check(member, value, pointer, depth + 1));
    }
    for (const key of ["anyOf", "oneOf"]) {
      found.push(...this.#alternatives(listOf(schema, key), value, pointer, depth));
    }
    if (typeof value === "string") found.push(...this.#text(schema, value, pointer));
    if (Array.isArray(value)) found.push(...this.#items(schema, value, pointer, depth));
    else if (isObject(value)) found.push(...this.#members(schema, value, pointer, depth));
    return found.slice(0, MOST_PROBLEMS);
  }

  /** The problems of the alternative that comes nearest: the one whose first problem lies deepest. */
  #alternatives(members: readonly unknown[], value: unknown, pointer: string, depth: number): ValueProblem[] {
    if (members.length === 0) return [];
    let nearest: ValueProblem[] = [];
    for (const member of members) {
      const found = this.#check(member, value, pointer, depth + 1);
      if (found.length === 0) return [];
      if (nearest.length === 0 || closeness(found) > closeness(nearest)) nearest = found;
    }
    if (nearest.some((problem) => problem.pointer !== pointer || problem.message.startsWith("lacks"))) {
      return nearest;
    }
    return members.length === 1
      ? nearest
      : [{ pointer, message: `fits none of the ${members.length} alternatives` }];
  }

  #text(schema: SchemaObject, text: string, pointer: string): ValueProblem[] {
    const found = countProblems(schema, [...text].length, pointer, ["minLength", "maxLength"], "characters");
    const pattern = own(schema, "pattern");
    if (typeof pattern === "string" && fitsPattern(pattern, text, this.#patterns) === false) {
      found.push({ pointer, message: `must fit the pattern ${pattern}` });
    }
    return found;
  }

  #items(schema: SchemaObject, value: readonly unknown[], pointer: string, depth: number): ValueProblem[] {
    const found = countProblems(schema, value.length, pointer, ["minItems", "maxItems"], "items");
    const items = own(schema, "items");
    const first = Array.isArray(items) ? items : listOf(schema, "prefixItems");
    const rest = Array.isArray(items) ? own(schema, "additionalItems") : items;
    for (const [at, item] of value.entries()) {
      if (found.length >= MOST_PROBLEMS || this.#left <= 0) break;
      found.push(
        ...this.#check(at < first.length ? first[at] : rest, item, pointerTo(pointer, at), depth + 1),
      );
    }
    return found;
  }

  #members(schema: SchemaObject, value: SchemaObject, pointer: string, depth: number): ValueProblem[] {
    const found: ValueProblem[] = requiredOf(schema).filter((name) => !Object.hasOwn(value, name))
      .map((name) => ({ pointer, message: `lacks the required property ${JSON.stringify(name)}` }));
    const properties = own(schema, "properties");
    const patterns = entriesOf(schema, "patternProperties");
    const additional = own(schema, "additionalProperties");
    for (const [name, member] of Object.entries(value)) {
      if (found.length >= MOST_PROBLEMS || this.#left <= 0) break;
      const at = pointerTo(pointer, name);
      const declared = isObject(properties) && Object.hasOwn(properties, name);
      if (declared) found.push(...this.#check(properties[name], member, at, depth + 1));
      const fitting = patterns.filter(([pattern]) => fitsPattern(pattern, name, this.#patterns) !== false);
      for (const [pattern, inner] of fitting) {
        if (fitsPattern(pattern, name, this.#patterns)) {
          found.push(...this.#check(inner, member, at, depth + 1));
        }
      }
      if (!declared && fitting.length === 0) found.push(...this.#check(additional, member, at, depth + 1));
    }
    return found;
  }
}

function closeness(problems: readonly ValueProblem[]): number {
  const [first] = problems;
  if (first === undefined) return 0;
  return first.pointer.length * 1000 + (first.message.startsWith("lacks") ? 500 : 0) - problems.length;
}

function typeProblems(schema: SchemaObject, value: unknown, pointer: string): ValueProblem[] {
  const type = own(schema, "type");
  const words = (Array.isArray(type) ? type : [type]).filter((word) => typeof word === "string");
  if (words.length === 0 || words.some((word) => !Object.hasOwn(ARTICLES, word) || hasType(value, word))) {
    return [];
  }
  const expected = words.map((word) => ARTICLES[word] ?? word).join(" or ");
  return [{ pointer, message: `must be ${expected}, and is ${ARTICLES[typeOf(value)] ?? "something else"}` }];
}

const ARTICLES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "a boolean",
  null: "null",
  array: "a list",
  object: "an object",
};

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return isRawNumber(value) ? "number" : typeof value;
}

function hasType(value: unknown, word: string): boolean {
  if (word !== "integer") return typeOf(value) === word;
  const number = decimalOf(value);
  return number !== undefined && isWhole(number);
}

function valueProblems(schema: SchemaObject, value: unknown, pointer: string): ValueProblem[] {
  const allowed = Object.hasOwn(schema, "const") ? [schema.const] : own(schema, "enum");
  if (Array.isArray(allowed) && !allowed.some((one) => sameJson(one, value))) {
    const shown = allowed.slice(0, 10).map((one) => JSON.stringify(one)).join(", ");
    const message = allowed.length === 0
      ? "can have no value"
      : `must be ${allowed.length === 1 ? "" : "one of "}${shown}`;
    return [{
      pointer,
      message: allowed.length > 10 ? `${message} and ${allowed.length - 10} more` : message,
    }];
  }
  return numberProblems(schema, value, pointer);
}

/** Each bound with its words and whether it allows a number that is so much below (-1) or above (1) it. */
const BOUNDS: readonly (readonly [keyword: string, words: string, holds: (order: number) => boolean])[] = [
  ["minimum", "at least", (order) => order >= 0],
  ["exclusiveMinimum", "more than", (order) => order > 0],
  ["maximum", "at most", (order) => order <= 0],
  ["exclusiveMaximum", "less than", (order) => order < 0],
];

/** In older drafts `exclusiveMinimum: true` makes `minimum` a bound that is not reached. */
function boundOf(schema: SchemaObject, keyword: string): unknown {
  const limit = own(schema, keyword);
  return limit === true ? own(schema, keyword === "exclusiveMinimum" ? "minimum" : "maximum") : limit;
}

/** Bounds hold for a number of any size, exactly. */
function numberProblems(schema: SchemaObject, value: unknown, pointer: string): ValueProblem[] {
  const number = decimalOf(value);
  if (number === undefined) return [];
  const found = BOUNDS.flatMap(([keyword, words, holds]) => {
    const limit = boundOf(schema, keyword);
    const bound = decimalOf(limit);
    return bound === undefined || holds(compareDecimals(number, bound))
      ? []
      : [{ pointer, message: `must be ${words} ${JSON.stringify(limit)}` }];
  });
  const step = decimalOf(own(schema, "multipleOf"));
  if (step !== undefined && step.sign > 0 && isMultiple(number, step) === false) {
    found.push({ pointer, message: `must be a multiple of ${JSON.stringify(own(schema, "multipleOf"))}` });
  }
  return found;
}

function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => sameJson(item, other[at]));
  }
  const number = decimalOf(one);
  const second = decimalOf(other);
  if (number && second) return compareDecimals(number, second) === 0;
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length &&
    keys.every((key) => sameJson(one[key], own(other, key)));
}

function countProblems(
  schema: SchemaObject,
  count: number,
  pointer: string,
  [least, most]: readonly [string, string],
  what: string,
): ValueProblem[] {
  const low = own(schema, least);
  const high = own(schema, most);
  if (typeof low === "number" && count < low) {
    return [{ pointer, message: `must have at least ${low} ${what}` }];
  }
  if (typeof high === "number" && count > high) {
    return [{ pointer, message: `must have at most ${high} ${what}` }];
  }
  return [];
}
