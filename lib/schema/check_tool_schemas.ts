import type { SchemaFinding } from "../catalog/types.ts";
import { referenceOf, SchemaDocument } from "./schema_document.ts";
import type { JsonSchema, SchemaObject } from "./types.ts";
import { type SchemaBearer, TYPE_WORDS } from "./usable_schema.ts";
import { entriesOf, isObject, isSchema, own, pointerTo, walkSchema } from "./walk_schema.ts";

/** Words that other languages use for a type, with JSON Schema's. */
const MEANT: Readonly<Record<string, string>> = {
  int: "integer",
  int32: "integer",
  int64: "integer",
  long: "integer",
  float: "number",
  double: "number",
  decimal: "number",
  str: "string",
  text: "string",
  char: "string",
  date: "string",
  datetime: "string",
  uuid: "string",
  bool: "boolean",
  list: "array",
  tuple: "array",
  set: "array",
  dict: "object",
  map: "object",
  struct: "object",
  none: "null",
  nil: "null",
  undefined: "null",
};

const MOST_FINDINGS = 50;
const SHORT = 60;

/**
 * What is odd in the schemas of one tool; the tool stays listed and callable whatever is found.
 *
 * @param tool a tool as the server sent it
 * @returns findings, each with a JSON pointer into the tool; empty where all is well
 *
 * @example
 * ```ts
 * import { checkToolSchemas } from "./check_tool_schemas.ts";
 * const [finding] = checkToolSchemas({ inputSchema: { type: "object", properties: { a: { type: "int" } } } });
 * console.assert(finding?.hint === "Did you mean \"integer\"?");
 * ```
 */
export function checkToolSchemas(tool: SchemaBearer): SchemaFinding[] {
  const findings = [...inputFindings(tool.inputSchema), ...outputFindings(tool.outputSchema)];
  return findings.slice(0, MOST_FINDINGS);
}

function inputFindings(schema: unknown): SchemaFinding[] {
  const pointer = "/inputSchema";
  if (schema === undefined) {
    return [{ pointer, message: "The tool declares no input schema: any object is taken." }];
  }
  if (!isObject(schema)) {
    return [{ pointer, message: `The input schema is ${nameOf(schema)}, no object: any object is taken.` }];
  }
  if (Object.keys(schema).every((key) => key === "$schema")) {
    return [{ pointer, message: "No parameters declared: the input schema says nothing." }];
  }
  const type = own(schema, "type");
  const fits = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  const root = fits ? [] : [{
    pointer: "/inputSchema/type",
    message: `The input schema's type is ${shown(type)}, but arguments are always an object.`,
    hint: 'The type should be "object".',
  }];
  return [...root, ...schemaFindings(schema, pointer, !fits)];
}

function outputFindings(schema: unknown): SchemaFinding[] {
  const pointer = "/outputSchema";
  if (schema === undefined) return [];
  if (isSchema(schema)) return schemaFindings(schema, pointer, false);
  return [{
    pointer,
    message: `The output schema is ${nameOf(schema)}, no schema: the result is typed unknown.`,
  }];
}

function schemaFindings(root: JsonSchema, base: string, skipRootType: boolean): SchemaFinding[] {
  const document = new SchemaDocument(root);
  const findings: SchemaFinding[] = [];
  for (const { schema, pointer } of walkSchema(root)) {
    if (!isObject(schema)) continue;
    if (findings.length >= MOST_FINDINGS) break;
    const at = `${base}${pointer}`;
    if (!(skipRootType && pointer === "")) findings.push(...typeFindings(schema, at));
    findings.push(...referenceFindings(schema, at, document), ...shapeFindings(schema, at));
  }
  return findings;
}

function typeFindings(schema: SchemaObject, at: string): SchemaFinding[] {
  const type = own(schema, "type");
  if (type === undefined) return [];
  const words = Array.isArray(type) ? type : [type];
  return words.filter((word) => typeof word !== "string" || !TYPE_WORDS.has(word)).map((word) => {
    const meant = typeof word === "string" ? meantBy(word) : undefined;
    return {
      pointer: `${at}/type`,
      message: `${shown(word)} is no type of JSON Schema: values are typed unknown.`,
      ...(meant === undefined ? {} : { hint: `Did you mean ${JSON.stringify(meant)}?` }),
    };
  });
}

function meantBy(word: string): string | undefined {
  const lower = word.toLowerCase();
  if (TYPE_WORDS.has(lower)) return lower;
  return Object.hasOwn(MEANT, lower) ? MEANT[lower] : undefined;
}

function referenceFindings(schema: SchemaObject, at: string, document: SchemaDocument): SchemaFinding[] {
  const reference = referenceOf(schema);
  if (reference === undefined || document.resolve(reference) !== undefined) return [];
  return [{
    pointer: `${at}/$ref`,
    message: `The reference ${shown(reference)} leads nowhere in this schema: values are typed unknown.`,
  }];
}

function shapeFindings(schema: SchemaObject, at: string): SchemaFinding[] {
  const findings: SchemaFinding[] = [];
  const properties = own(schema, "properties");
  if (properties !== undefined && !isObject(properties)) {
    findings.push({
      pointer: `${at}/properties`,
      message: `\`properties\` is ${nameOf(properties)}, no object.`,
    });
  }
  for (const [name, value] of entriesOf(schema, "properties")) {
    if (isSchema(value)) continue;
    const pointer = pointerTo(`${at}/properties`, name);
    findings.push(
      name === "required" && Array.isArray(value)
        ? {
          pointer,
          message: "`required` stands inside `properties`: it is read as a property of that name.",
          hint: "Beside `properties` it would list the required ones.",
        }
        : {
          pointer,
          message: `The property ${shown(name)} has ${nameOf(value)} for a schema: it is typed unknown.`,
        },
    );
  }
  const required = own(schema, "required");
  if (
    required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === "string"))
  ) {
    findings.push({ pointer: `${at}/required`, message: "`required` is no list of names: it is ignored." });
  }
  const allowed = own(schema, "enum");
  if (allowed !== undefined && !Array.isArray(allowed)) {
    findings.push({
      pointer: `${at}/enum`,
      message: `\`enum\` is ${nameOf(allowed)}, no list: it is ignored.`,
    });
  } else if (Array.isArray(allowed) && allowed.length === 0) {
    findings.push({ pointer: `${at}/enum`, message: "`enum` is empty: no value fits." });
  }
  return findings;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
