/**
 * JSON Schema as servers send it: written as TypeScript, flattened, checked, and used to read and explain values.
 *
 * @module
 */
export { checkToolSchemas } from "./check_tool_schemas.ts";
export { coerceArguments } from "./coerce_arguments.ts";
export { emitNamespace, type NamespaceTypes } from "./emit_namespace.ts";
export { emitTypes } from "./emit_types.ts";
export { flattenSchema } from "./flatten_schema.ts";
export { minimalValue } from "./minimal_value.ts";
export { fitsPattern } from "./safe_pattern.ts";
export { SCRIPT_GLOBALS } from "./script_globals.ts";
export { signature } from "./signature.ts";
export { argumentsRequired } from "./arguments_required.ts";
export type { FlatProperty, JsonObject, JsonSchema, SchemaObject } from "./types.ts";
export type { SchemaBearer } from "./usable_schema.ts";
export { validateValue, type ValueProblem } from "./validate_value.ts";
