import { isObject } from "../../../json/mod.ts";
import { McpxError } from "../../../errors/mod.ts";
import type { JsonObject } from "../../../schema/types.ts";
import { clientCapabilities } from "../client_capabilities.ts";
import { NotThisEra, type OpenedEra, type OpenOptions, type ServerFacts, type Wire } from "../codec.ts";
import { makeEnvelope, META, MODERN_ERRORS, MODERN_VERSION } from "./envelope.ts";
import { ModernCodec, supports } from "./modern_codec.ts";

/**
 * Opens the modern era: sends `server/discover` and reads the answer.
 *
 * @throws {McpxError} `upstream-protocol` when the server speaks modern revisions, but none that mcpx does
 * @throws {NotThisEra} for every other answer, unless the era is forced
 */
export async function openModern(wire: Wire, options: OpenOptions): Promise<OpenedEra> {
  const { clientInfo, handlers, onNotification } = options;
  const envelope = makeEnvelope(clientInfo, clientCapabilities(handlers));
  const codec = new ModernCodec(wire, envelope, onNotification);
  return { codec, facts: await discover(wire, envelope, options) };
}

async function discover(wire: Wire, envelope: JsonObject, options: OpenOptions): Promise<ServerFacts> {
  const ask = (): Promise<JsonObject> =>
    wire.dispatcher.request(() => ({
      method: "server/discover",
      params: { _meta: envelope },
      headers: { "mcp-protocol-version": MODERN_VERSION, "mcp-method": "server/discover" },
    }), { signal: options.signal });
  try {
    return factsOf(await ask(), options.forced);
  } catch (error) {
    if (!isVersionError(error)) return judge(error, options.forced);
    if (!supports(error, MODERN_VERSION)) throw versionRefused(error, options.forced);
  }
  try {
    return factsOf(await ask(), options.forced);
  } catch (error) {
    return judge(error, options.forced);
  }
}

/** Decides what a failed `server/discover` says about the era. */
function judge(thrown: unknown, forced: boolean): ServerFacts {
  if (!(thrown instanceof McpxError)) throw thrown;
  if (forced && thrown.code === "upstream-error" && thrown.data?.code === -32601) return ASSUMED;
  if (forced || !speaksForAnotherEra(thrown)) throw thrown;
  throw new NotThisEra(thrown);
}

/** Credentials, broken servers and unreachable ones say nothing about the era. */
function speaksForAnotherEra(error: McpxError): boolean {
  if (error.code === "upstream-http") {
    return typeof error.data?.status === "number" && error.data.status < 500;
  }
  return ["upstream-error", "upstream-protocol", "outcome-unknown"].includes(error.code);
}

function isVersionError(error: unknown): error is McpxError {
  return error instanceof McpxError && error.code === "upstream-error" &&
    error.data?.code === MODERN_ERRORS.unsupportedVersion && isObject(error.data.data) &&
    Array.isArray(error.data.data.supported);
}

function factsOf(result: JsonObject, forced: boolean): ServerFacts {
  const { supportedVersions, capabilities, instructions, _meta } = result;
  if (!Array.isArray(supportedVersions)) {
    const error = new McpxError(
      "upstream-protocol",
      "Cannot use the answer to server/discover: it lists no supportedVersions.",
    );
    throw forced ? error : new NotThisEra(error);
  }
  if (!supportedVersions.includes(MODERN_VERSION)) throw noCommonVersion(supportedVersions, forced);
  const serverInfo = isObject(_meta) ? _meta[META.serverInfo] : undefined;
  return {
    protocolVersion: MODERN_VERSION,
    serverInfo: isObject(serverInfo) ? serverInfo : isObject(result.serverInfo) ? result.serverInfo : {},
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(typeof instructions === "string" ? { instructions } : {}),
    assumed: false,
  };
}

function versionRefused(error: McpxError, forced: boolean): Error {
  const data = error.data?.data;
  return noCommonVersion(isObject(data) && Array.isArray(data.supported) ? data.supported : [], forced);
}

/** A server whose offers are all of the handshake's days is asked for the handshake. */
function noCommonVersion(offered: unknown[], forced: boolean): Error {
  const error = new McpxError(
    "upstream-protocol",
    `Cannot speak with the server: it offers protocol revisions ${offered.join(", ") || "(none)"}.`,
    { hint: `mcpx speaks ${MODERN_VERSION} and the revisions before it.`, data: { supported: offered } },
  );
  const older = offered.some((version) => typeof version === "string" && version < MODERN_VERSION);
  return older && !forced ? new NotThisEra(error) : error;
}

/** A server that cannot be asked is taken to offer everything; what it lacks it will refuse. */
const ASSUMED: ServerFacts = {
  protocolVersion: MODERN_VERSION,
  serverInfo: {},
  capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
  assumed: true,
};
