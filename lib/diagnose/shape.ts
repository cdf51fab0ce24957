import type { McpTool } from "../catalog/types.ts";
import { flattenSchema } from "../schema/mod.ts";
import type { ShapeField, ToolShape } from "./types.ts";

const KEPT_DESCRIPTION = 4000;
const KEPT_FIELD_DESCRIPTION = 1000;
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/**
 * Flattens a tool to what its history compares: top-level arguments, hints and texts.
 *
 * @param tool the tool as the server sent it
 * @returns the shape, plain data of bounded text (Diagnose, "History")
 *
 * @example
 * ```ts
 * import { toolShape } from "./shape.ts";
 * const shape = toolShape({ name: "echo", inputSchema: { properties: { n: { type: "integer" } } } });
 * console.assert(shape.fields.n?.type === "integer");
 * ```
 */
export function toolShape(tool: McpTool): ToolShape {
  const fields: [string, ShapeField][] = [];
  let texts = asText(tool.description);
  for (const [name, property] of flattenSchema(tool.inputSchema)) {
    const description = asText(property.description);
    texts += `\n${name}: ${description}`;
    fields.push([name, {
      type: property.type,
      required: property.required,
      ...(description === "" ? {} : { description: description.slice(0, KEPT_FIELD_DESCRIPTION) }),
    }]);
  }
  const schema = tool.inputSchema;
  const closed = typeof schema === "object" && schema !== null && schema.additionalProperties === false;
  return {
    fields: Object.fromEntries(fields),
    hints: hintsOf(tool),
    description: asText(tool.description).slice(0, KEPT_DESCRIPTION),
    textDigest: digest(texts),
    ...(closed ? { closed } : {}),
  };
}

function hintsOf(tool: McpTool): Record<string, boolean> {
  const hints: Record<string, boolean> = {};
  for (const name of HINTS) {
    const value = tool.annotations?.[name];
    if (typeof value === "boolean") hints[name] = value;
  }
  return hints;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** FNV-1a: tells texts apart, and promises nothing against an enemy, who could change the kept part as well. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
