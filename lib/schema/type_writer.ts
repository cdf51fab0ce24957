import type { ReferenceTarget, SchemaDocument } from "./schema_document.ts";
import { referenceOf } from "./schema_document.ts";
import { entriesOf, isObject, isSchema, listOf, own, requiredOf } from "./walk_schema.ts";
import { jsDoc } from "./js_doc.ts";
import { literalType, propertyKey } from "./literal.ts";
import { schemaNotes } from "./schema_notes.ts";
import type { SchemaObject } from "./types.ts";

/** How a schema is written as a type. */
export interface TypeWriterOptions {
  /** The name that stands for what a reference points at; without one it is written in place. */
  nameOf?: (target: ReferenceTarget) => string | undefined;
  /** Which names a named type needs before any object or list; writers that share names share it. */
  needs?: Map<string, Set<string>>;
  /** Whether objects are written one member a line, with their descriptions. */
  multiline?: boolean;
  /** The word for `integer`. */
  integer?: "integer" | "number";
  /** How many levels are written; deeper ones are `unknown`. */
  maxDepth?: number;
  /** How many schemas are written in all; further ones are `…` or `unknown`. */
  budget?: number;
  /** How many values of an `enum` are written. */
  mostValues?: number;
  /** Whether what is required is written first. */
  requiredFirst?: boolean;
  /** What stands for what is left out. */
  rest?: "unknown" | "…";
}

/** A piece of a type, with how tightly it binds. */
interface Piece {
  text: string;
  binds: "atom" | "and" | "or";
  /** A reference that leads back to its own start before anything was said: it adds nothing to a union. */
  circular?: boolean;
}

/** Where in the type a schema is written. */
interface Place {
  depth: number;
  indent: string;
  /** Still outside any object or list: a name used here must not lead back to itself. */
  immediate: boolean;
}

const UNKNOWN: Piece = { text: "unknown", binds: "atom" };
const NEVER: Piece = { text: "never", binds: "atom" };
const DEEPEST_INDENT = 40;
/** Levels beyond which nobody reads, and compilers run out of stack. */
const DEEPEST = 64;
const SIMPLE: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  boolean: "boolean",
  null: "null",
};
const OBJECT_WORDS = ["properties", "required", "additionalProperties", "patternProperties"];
const LIST_WORDS = ["items", "prefixItems", "additionalItems"];

/**
 * Writes the schemas of one document as TypeScript types; whatever a schema says, the text compiles.
 *
 * @example
 * ```ts
 * import { SchemaDocument } from "./schema_document.ts";
 * import { TypeWriter } from "./type_writer.ts";
 * const writer = new TypeWriter(new SchemaDocument({ type: ["string", "null"] }));
 * console.assert(writer.write() === "string | null");
 * ```
 */
export class TypeWriter {
  readonly #document: SchemaDocument;
  readonly #options: Required<Omit<TypeWriterOptions, "nameOf">> & Pick<TypeWriterOptions, "nameOf">;
  readonly #open = new Set<string>();
  #left: number;
  #writing = "";

