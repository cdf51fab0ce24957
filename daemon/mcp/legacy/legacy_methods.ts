import { LOG_LEVELS } from "../../../lib/engine/log_levels.ts";
import { LEGACY_VERSIONS, NEWEST_LEGACY_VERSION } from "../../../lib/mcp/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { faceCapabilities } from "../face/capabilities.ts";
import type { Exposed } from "../face/exposed.ts";
import { instructionsFor } from "../face/instructions.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { SERVER_INFO } from "../face/server_info.ts";
import type { HostRequest } from "../host_request.ts";
import { isObject } from "../wire/host_message.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";
import type { LegacySession } from "./legacy_session.ts";
import { answerTask, isTaskMethod, noteTask } from "./legacy_tasks.ts";
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
      ...(version === "2025-11-25" && offersTasks(mode, exposed)
        ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
        : {}),
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
  if (isTaskMethod(method) && session.version === "2025-11-25") {
    return await answerTask(face, session, request);
  }
  const result = await face.answer(request);
  const exposed = face.known(request.caller);
  if (method === "tools/call") noteTask(session, params, result, exposed);
  return legacyResult(request, result, exposed);
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

function offersTasks(mode: readonly string[], { servers }: Exposed): boolean {
  return mode.includes("passthrough") &&
    servers.some(({ cached }) =>
      cached?.listing.protocolVersion === "2025-11-25" && isObject(cached.listing.capabilities.tasks)
    );
}
