import { referenceOf, SchemaDocument } from "./schema_document.ts";
import { TypeWriter } from "./type_writer.ts";
import type { FlatProperty } from "./types.ts";
import { entriesOf, isObject, listOf, own, requiredOf } from "./walk_schema.ts";

const MOST_SCHEMAS = 200;
const DEEPEST_TYPE = 8;
const MOST_COLLECTED = 2000;
const LONGEST_CHAIN = 50;

/** Where the walk over a schema's ways to declare a property stands. */
interface Collecting {
  document: SchemaDocument;
  found: Map<string, { schema: unknown; required: boolean }>;
  seen: Set<unknown>;
}

/**
 * The parameters at the top of a schema, through `$ref`, `allOf`, `anyOf` and `oneOf`.
 *
 * What only some alternatives require is not required here.
 *
 * @param schema a tool's input schema, or anything a server sent in its place
 * @returns property -> what is known of it, in the order declared
 *
 * @example
 * ```ts
 * import { flattenSchema } from "./flatten_schema.ts";
 * const flat = flattenSchema({ properties: { n: { type: "integer" } }, required: ["n"] });
 * console.assert(flat.get("n")?.type === "integer" && flat.get("n")?.required);
 * ```
 */
export function flattenSchema(schema: unknown): Map<string, FlatProperty> {
  if (!isObject(schema)) return new Map();
  const document = new SchemaDocument(schema);
  const found: Collecting["found"] = new Map();
  collect(schema, { document, found, seen: new Set() }, true);
  const flat = new Map<string, FlatProperty>();
  for (const [name, { schema: property, required }] of found) {
    flat.set(name, { ...flatProperty(property, document), required });
  }
  return flat;
}

function collect(schema: unknown, into: Collecting, certain: boolean): void {
  if (!isObject(schema) || into.seen.has(schema) || into.seen.size > MOST_COLLECTED) return;
  into.seen.add(schema);
  for (const [name, property] of entriesOf(schema, "properties")) {
    const known = into.found.get(name);
    if (known === undefined) into.found.set(name, { schema: property, required: false });
    else if (known.schema === true) known.schema = property;
  }
  const reference = referenceOf(schema);
  if (reference !== undefined) collect(into.document.resolve(reference)?.schema, into, certain);
  for (const member of listOf(schema, "allOf")) collect(member, into, certain);
  for (const key of ["anyOf", "oneOf"]) {
    for (const member of listOf(schema, key)) collect(member, into, false);
  }
  if (!certain) return;
  for (const name of requiredOf(schema)) {
    const known = into.found.get(name);
    if (known) known.required = true;
    else into.found.set(name, { schema: true, required: true });
  }
}

function flatProperty(schema: unknown, document: SchemaDocument): Omit<FlatProperty, "required"> {
  const writer = new TypeWriter(document, {
    integer: "integer",
    maxDepth: DEEPEST_TYPE,
    budget: MOST_SCHEMAS,
    rest: "…",
  });
  const flat: { -readonly [K in keyof Omit<FlatProperty, "required">]: FlatProperty[K] } = {
    type: writer.write(schema),
  };
  const chain = followed(schema, document);
  const description = first(chain, "description");
  if (typeof description === "string") flat.description = description;
  const value = chain.find((step) => Object.hasOwn(step, "default"));
  if (value) flat.default = value.default;
  const allowed = first(chain, "enum");
  if (Array.isArray(allowed)) flat.enum = allowed;
  else {
    const fixed = chain.find((step) => Object.hasOwn(step, "const"));
    if (fixed) flat.enum = [fixed.const];
  }
  return flat;
}

/** The schema and what it refers to, nearest first. */
function followed(schema: unknown, document: SchemaDocument): { readonly [key: string]: unknown }[] {
  const chain: { readonly [key: string]: unknown }[] = [];
  let next = schema;
  while (isObject(next) && !chain.includes(next) && chain.length < LONGEST_CHAIN) {
    chain.push(next);
    const reference = referenceOf(next);
    const [only, second] = listOf(next, "allOf");
    next = reference !== undefined
      ? document.resolve(reference)?.schema
      : second === undefined
      ? only
      : undefined;
  }
  return chain;
}

function first(chain: readonly { readonly [key: string]: unknown }[], key: string): unknown {
  return chain.map((step) => own(step, key)).find((value) => value !== undefined);
}
