import type { JsonObject, JsonSchema } from "../schema/types.ts";

/** Where a result does not fit the tool's output schema. */
export interface StructuredWarning {
  /** JSON pointer into the result envelope. */
  pointer: string;
  message: string;
}

/** Checks a value by a schema: one entry for each thing that does not fit. */
export type ValidateValue = (
  schema: JsonSchema,
  value: unknown,
) => readonly { pointer: string; message: string }[];

/**
 * Checks a result by the tool's output schema. The result is good all the same: these are warnings.
 *
 * @param outputSchema the tool's, where it has one
 * @param envelope the result; an `isError` one is not meant for the schema and never checked
 * @param validate the validator
 * @returns what does not fit
 *
 * @example
 * ```ts
 * import { checkStructured } from "./check_structured.ts";
 * console.assert(checkStructured({ type: "object" }, { content: [] }, () => [])[0]?.pointer === "/structuredContent");
 * ```
 */
export function checkStructured(
  outputSchema: JsonSchema | undefined,
  envelope: JsonObject,
  validate: ValidateValue,
): StructuredWarning[] {
  if (outputSchema === undefined || envelope.isError === true) return [];
  const { structuredContent } = envelope;
  if (structuredContent === undefined) {
    return [{
      pointer: "/structuredContent",
      message: "The tool declares an output schema, but its result has no structuredContent.",
    }];
  }
  return validate(outputSchema, structuredContent)
    .map(({ pointer, message }) => ({ pointer: `/structuredContent${pointer}`, message }));
}
