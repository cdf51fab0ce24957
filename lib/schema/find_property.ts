import { referenceOf, type SchemaDocument } from "./schema_document.ts";
import type { SchemaObject } from "./types.ts";
import { isObject, listOf, own, requiredOf } from "./walk_schema.ts";

const MOST_SCHEMAS = 2000;

/**
 * The schema itself and every schema that says something about the same value: through `$ref`, `allOf`, `anyOf`,
 * `oneOf`, each once, nearest first.
 *
 * @param certain only those that always apply: no alternatives, but the first that requires something
 */
export function facets(schema: unknown, document: SchemaDocument, certain = false): SchemaObject[] {
  const found = new Set<SchemaObject>();
  const pending: unknown[] = [schema];
  for (let at = 0; at < pending.length && found.size < MOST_SCHEMAS; at++) {
    const next = pending[at];
    if (!isObject(next) || found.has(next)) continue;
    found.add(next);
    const reference = referenceOf(next);
    if (reference !== undefined) pending.push(document.resolve(reference)?.schema);
    pending.push(...listOf(next, "allOf"));
    for (const key of ["anyOf", "oneOf"]) {
      pending.push(...listOf(next, key).slice(0, certain ? 1 : undefined));
    }
  }
  return [...found];
}

/** The schema of the property `name`, wherever the schema declares it; undefined where it does not. */
export function findProperty(schema: unknown, name: string, document: SchemaDocument): unknown {
  for (const facet of facets(schema, document)) {
    const properties = own(facet, "properties");
    if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  }
  return undefined;
}

/** What a schema requires, with each property's schema; of alternatives the first counts. */
export function flattenedRequired(schema: unknown, document: SchemaDocument): Map<string, unknown> {
  const names = facets(schema, document, true).flatMap(requiredOf);
  return new Map(names.map((name) => [name, findProperty(schema, name, document) ?? true]));
}
