import { isObject, isSchema, own } from "./walk_schema.ts";
import type { JsonSchema } from "./types.ts";

/** A tool as far as its schemas go; a server may have sent anything. */
export interface SchemaBearer {
  /** The schema of its arguments. */
  readonly inputSchema?: unknown;
  /** The schema of its structured result. */
  readonly outputSchema?: unknown;
}

/** The words that `type` may hold. */
export const TYPE_WORDS: ReadonlySet<string> = new Set(
  ["string", "number", "integer", "boolean", "null", "array", "object"],
);

/**
 * The schema of a tool's arguments, which are an object whatever the server says: what is missing, is no schema, or
 * describes something else stands for any object.
 */
export function usableInput(tool: SchemaBearer): JsonSchema {
  const schema = tool.inputSchema;
  if (!isObject(schema)) return { type: "object" };
  const type = own(schema, "type");
  const fits = type === "object" || type === undefined || (Array.isArray(type) && type.includes("object"));
  if (!fits) return Object.hasOwn(schema, "properties") ? { ...schema, type: "object" } : { type: "object" };
  return type === "object" ? schema : { ...schema, type: "object" };
}

/** The schema of a tool's result; undefined where there is none to go by. */
export function usableOutput(tool: SchemaBearer): JsonSchema | undefined {
  return isSchema(tool.outputSchema) ? tool.outputSchema : undefined;
}
