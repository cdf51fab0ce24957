import { referenceOf, SchemaDocument } from "./schema_document.ts";
import type { JsonObject, SchemaObject } from "./types.ts";
import { flattenedRequired } from "./find_property.ts";
import { isObject, listOf, own } from "./walk_schema.ts";

const DEEPEST = 12;
const MOST_SCHEMAS = 500;

/** What one value costs at most. */
interface Building {
  document: SchemaDocument;
  left: number;
}

/**
 * The smallest value of a schema's type: the first value of an enum, else `""`, `0`, `false`, `[]`, or an object
 * with what is required.
 *
 * @param schema the schema of one value
 * @param root the document that references lead into; the schema itself by default
 * @returns a JSON value
 * @see spec/98 item 19
 *
 * @example
 * ```ts
 * import { minimalValue } from "./minimal_value.ts";
 * console.assert(minimalValue({ type: "string" }) === "");
 * ```
 */
export function minimalValue(schema: unknown, root: unknown = schema): unknown {
  const document = new SchemaDocument(isObject(root) ? root : true);
  return smallest(schema, { document, left: MOST_SCHEMAS }, 0);
}

function smallest(schema: unknown, building: Building, depth: number): unknown {
  if (!isObject(schema) || depth > DEEPEST || building.left-- <= 0) return null;
  if (Object.hasOwn(schema, "const")) return schema.const;
  const allowed = own(schema, "enum");
  if (Array.isArray(allowed)) return allowed.length > 0 ? allowed[0] : null;
  const type = own(schema, "type");
  const words = Array.isArray(type) ? type : [type];
  const word = words.find((each) => each !== "null") ?? words[0];
  if (word === undefined || word === "object") {
    const object = smallestObject(schema, building, depth);
    if (object !== undefined) return object;
  }
  if (word !== undefined && word !== "object") return smallestOf(word, schema, building, depth);
  for (const member of alternatives(schema, building.document)) return smallest(member, building, depth + 1);
  if (word === undefined && ["items", "prefixItems"].some((key) => Object.hasOwn(schema, key))) {
    return smallestList(schema, building, depth);
  }
  return word === "object" ? {} : null;
}

/** What else says what a value is: the reference, one part of `allOf`, the first alternative that is not null. */
function alternatives(schema: SchemaObject, document: SchemaDocument): unknown[] {
  const reference = referenceOf(schema);
  const target = reference === undefined ? undefined : document.resolve(reference)?.schema;
  if (target !== undefined) return [target];
  const choices = ["anyOf", "oneOf"].flatMap((key) => listOf(schema, key));
  const typed = choices.filter((choice) => isObject(choice) && own(choice, "type") !== "null");
  return [...listOf(schema, "allOf"), ...typed, ...choices].slice(0, 1);
}

function smallestOf(word: unknown, schema: SchemaObject, building: Building, depth: number): unknown {
  switch (word) {
    case "string":
      return "";
    case "integer":
    case "number":
      return smallestNumber(schema, word === "integer");
    case "boolean":
      return false;
    case "array":
      return smallestList(schema, building, depth);
    default:
      return null;
  }
}

/** Zero, or what is nearest to it within the bounds. */
function smallestNumber(schema: SchemaObject, whole: boolean): number {
  const least = own(schema, "minimum") ?? own(schema, "exclusiveMinimum");
  const most = own(schema, "maximum") ?? own(schema, "exclusiveMaximum");
  const open = own(schema, "minimum") === undefined;
  if (typeof least === "number" && (least > 0 || (open && least === 0))) {
    return open ? Math.floor(least) + 1 : whole ? Math.ceil(least) : least;
  }
  if (typeof most === "number" && most < 0) return whole ? Math.floor(most) : most;
  return 0;
}

function smallestList(schema: SchemaObject, building: Building, depth: number): unknown[] {
  const items = own(schema, "items");
  const first = Array.isArray(items) ? items : listOf(schema, "prefixItems");
  return first.map((item) => smallest(item, building, depth + 1));
}

/** The object with what is required; undefined where the schema describes none. */
function smallestObject(schema: SchemaObject, building: Building, depth: number): JsonObject | undefined {
  const required = flattenedRequired(schema, building.document);
  if (required.size === 0) {
    return own(schema, "type") === "object" || Object.hasOwn(schema, "properties") ? {} : undefined;
  }
  const object: JsonObject = {};
  for (const [name, property] of required) {
    const value = smallest(property, building, depth + 1);
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}
