import type { CatalogTool } from "../catalog/types.ts";
import { propertyKey } from "./literal.ts";
import { argumentsRequired } from "./arguments_required.ts";
import { SchemaDocument } from "./schema_document.ts";
import { TypeWriter } from "./type_writer.ts";
import type { JsonSchema } from "./types.ts";
import { usableInput, usableOutput } from "./usable_schema.ts";
import { isObject } from "./walk_schema.ts";

const MOST_SCHEMAS = 40;
const MOST_VALUES = 8;
const DEEPEST = 6;

/**
 * One line that shows a person how a tool is called and what it gives; large types are cut with `…`.
 *
 * @example
 * ```ts
 * import { signature } from "./signature.ts";
 * const inputSchema = { properties: { text: { type: "string" } }, required: ["text"] };
 * const tool = { namespace: "demo", fn: "echo", server: "demo", tool: { name: "echo", inputSchema }, findings: [] };
 * console.assert(signature(tool) === "demo.echo(args: { text: string }): Promise<unknown>");
 * ```
 */
export function signature(tool: Pick<CatalogTool, "namespace" | "fn" | "tool">): string {
  const input = new SchemaDocument(usableInput(tool.tool));
  const output = usableOutput(tool.tool);
  const key = propertyKey(tool.fn);
  const path = key === tool.fn || tool.fn === "new" ? `.${tool.fn}` : `[${key}]`;
  const parameter = takesNothing(input.root)
    ? ""
    : `args${argumentsRequired(input) ? "" : "?"}: ${oneLine(input)}`;
  const result = output === undefined ? "unknown" : oneLine(new SchemaDocument(output));
  return `${tool.namespace}${path}(${parameter}): Promise<${result}>`;
}

function oneLine(document: SchemaDocument): string {
  return new TypeWriter(document, {
    maxDepth: DEEPEST,
    budget: MOST_SCHEMAS,
    mostValues: MOST_VALUES,
    requiredFirst: true,
    rest: "…",
  }).write();
}

/** Whether the schema declares no parameters in any way. */
function takesNothing(schema: JsonSchema): boolean {
  return isObject(schema) &&
    Object.entries(schema).every(([key, value]) =>
      ["type", "$schema", "title", "description", "additionalProperties", "$defs", "definitions"].includes(
          key,
        )
        ? key !== "additionalProperties" || value === false
        : ["properties", "required"].includes(key) && Object.keys(Object(value)).length === 0
    );
}
