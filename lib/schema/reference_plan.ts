import { referenceOf, type ReferenceTarget, type SchemaDocument } from "./schema_document.ts";
import { isObject, listOf, type PlacedSchema, walkSchema } from "./walk_schema.ts";

/** A reference target that gets a type of its own. */
export interface NamedTarget extends ReferenceTarget {
  /** Equal where two documents mean the same type by it, whatever else is in them. */
  identity: string;
}

/** Beyond these a target is told apart by its document instead of its contents. */
const MAX_COMPARED_TARGETS = 200;
const MAX_COMPARED_DEPTH = 500;
const SMALL_ENUM = 8;
const DEFINITION = /^\/(?:\$defs|definitions)\/[^/]+$/;

/**
 * Chooses which reference targets of a document become named types.
 *
 * A definition that is used once, or that is a word or two, is better read where it is used; everything else is
 * named, so that recursion stays a type and nothing is written twice.
 *
 * @param document the schema
 * @param owner tells this document from every other
 * @returns the targets in order of first use
 *
 * @example
 * ```ts
 * import { SchemaDocument } from "./schema_document.ts";
 * import { planReferences } from "./reference_plan.ts";
 * const node = { properties: { next: { $ref: "#/$defs/node" } } };
 * const document = new SchemaDocument({ $ref: "#/$defs/node", $defs: { node } });
 * console.assert(planReferences(document, "demo")[0]?.pointer === "/$defs/node");
 * ```
 */
export function planReferences(document: SchemaDocument, owner: string): NamedTarget[] {
  const uses = countUses(document);
  const comparable = uses.size <= MAX_COMPARED_TARGETS;
  const named: NamedTarget[] = [];
  for (const { target, count } of uses.values()) {
    if (isSmall(target) || (count === 1 && DEFINITION.test(target.pointer))) continue;
    const contents = comparable ? contentsOf(target, document) : undefined;
    named.push({ ...target, identity: contents ?? `${owner}\0${target.pointer}` });
  }
  return named;
}

function countUses(document: SchemaDocument): Map<string, { target: ReferenceTarget; count: number }> {
  const uses = new Map<string, { target: ReferenceTarget; count: number }>();
  const visited = new Set<unknown>();
  const pending: ReferenceTarget[] = [{ pointer: "", schema: document.root }];
  for (let start = pending.pop(); start !== undefined; start = pending.pop()) {
    if (visited.has(start.schema)) continue;
    for (const { schema } of walkSchema(start.schema)) {
      if (!isObject(schema)) continue;
      visited.add(schema);
      const target = targetOf(schema, document);
      if (target === undefined) continue;
      const use = uses.get(target.pointer);
      if (use) use.count++;
      else uses.set(target.pointer, { target, count: 1 });
      if (!visited.has(target.schema)) pending.push(target);
    }
  }
  return uses;
}

function targetOf(schema: PlacedSchema["schema"], document: SchemaDocument): ReferenceTarget | undefined {
  const reference = isObject(schema) ? referenceOf(schema) : undefined;
  return reference === undefined ? undefined : document.resolve(reference);
}

function isSmall({ schema }: ReferenceTarget): boolean {
  if (!isObject(schema)) return true;
  if (referenceOf(schema) !== undefined || listOf(schema, "enum").length > SMALL_ENUM) return false;
  const [, second] = walkSchema(schema);
  return second === undefined && typeof schema.const !== "object";
}

/** The target and all it refers to, as text; undefined where that would be too much. */
function contentsOf(target: ReferenceTarget, document: SchemaDocument): string | undefined {
  const reached = new Map<string, unknown>();
  const pending = [target];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (reached.has(next.pointer)) continue;
    reached.set(next.pointer, next.schema);
    for (const { schema, depth } of walkSchema(next.schema)) {
      if (depth > MAX_COMPARED_DEPTH) return undefined;
      const inner = targetOf(schema, document);
      if (inner) pending.push(inner);
    }
  }
  return JSON.stringify([...reached]);
}