  constructor(document: SchemaDocument, options: TypeWriterOptions = {}) {
    this.#document = document;
    this.#options = {
      multiline: false,
      integer: "number",
      maxDepth: DEEPEST,
      budget: Number.POSITIVE_INFINITY,
      mostValues: Number.POSITIVE_INFINITY,
      requiredFirst: false,
      rest: "unknown",
      needs: new Map(),
      ...options,
    };
    this.#left = this.#options.budget;
  }

  /** Writes `schema`, the document's root by default. */
  write(schema: unknown = this.#document.root, indent = ""): string {
    this.#writing = "";
    return this.#piece(schema, { depth: 0, indent, immediate: false }).text;
  }

  /** Writes the body of the type that `name` stands for. */
  writeNamed(name: string, target: ReferenceTarget, indent: string): string {
    this.#writing = name;
    return this.#piece(target.schema, { depth: 0, indent, immediate: true }).text;
  }

  #piece(schema: unknown, place: Place): Piece {
    if (schema === false) return NEVER;
    if (!isObject(schema)) return UNKNOWN;
    if (place.depth > this.#options.maxDepth || this.#left-- <= 0) {
      return { ...UNKNOWN, text: this.#options.rest };
    }
    const parts: Piece[] = [];
    const reference = referenceOf(schema);
    if (reference !== undefined) parts.push(this.#reference(reference, place));
    if (Object.hasOwn(schema, "const")) parts.push({ text: literalType(schema.const), binds: "atom" });
    else if (Array.isArray(own(schema, "enum"))) parts.push(this.#enumeration(listOf(schema, "enum")));
    else parts.push(this.#typed(schema, place));
    for (const key of ["anyOf", "oneOf"]) {
      const members = listOf(schema, key);
      if (members.length > 0) parts.push(union(members.map((member) => this.#piece(member, deeper(place)))));
    }
    for (const member of listOf(schema, "allOf")) parts.push(this.#piece(member, deeper(place)));
    const whole = intersection(parts);
    return own(schema, "nullable") === true ? union([whole, { text: "null", binds: "atom" }]) : whole;
  }

  #reference(reference: string, place: Place): Piece {
    const target = this.#document.resolve(reference);
    if (target === undefined) return UNKNOWN;
    const name = this.#options.nameOf?.(target);
    if (name !== undefined) return this.#mayNeed(name, place) ? { text: name, binds: "atom" } : circular();
    if (this.#open.has(target.pointer)) {
      return place.immediate ? circular() : { ...UNKNOWN, text: this.#options.rest };
    }
    this.#open.add(target.pointer);
    const piece = this.#piece(target.schema, { ...place, depth: place.depth + 1 });
    this.#open.delete(target.pointer);
    return piece;
  }

  /** Whether `name` can be written here without the type that is being written needing itself first. */
  #mayNeed(name: string, place: Place): boolean {
    if (!place.immediate || this.#writing === "") return true;
    const pending = [name];
    const seen = new Set<string>();
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (next === this.#writing) return false;
      if (seen.has(next)) continue;
      seen.add(next);
      pending.push(...this.#options.needs.get(next) ?? []);
    }
    const needs = this.#options.needs.get(this.#writing) ?? new Set();
    this.#options.needs.set(this.#writing, needs.add(name));
    return true;
  }

  #enumeration(values: readonly unknown[]): Piece {
    const { mostValues, rest } = this.#options;
    const pieces: Piece[] = values.slice(0, mostValues).map((value) => ({
      text: literalType(value),
      binds: "atom",
    }));
    if (values.length > mostValues) pieces.push({ text: rest, binds: "atom" });
    return union(pieces);
  }

  #typed(schema: SchemaObject, place: Place): Piece {
    const type = own(schema, "type");
    if (Array.isArray(type)) return union(type.map((word) => this.#word(word, schema, place)), UNKNOWN);
    if (type !== undefined) return this.#word(type, schema, place);
    if (OBJECT_WORDS.some((word) => Object.hasOwn(schema, word))) return this.#object(schema, place);
    return LIST_WORDS.some((word) => Object.hasOwn(schema, word)) ? this.#list(schema, place) : UNKNOWN;
  }

  #word(word: unknown, schema: SchemaObject, place: Place): Piece {
    if (word === "object") return this.#object(schema, place);
    if (word === "array") return this.#list(schema, place);
    if (word === "integer") return { text: this.#options.integer, binds: "atom" };
    return typeof word === "string" && Object.hasOwn(SIMPLE, word)
      ? { text: SIMPLE[word] ?? "unknown", binds: "atom" }
      : UNKNOWN;
  }

  #list(schema: SchemaObject, place: Place): Piece {
    const inside = { ...deeper(place), immediate: false };
    const items = own(schema, "items");
    const old = Array.isArray(items);
    const first = old ? items : listOf(schema, "prefixItems");
    const rest = old ? own(schema, "additionalItems") : items;
    if (first.length === 0) {
      if (rest === false) return { text: "[]", binds: "atom" };
      return { text: `${grouped(this.#piece(rest, inside))}[]`, binds: "atom" };
    }
    const least = own(schema, "minItems");
    const sure = typeof least === "number" && least < first.length
      ? Math.max(0, Math.ceil(least))
      : first.length;
    const parts = first.map((item, at) => {
      const piece = this.#piece(item, inside);
      return at < sure ? piece.text : `${grouped(piece)}?`;
    });
    if (rest !== false) parts.push(`...${grouped(this.#piece(rest, inside))}[]`);
    return { text: `[${parts.join(", ")}]`, binds: "atom" };
  }

  #object(schema: SchemaObject, place: Place): Piece {
    const inside = { depth: place.depth + 1, indent: nextIndent(place.indent), immediate: false };
    const properties = new Map(entriesOf(schema, "properties"));
    const required = new Set(requiredOf(schema));
    for (const name of required) if (!properties.has(name)) properties.set(name, true);
    const written = [...properties].map(([name, property]) => ({
      doc: this.#options.multiline && isObject(property)
        ? [description(property), schemaNotes(property)]
        : [],
      key: `${propertyKey(name)}${required.has(name) ? "" : "?"}`,
      type: this.#piece(property, inside).text,
      sure: required.has(name),
    }));
    const index = this.#index(schema, inside, written);
    if (written.length === 0) {
      if (index === undefined) return { text: "Record<string, unknown>", binds: "atom" };
      if (index === "unknown" || index === "never") {
        return { text: `Record<string, ${index}>`, binds: "atom" };
      }
      return { text: `{ [key: string]: ${index} }`, binds: "atom" };
    }
    if (this.#options.requiredFirst) written.sort((a, b) => Number(b.sure) - Number(a.sure));
    const members = written.map(({ key, type }) => `${key}: ${type}`);
    if (index !== undefined && index !== "never") members.push(`[key: string]: ${index}`);
    if (!this.#options.multiline) return { text: `{ ${members.join("; ")} }`, binds: "atom" };
    const lines = members.map((member, at) =>
      `${jsDoc(written[at]?.doc ?? [], inside.indent)}${inside.indent}${member};\n`
    );
    return { text: `{\n${lines.join("")}${place.indent}}`, binds: "atom" };
  }

  /** The type of members that are not named: undefined where the schema is silent, `never` where it allows none. */
  #index(
    schema: SchemaObject,
    inside: Place,
    named: readonly { type: string; sure: boolean }[],
  ): string | undefined {
    const additional = own(schema, "additionalProperties");
    const patterns = entriesOf(schema, "patternProperties").map(([, value]) => value);
    const schemas = additional === undefined || additional === false ? patterns : [...patterns, additional];
    if (schemas.length === 0) return additional === false ? "never" : undefined;
    if (!schemas.every(isSchema)) return "unknown";
    const type = union(schemas.map((member) => this.#piece(member, inside))).text;
    return named.every((member) => member.sure && member.type === type) ? type : "unknown";
  }
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

function nextIndent(indent: string): string {
  return indent.length >= DEEPEST_INDENT ? indent : `${indent}  `;
}

function description(schema: SchemaObject): string {
  const text = own(schema, "description");
  return typeof text === "string" ? text : "";
}

function circular(): Piece {
  return { ...UNKNOWN, circular: true };
}

function grouped(piece: Piece): string {
  return piece.binds === "atom" ? piece.text : `(${piece.text})`;
}

/** A union without repetitions; `unknown` takes everything in, and nothing at all is `otherwise`. */
function union(pieces: readonly Piece[], otherwise: Piece = NEVER): Piece {
  const told = pieces.filter((piece) => piece.circular !== true);
  if (told.length === 0) return pieces.length === 0 ? otherwise : circular();
  const texts = new Map(told.map((piece) => [piece.text, piece]));
  if (texts.has("unknown")) return UNKNOWN;
  if (texts.size > 1) texts.delete("never");
  const [only] = texts.values();
  if (texts.size === 1 && only) return only;
  return { text: [...texts.values()].map((piece) => piece.text).join(" | "), binds: "or" };
}

/** An intersection without what adds nothing to it. */
function intersection(pieces: readonly Piece[]): Piece {
  const texts = new Map(
    pieces.filter((piece) => piece.text !== "unknown").map((piece) => [piece.text, piece]),
  );
  if (texts.has("never")) return NEVER;
  if (texts.size > 1) texts.delete("Record<string, unknown>");
  const [only] = texts.values();
  if (only === undefined) return pieces.find((piece) => piece.circular) ?? UNKNOWN;
  if (texts.size === 1) return only;
  const parts = [...texts.values()].map((piece) => piece.binds === "or" ? `(${piece.text})` : piece.text);
  return { text: parts.join(" & "), binds: "and" };
}
