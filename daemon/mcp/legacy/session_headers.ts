import { LEGACY_VERSIONS, MODERN_VERSION } from "../../../lib/mcp/mod.ts";
import { RPC, type RpcErrorBody } from "../wire/rpc_error.ts";

/** The header that names a session. */
export const SESSION = "mcp-session-id";
const VERSION = "mcp-protocol-version";

/**
 * What is wrong with the revision that a request's header names, if anything.
 *
 * @param session the session that it is made in; absent for the one that begins it, which speaks of its revision itself
 */
export function versionProblem(
  { headers }: Request,
  session?: { version: string },
): RpcErrorBody | undefined {
  const version = headers.get(VERSION);
  if (version === null || version === session?.version) return undefined;
  if (!session && (LEGACY_VERSIONS.includes(version) || version === MODERN_VERSION)) return undefined;
  return {
    code: RPC.invalidRequest,
    message: session
      ? `The session speaks ${session.version}, and MCP-Protocol-Version says ${version}.`
      : `MCP-Protocol-Version says ${version}, which is not served.`,
    data: { supported: [...LEGACY_VERSIONS], requested: version },
  };
}
