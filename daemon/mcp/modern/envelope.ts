import { isObject } from "../../../lib/json/mod.ts";
import { LOG_LEVELS } from "../../../lib/engine/log_levels.ts";
import { META, MODERN_VERSION } from "../../../lib/mcp/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";

/** What every modern request says about itself. */
export interface Envelope {
  version: string;
  capabilities: JsonObject;
  logLevel?: string;
}

/** Whether a message speaks of a revision by itself, as the modern era has it. */
export function hasEnvelope(params: JsonObject): boolean {
  return isObject(params._meta) && params._meta[META.protocolVersion] !== undefined;
}

/**
 * Reads the envelope of a request.
 *
 * @throws {RpcError} -32602 where it is incomplete, -32022 for a revision that is not served this way
 */
export function readEnvelope(params: JsonObject): Envelope {
  const meta = isObject(params._meta) ? params._meta : {};
  const version = versionOf(params);
  if (version !== MODERN_VERSION) {
    throw new RpcError(RPC.unsupportedVersion, `Unsupported protocol version: ${version}`, {
      supported: [MODERN_VERSION],
      requested: version,
    });
  }
  const capabilities = meta[META.clientCapabilities];
  if (!isObject(capabilities)) throw incomplete(META.clientCapabilities);
  const logLevel = meta[META.logLevel];
  if (logLevel !== undefined && !(typeof logLevel === "string" && LOG_LEVELS.includes(logLevel))) {
    throw new RpcError(RPC.invalidParams, `Unknown log level: ${String(logLevel)}`);
  }
  return { version, capabilities, ...(typeof logLevel === "string" ? { logLevel } : {}) };
}

/** The revision that a request is made in. @throws {RpcError} -32602 where it says none */
export function versionOf(params: JsonObject): string {
  const version = isObject(params._meta) ? params._meta[META.protocolVersion] : undefined;
  if (typeof version !== "string") throw incomplete(META.protocolVersion);
  return version;
}

function incomplete(member: string): RpcError {
  return new RpcError(RPC.invalidParams, `The request's _meta lacks ${member}.`, { missing: member });
}
