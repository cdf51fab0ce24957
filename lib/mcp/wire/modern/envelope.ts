import type { JsonObject } from "../../../schema/types.ts";

/** The revision without a handshake. */
export const MODERN_VERSION = "2026-07-28";

const PREFIX = "io.modelcontextprotocol/";

/** Names of the reserved `_meta` members. */
export const META = {
  protocolVersion: `${PREFIX}protocolVersion`,
  clientInfo: `${PREFIX}clientInfo`,
  clientCapabilities: `${PREFIX}clientCapabilities`,
  logLevel: `${PREFIX}logLevel`,
  serverInfo: `${PREFIX}serverInfo`,
} as const;

/** JSON-RPC codes that only this revision uses. */
export const MODERN_ERRORS = {
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Whether a JSON-RPC code is one by which a server shows that it speaks this revision. */
export function isModernError(code: unknown): boolean {
  return Object.values<unknown>(MODERN_ERRORS).includes(code);
}

/** The `_meta` members that every request carries. */
export function makeEnvelope(clientInfo: JsonObject, capabilities: JsonObject): JsonObject {
  return {
    [META.protocolVersion]: MODERN_VERSION,
    [META.clientInfo]: clientInfo,
    [META.clientCapabilities]: capabilities,
  };
}

/** The methods whose result may want input first (2026-07-28 basic/patterns/mrtr). */
export const MAY_WANT_INPUT: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);
