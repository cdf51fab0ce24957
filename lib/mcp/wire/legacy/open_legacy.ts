import { isObject } from "../../../json/mod.ts";
import { McpxError } from "../../../errors/mod.ts";
import type { JsonObject } from "../../../schema/types.ts";
import { clientCapabilities } from "../client_capabilities.ts";
import { NotThisEra, type OpenedEra, type OpenOptions, type Wire } from "../codec.ts";
import { LegacyCodec } from "./legacy_codec.ts";
import { LEGACY_VERSIONS, NEWEST_LEGACY_VERSION } from "./versions.ts";

/**
 * Opens the legacy era: sends `initialize` and reads the answer.
 *
 * @throws {McpxError} `upstream-protocol` for a revision that mcpx does not speak
 * @throws {NotThisEra} when the server refuses `initialize`
 */
export async function openLegacy(wire: Wire, options: OpenOptions): Promise<OpenedEra> {
  const params = {
    protocolVersion: NEWEST_LEGACY_VERSION,
    capabilities: clientCapabilities(options.handlers),
    clientInfo: options.clientInfo,
  };
  const result = await initialize(wire, params, options);
  const version = result.protocolVersion;
  if (typeof version !== "string" || !LEGACY_VERSIONS.includes(version)) throw unknownVersion(version);
  return {
    codec: new LegacyCodec(wire, version),
    facts: {
      protocolVersion: version,
      serverInfo: isObject(result.serverInfo) ? result.serverInfo : {},
      capabilities: isObject(result.capabilities) ? result.capabilities : {},
      ...(typeof result.instructions === "string" ? { instructions: result.instructions } : {}),
      assumed: false,
    },
  };
}

async function initialize(wire: Wire, params: JsonObject, options: OpenOptions): Promise<JsonObject> {
  try {
    return await wire.dispatcher.request(
      () => ({ method: "initialize", params, beginsSession: true, resumable: true }),
      { signal: options.signal },
    );
  } catch (error) {
    if (!options.forced && error instanceof McpxError && error.code === "upstream-error") {
      throw new NotThisEra(error);
    }
    throw error;
  }
}

function unknownVersion(version: unknown): McpxError {
  return new McpxError(
    "upstream-protocol",
    `Cannot speak with the server: it wants protocol revision ${JSON.stringify(version) ?? "(none)"}.`,
    {
      hint: `mcpx speaks ${LEGACY_VERSIONS.join(", ")} by initialize, and 2026-07-28.`,
      data: { version: version ?? null, supported: [...LEGACY_VERSIONS] },
    },
  );
}
