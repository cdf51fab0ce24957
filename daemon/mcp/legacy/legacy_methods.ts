import { isObject } from "../../../lib/json/mod.ts";
import { LOG_LEVELS } from "../../../lib/engine/log_levels.ts";
import { LEGACY_VERSIONS, NEWEST_LEGACY_VERSION } from "../../../lib/mcp/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { faceCapabilities } from "../face/capabilities.ts";
import type { Exposed } from "../face/exposed.ts";
import { instructionsFor } from "../face/instructions.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { SERVER_INFO } from "../face/server_info.ts";
import type { HostRequest } from "../host_request.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";
import type { LegacySession } from "./legacy_session.ts";
import { LegacyTasks } from "./legacy_tasks.ts";
import { legacyResult } from "./legacy_shape.ts";

/** What a host says when it opens a session. @throws {RpcError} -32602 */
export function readInitialize(params: JsonObject): { version: string; capabilities: JsonObject } {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string") {
    throw new RpcError(RPC.invalidParams, "`protocolVersion` is not a string.", {
      supported: [...LEGACY_VERSIONS],
    });
  }
  if (!isObject(capabilities)) throw new RpcError(RPC.invalidParams, "`capabilities` is not an object.");
  if (!isObject(clientInfo)) throw new RpcError(RPC.invalidParams, "`clientInfo` is not an object.");
  return {
    version: LEGACY_VERSIONS.includes(protocolVersion) ? protocolVersion : NEWEST_LEGACY_VERSION,
    capabilities,
  };
}

/** The answer to `initialize`. */
export function initializeResult(
  version: string,
  exposed: Exposed,
  { mode, canPush }: { mode: readonly string[]; canPush: boolean },
): JsonObject {
  return {
    protocolVersion: version,
    capabilities: {
      ...faceCapabilities(version, exposed, canPush),
      ...(version === "2025-11-25" && mode.includes("passthrough") ? taskCapability(exposed) : {}),
    },
    serverInfo: serverInfoFor(version),
    instructions: instructionsFor(mode, exposed),
  };
}

/** Names for people came with 2025-06-18. */
function serverInfoFor(version: string): JsonObject {
  const { title: _title, ...rest } = SERVER_INFO;
  return version >= "2025-06-18" ? SERVER_INFO : rest;
}

/** Answers one request of a session's. @throws {RpcError} @throws {McpxError} */
export async function answerLegacy(
  face: McpFace,
  session: LegacySession,
  request: HostRequest,
): Promise<JsonObject> {
  const { method, params } = request;
  switch (method) {
    case "ping":
      return {};
    case "initialize":
      throw new RpcError(RPC.invalidRequest, "The session is initialized already.");
    case "logging/setLevel":
      return setLevel(session, params);
    case "resources/subscribe":
      await session.subscribe(uriOf(params));
      return {};
    case "resources/unsubscribe":
      await session.unsubscribe(uriOf(params));
      return {};
  }
  if (LegacyTasks.has(method) && session.version === "2025-11-25") return await session.tasks.answer(request);
  const result = await face.answer(request);
  const exposed = face.known(request.caller);
  const noted = method === "tools/call" ? await session.tasks.note(request, result, exposed) : result;
  return legacyResult(request, noted, exposed);
}

function setLevel(session: LegacySession, { level }: JsonObject): JsonObject {
  if (typeof level !== "string" || !LOG_LEVELS.includes(level)) {
    throw new RpcError(RPC.invalidParams, `Unknown log level: ${String(level)}`, { levels: [...LOG_LEVELS] });
  }
  session.logLevel = level;
  return {};
}

function uriOf({ uri }: JsonObject): string {
  if (typeof uri !== "string") throw new RpcError(RPC.invalidParams, "`uri` is not a string.");
  return uri;
}

/** The list is mcpx's own; whether a task can be cancelled is for the servers. */
function taskCapability({ servers }: Exposed): JsonObject {
  const declared = servers.flatMap(({ cached }) => {
    const tasks = cached?.listing.protocolVersion === "2025-11-25"
      ? cached.listing.capabilities.tasks
      : undefined;
    const requests = isObject(tasks) && isObject(tasks.requests) ? tasks.requests : {};
    return isObject(tasks) && isObject(requests.tools) && requests.tools.call !== undefined ? [tasks] : [];
  });
  if (declared.length === 0) return {};
  const cancel = declared.some((tasks) => tasks.cancel !== undefined) ? { cancel: {} } : {};
  return { tasks: { list: {}, ...cancel, requests: { tools: { call: {} } } } };
}
