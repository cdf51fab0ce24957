import { z } from "zod";
import type { Operation } from "./define.ts";

/** What kind of text a field takes on a command line or in a query. */
export type FieldKind = "string" | "integer" | "number" | "boolean" | "enum" | "list" | "json";

/** One field of an operation's input, as every derived surface sees it. */
export interface OperationField {
  name: string;
  kind: FieldKind;
  required: boolean;
  help: string;
  values?: string[];
  default?: unknown;
}

const known = new WeakMap<object, OperationField[]>();

/** The input fields of an operation, read from its zod schema once. */
// deno-lint-ignore no-explicit-any -- an operation of any input and output
export function operationFields(operation: Operation<any, any>): OperationField[] {
  const before = known.get(operation);
  if (before) return before;
  const schema = z.toJSONSchema(operation.input, { io: "input", unrepresentable: "any" });
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    field(name, typeof property === "object" ? property : {}, required.has(name))
  );
  known.set(operation, fields);
  return fields;
}

function field(name: string, property: z.core.JSONSchema.JSONSchema, required: boolean): OperationField {
  const values = property.enum?.filter((value) => typeof value === "string");
  return {
    name,
    kind: values ? "enum" : kindOf(property),
    required,
    help: property.description ?? "",
    ...(values ? { values } : {}),
    ...(property.default === undefined ? {} : { default: property.default }),
  };
}

function kindOf(property: z.core.JSONSchema.JSONSchema): FieldKind {
  switch (property.type) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return property.type;
    case "array":
      return typeof property.items === "object" && !Array.isArray(property.items) &&
          property.items.type === "string"
        ? "list"
        : "json";
    default:
      return "json";
  }
}
