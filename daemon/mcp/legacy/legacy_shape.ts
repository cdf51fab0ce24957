import { isObject } from "../../../lib/json/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { Exposed } from "../face/exposed.ts";
import { RPC, type RpcErrorBody } from "../wire/rpc_error.ts";
import { olderContent } from "./older_content.ts";

/** A request as far as its result's shape depends on it. */
export interface ShapedRequest {
  method: string;
  params: JsonObject;
  /** The revision of the host. */
  version: string;
}

/** Since when a tool's definition has a member. */
const TOOL_MEMBERS: Readonly<Record<string, string>> = {
  annotations: "2025-03-26",
  title: "2025-06-18",
  outputSchema: "2025-06-18",
  _meta: "2025-06-18",
  icons: "2025-11-25",
  execution: "2025-11-25",
};
const STRUCTURED_SINCE = "2025-06-18";
const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";

/**
 * A result as hosts of the legacy era take it.
 *
 * What servers of the host's revision send passes untouched. Of a modern server's the marks of its era are left out, and what may
 * only be an object becomes one. Of what mcpx makes itself, members that the host's revision does not have are left out; kinds of
 * content that came later are told by those that it has.
 */
export function legacyResult(request: ShapedRequest, result: JsonObject, exposed: Exposed): JsonObject {
  const shaped = withoutMarks(result);
  const { method, params, version } = request;
  if (method === "tools/list" && Array.isArray(shaped.tools)) {
    return { ...shaped, tools: shaped.tools.map((tool) => legacyTool(tool, version, exposed)) };
  }
  if (method === "prompts/get") {
    const prompt = exposed.prompts.get(String(params.name));
    const revision = prompt?.entry.cached?.listing.protocolVersion;
    return revision !== undefined && revision > version ? olderContent(shaped, version) : shaped;
  }
  return method === "tools/call" ? legacyCall(request, shaped, exposed) : shaped;
}

/** A missing resource has a code of its own before 2026-07-28. */
export function legacyError(method: string, error: RpcErrorBody): RpcErrorBody {
  const isMissing = method === "resources/read" && error.code === RPC.invalidParams && isObject(error.data) &&
    error.data.uri !== undefined;
  return isMissing ? { ...error, code: RPC.resourceMissing } : error;
}

/** A result without what only the modern era has around it. */
function withoutMarks(result: JsonObject): JsonObject {
  const { resultType, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  if (resultType !== "complete") return result;
  const { _meta } = rest;
  if (!isObject(_meta) || _meta[SERVER_INFO_KEY] === undefined) return rest;
  const { [SERVER_INFO_KEY]: _info, ...kept } = _meta;
  const { _meta: _all, ...bare } = rest;
  return Object.keys(kept).length > 0 ? { ...rest, _meta: kept } : bare;
}

function legacyCall(
  { params, version }: ShapedRequest,
  result: JsonObject,
  exposed: Exposed,
): JsonObject {
  const tool = exposed.tools.get(String(params.name));
  if (tool?.kind !== "upstream") {
    const { structuredContent, ...rest } = result;
    const isKnown = structuredContent !== undefined && version >= STRUCTURED_SINCE;
    return olderContent(isKnown ? result : rest, version);
  }
  const revision = tool.entry.cached?.listing.protocolVersion ?? version;
  const shaped = revision > version ? olderContent(result, version) : result;
  const { structuredContent } = shaped;
  if (structuredContent === undefined || isObject(structuredContent) || revision !== "2026-07-28") {
    return shaped;
  }
  return { ...shaped, structuredContent: { result: structuredContent } };
}

function legacyTool(tool: unknown, version: string, exposed: Exposed): unknown {
  if (!isObject(tool)) return tool;
  const isOwn = exposed.tools.get(String(tool.name))?.kind !== "upstream";
  return objectOutput(isOwn ? ownTool(tool, version) : tool);
}

/** One of mcpx's own tools with the members that a revision has. */
function ownTool(tool: JsonObject, version: string): JsonObject {
  return Object.fromEntries(
    Object.entries(tool).filter(([name]) => version >= (TOOL_MEMBERS[name] ?? "")),
  );
}

/** Before 2026-07-28 only objects are structured content: anything else is told as the member `result` of one. */
function objectOutput(tool: JsonObject): JsonObject {
  if (tool.outputSchema === undefined) return tool;
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
