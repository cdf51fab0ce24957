import { isObject, isRawNumber } from "../json/mod.ts";
import type { JsonObject } from "../schema/types.ts";
import { isSecretField } from "./secret_names.ts";

/** What one field of a form takes. */
export type FieldType = "string" | "number" | "integer" | "boolean" | "choice" | "choices" | "other";

/** One value that a choice offers. */
export interface FieldOption {
  /** The value that choosing it gives. */
  value: string;
  /** What people are shown. */
  title: string;
}

/** One field of a form, whichever way its schema was written. */
export interface FormField {
  /** The property's name. */
  name: string;
  /** What its value may be. */
  type: FieldType;
  /** A name for people. */
  title?: string;
  /** What it is for. */
  description?: string;
  /** Whether it has to be given. */
  required: boolean;
  /** Whether what it holds is never shown, logged or kept. */
  secret: boolean;
  /** What is taken where it is not given. */
  default?: unknown;
  /** The values to choose from, where there are such. */
  options?: FieldOption[];
  /** The field's own schema, as it was sent. */
  schema: JsonObject;
  /** Its bounds in words: `2 to 10 characters`, `an email address`. */
  constraints: string[];
}

const FORMATS: Readonly<Record<string, string>> = {
  email: "an email address",
  uri: "a URL",
  date: "a date, YYYY-MM-DD",
  "date-time": "a date and time, YYYY-MM-DDThh:mm:ssZ",
};

/**
 * The fields of a requested schema, in its order.
 *
 * Choices may be written as `enum`, with `enumNames`, as `oneOf` of titled constants, and as an array of either.
 *
 * @param schema anything that a server sent as `requestedSchema`
 *
 * @example
 * ```ts
 * import { formFields } from "./form_fields.ts";
 * const [field] = formFields({ properties: { size: { type: "string", oneOf: [{ const: "s", title: "Small" }] } } });
 * console.assert(field?.type === "choice" && field.options?.[0]?.title === "Small");
 * ```
 */
export function formFields(schema: unknown): FormField[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const required = isObject(schema) && Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, property]) => field(name, property, required.includes(name)));
}

function field(name: string, property: unknown, required: boolean): FormField {
  const schema = isObject(property) ? property : {};
  const items = isObject(schema.items) ? schema.items : undefined;
  const options = optionsOf(schema);
  const itemOptions = items && (schema.type === "array" || schema.type === undefined)
    ? optionsOf(items)
    : undefined;
  const type = options ? "choice" : itemOptions ? "choices" : plainType(schema.type);
  const offered = options ?? itemOptions;
  return {
    name,
    type,
    ...(typeof schema.title === "string" ? { title: schema.title } : {}),
    ...(typeof schema.description === "string" ? { description: schema.description } : {}),
    required,
    secret: isSecretField(name, schema),
    ...(Object.hasOwn(schema, "default") ? { default: schema.default } : {}),
    ...(offered ? { options: offered } : {}),
    schema,
    constraints: constraintsOf(type, schema),
  };
}

function plainType(type: unknown): FieldType {
  return type === "string" || type === "number" || type === "integer" || type === "boolean" ? type : "other";
}

/** The options of a schema that offers texts to choose from. */
function optionsOf(schema: JsonObject): FieldOption[] | undefined {
  for (const key of ["oneOf", "anyOf"]) {
    const members = schema[key];
    if (!Array.isArray(members) || members.length === 0) continue;
    const options = members.filter(isObject).flatMap(({ const: value, title }) =>
      typeof value === "string" ? [{ value, title: typeof title === "string" ? title : value }] : []
    );
    if (options.length === members.length) return options;
  }
  const values = schema.enum;
  if (!Array.isArray(values) || !values.every((value) => typeof value === "string")) return undefined;
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
  return values.map((value, at) => {
    const title: unknown = names[at];
    return { value, title: typeof title === "string" ? title : value };
  });
}

function constraintsOf(type: FieldType, schema: JsonObject): string[] {
  const words: string[] = [];
  if (type === "string") {
    words.push(...rangeWords(schema.minLength, schema.maxLength, "characters"));
    if (typeof schema.format === "string") words.push(FORMATS[schema.format] ?? `format ${schema.format}`);
    if (typeof schema.pattern === "string") words.push(`pattern ${schema.pattern}`);
  }
  if (type === "number" || type === "integer") {
    words.push(...rangeWords(schema.minimum, schema.maximum, ""));
    if (isNumber(schema.exclusiveMinimum)) words.push(`more than ${JSON.stringify(schema.exclusiveMinimum)}`);
    if (isNumber(schema.exclusiveMaximum)) words.push(`less than ${JSON.stringify(schema.exclusiveMaximum)}`);
    if (isNumber(schema.multipleOf)) words.push(`a multiple of ${JSON.stringify(schema.multipleOf)}`);
  }
  if (type === "choices") words.push(...rangeWords(schema.minItems, schema.maxItems, "of them"));
  return words;
}

function rangeWords(least: unknown, most: unknown, unit: string): string[] {
  const low = isNumber(least) ? JSON.stringify(least) : undefined;
  const high = isNumber(most) ? JSON.stringify(most) : undefined;
  const ended = unit === "" ? "" : ` ${unit}`;
  if (low !== undefined && high !== undefined) return [`${low} to ${high}${ended}`];
  if (low !== undefined) return [`at least ${low}${ended}`];
  return high === undefined ? [] : [`at most ${high}${ended}`];
}

/** Whether a value is a number, also one that is kept as its digits. */
export function isNumber(value: unknown): boolean {
  return typeof value === "number" || isRawNumber(value);
}
