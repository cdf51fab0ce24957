import { referenceOf, SchemaDocument } from "./schema_document.ts";
import type { SchemaObject } from "./types.ts";
import { isObject, listOf, requiredOf } from "./walk_schema.ts";

const DEEPEST = 200;

/**
 * Whether a tool's argument object is required: an empty one cannot fit, because every way through the schema
 * requires some property.
 *
 * @param schema the tool's input schema, or its document where references were followed already
 *
 * @example
 * ```ts
 * import { argumentsRequired } from "./arguments_required.ts";
 * console.assert(argumentsRequired({ anyOf: [{ required: ["a"] }, { required: ["b"] }] }));
 * ```
 */
export function argumentsRequired(schema: unknown): boolean {
  const document = schema instanceof SchemaDocument
    ? schema
    : new SchemaDocument(isObject(schema) ? schema : true);
  return requires(document.root, { document, known: new Map(), depth: 0 });
}

interface Search {
  document: SchemaDocument;
  /** What was found for a schema, so that each is looked at once; false while it is being looked at. */
  known: Map<unknown, boolean>;
  depth: number;
}

function requires(schema: unknown, search: Search): boolean {
  if (!isObject(schema) || search.depth > DEEPEST) return false;
  const known = search.known.get(schema);
  if (known !== undefined) return known;
  search.known.set(schema, false);
  const found = requiresHere(schema, { ...search, depth: search.depth + 1 });
  search.known.set(schema, found);
  return found;
}

function requiresHere(schema: SchemaObject, search: Search): boolean {
  if (requiredOf(schema).length > 0) return true;
  const reference = referenceOf(schema);
  if (reference !== undefined && requires(search.document.resolve(reference)?.schema, search)) return true;
  if (listOf(schema, "allOf").some((member) => requires(member, search))) return true;
  return ["anyOf", "oneOf"].some((key) => {
    const members = listOf(schema, key);
    return members.length > 0 && members.every((member) => requires(member, search));
  });
}
