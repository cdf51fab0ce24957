import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { Exposed } from "../face/exposed.ts";
import { isObject } from "../wire/host_message.ts";
import { RPC, type RpcErrorBody } from "../wire/rpc_error.ts";

/**
 * A result as hosts of the legacy era take it: what servers of that era send passes untouched; of a modern server's the
 * marks of its era are left out, and what may only be an object there becomes one.
 */
export function legacyResult(
  request: { method: string; params: JsonObject },
  result: JsonObject,
  exposed: Exposed,
): JsonObject {
  const { resultType, ...rest } = result;
  const shaped = resultType === "complete" ? rest : result;
  if (request.method === "tools/list" && Array.isArray(shaped.tools)) {
    return { ...shaped, tools: shaped.tools.map(legacyTool) };
  }
  if (request.method !== "tools/call" || shaped.structuredContent === undefined) return shaped;
  if (isObject(shaped.structuredContent)) return shaped;
  const tool = exposed.tools.get(String(request.params.name));
  const isModern = tool?.kind === "upstream" && tool.entry.cached?.listing.protocolVersion === "2026-07-28";
  return isModern ? { ...shaped, structuredContent: { result: shaped.structuredContent } } : shaped;
}

/** A missing resource has a code of its own before 2026-07-28. */
export function legacyError(method: string, error: RpcErrorBody): RpcErrorBody {
  const isMissing = method === "resources/read" && error.code === RPC.invalidParams && isObject(error.data) &&
    error.data.uri !== undefined;
  return isMissing ? { ...error, code: RPC.resourceMissing } : error;
}

/** Before 2026-07-28 only objects are structured content: anything else is told as the member `result` of one. */
function legacyTool(tool: unknown): unknown {
  if (!isObject(tool) || tool.outputSchema === undefined) return tool;
  if (isObject(tool.outputSchema) && tool.outputSchema.type === "object") return tool;
  const { $schema, ...schema } = isObject(tool.outputSchema) ? tool.outputSchema : {};
  return {
    ...tool,
    outputSchema: {
      ...($schema === undefined ? {} : { $schema }),
      type: "object",
      properties: { result: schema },
      required: ["result"],
    },
  };
}
