import { isObject, isSchema, own, pointerTo, walkSchema } from "./walk_schema.ts";
import type { JsonSchema, SchemaObject } from "./types.ts";

/** What a reference points at. */
export interface ReferenceTarget {
  /** Where it is in the document: a JSON pointer, empty for the root. */
  pointer: string;
  schema: JsonSchema;
}

/**
 * A schema with the means to follow its references; each is looked up once.
 *
 * @example
 * ```ts
 * import { SchemaDocument } from "./schema_document.ts";
 * const document = new SchemaDocument({ $defs: { R: { type: "integer" } } });
 * console.assert(document.resolve("#/$defs/R")?.pointer === "/$defs/R");
 * ```
 */
export class SchemaDocument {
  readonly root: JsonSchema;
  readonly #resolved = new Map<string, ReferenceTarget | undefined>();
  #anchors: Map<string, ReferenceTarget> | undefined;

  constructor(root: JsonSchema) {
    this.root = root;
  }

  /** What `reference` points at inside this document; undefined where that is nothing, or elsewhere. */
  resolve(reference: string): ReferenceTarget | undefined {
    if (this.#resolved.has(reference)) return this.#resolved.get(reference);
    const target = this.#find(reference);
    this.#resolved.set(reference, target);
    return target;
  }

  #find(reference: string): ReferenceTarget | undefined {
    if (reference === "#" || reference === "") return { pointer: "", schema: this.root };
    if (reference.startsWith("#/")) {
      return follow({ pointer: "", schema: this.root }, decode(reference.slice(1)));
    }
    this.#anchors ??= anchorsOf(this.root);
    const named = this.#anchors.get(reference);
    if (named) return named;
    const hash = reference.indexOf("#");
    if (hash <= 0) return undefined;
    const base = this.#anchors.get(reference.slice(0, hash));
    const fragment = decode(reference.slice(hash + 1));
    return base && (fragment === "" || fragment.startsWith("/")) ? follow(base, fragment) : undefined;
  }
}

/** The reference that a schema object holds, in the spelling of any draft. */
export function referenceOf(schema: SchemaObject): string | undefined {
  for (const key of ["$ref", "$dynamicRef", "$recursiveRef"]) {
    const value = own(schema, key);
    if (typeof value === "string") return value;
  }
  return undefined;
}

function follow(from: ReferenceTarget, fragment: string): ReferenceTarget | undefined {
  let value: unknown = from.schema;
  let pointer = from.pointer;
  for (const segment of fragment.split("/").slice(1)) {
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined;
    pointer = pointerTo(pointer, key);
  }
  return isSchema(value) ? { pointer, schema: value } : undefined;
}

function decode(fragment: string): string {
  if (!fragment.includes("%")) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    if (error instanceof URIError) return fragment;
    throw error;
  }
}

function anchorsOf(root: JsonSchema): Map<string, ReferenceTarget> {
  const anchors = new Map<string, ReferenceTarget>();
  for (const { schema, pointer } of walkSchema(root)) {
    if (!isObject(schema)) continue;
    for (const key of ["$id", "id", "$anchor", "$dynamicAnchor"]) {
      const value = own(schema, key);
      if (typeof value !== "string") continue;
      const name = key.endsWith("nchor") ? `#${value}` : value;
      if (!anchors.has(name)) anchors.set(name, { pointer, schema });
    }
  }
  return anchors;
}
