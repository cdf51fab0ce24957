import { isObject } from "../../../lib/json/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";

/** What a member that may be absent has to be. */
type Fits = (value: unknown) => boolean;

const text: Fits = (value) => typeof value === "string";
const flag: Fits = (value) => typeof value === "boolean";
const list: Fits = Array.isArray;

/** The members of an entry that the revisions name, beside those that it cannot be without. */
const COMMON: Readonly<Record<string, Fits>> = {
  title: text,
  description: text,
  annotations: isObject,
  _meta: isObject,
  icons: list,
};
const TOOL: Readonly<Record<string, Fits>> = { ...COMMON, execution: isObject, outputSchema: isObject };
const HINTS: Readonly<Record<string, Fits>> = {
  title: text,
  readOnlyHint: flag,
  destructiveHint: flag,
  idempotentHint: flag,
  openWorldHint: flag,
};
const RESOURCE: Readonly<Record<string, Fits>> = { ...COMMON, mimeType: text };
const ARGUMENT: Readonly<Record<string, Fits>> = { title: text, description: text, required: flag };

/**
 * A tool as every host's own schema takes it: hosts refuse a whole list for one odd entry. What a server sent that fits stays as it
 * is, to the same object; a tool whose schema is none can be called with whatever its server takes.
 *
 * @see server/tools, Data Types
 */
export function listableTool(tool: JsonObject): JsonObject {
  const fitting = fittingMembers(tool, TOOL);
  const inputSchema = objectSchema(fitting.inputSchema);
  const outputSchema = isObject(fitting.outputSchema) ? plainSchema(fitting.outputSchema) : undefined;
  const annotations = isObject(fitting.annotations)
    ? fittingMembers(fitting.annotations, HINTS)
    : fitting.annotations;
  const isSame = inputSchema === fitting.inputSchema && outputSchema === fitting.outputSchema &&
    annotations === fitting.annotations;
  if (isSame) return fitting;
  return {
    ...fitting,
    inputSchema,
    ...(outputSchema ? { outputSchema } : {}),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** A prompt, likewise: arguments without a name are none. */
export function listablePrompt(prompt: JsonObject): JsonObject {
  const fitting = fittingMembers(prompt, { ...COMMON, arguments: list });
  if (!Array.isArray(fitting.arguments)) return fitting;
  const given: unknown[] = fitting.arguments;
  const fit = given.filter((one): one is JsonObject => isObject(one) && typeof one.name === "string")
    .map((one) => fittingMembers(one, ARGUMENT));
  const isSame = fit.length === given.length && fit.every((one, at) => one === given[at]);
  return isSame ? fitting : { ...fitting, arguments: fit };
}

/** A resource or a template, likewise: one without a name is called by its address. */
export function listableResource(resource: JsonObject, address: "uri" | "uriTemplate"): JsonObject {
  const fitting = fittingMembers(resource, RESOURCE);
  return typeof fitting.name === "string" ? fitting : { ...fitting, name: String(fitting[address]) };
}

/** The entry without members of the wrong type; the same one where there are none. */
function fittingMembers(entry: JsonObject, fits: Readonly<Record<string, Fits>>): JsonObject {
  const wrong = Object.entries(fits).filter(([name, fit]) => entry[name] !== undefined && !fit(entry[name]));
  if (wrong.length === 0) return entry;
  const left = { ...entry };
  for (const [name] of wrong) delete left[name];
  return left;
}

/** The schema of arguments: an object's, whatever the server made of it. */
function objectSchema(schema: unknown): JsonObject {
  if (!isObject(schema) || (schema.type !== undefined && schema.type !== "object")) return { type: "object" };
  const plain = plainSchema(schema);
  return plain.type === "object" ? plain : { ...plain, type: "object" };
}

/** A schema whose properties are objects: `true` takes everything, and `false` nothing. */
function plainSchema(schema: JsonObject): JsonObject {
  const fitting = fittingMembers(schema, { properties: isObject, required: isTexts });
  const { properties } = fitting;
  if (!isObject(properties) || Object.values(properties).every(isObject)) return fitting;
  return {
    ...fitting,
    properties: Object.fromEntries(
      Object.entries(properties).map((
        [name, one],
      ) => [name, isObject(one) ? one : one === false ? { not: {} } : {}]),
    ),
  };
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
