import { isObject } from "../../../lib/json/mod.ts";
import type { CatalogServer } from "../../../lib/engine/catalog.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import { MODERN_VERSION } from "../../../lib/mcp/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostRequest } from "../host_request.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";
import { hostCan } from "./can_answer.ts";

/** Where an error carries the code that a server gave it, when that code means something else to the host. */
const CODE_KEY = "dev.mcpx/code";

/**
 * A server's answer as a modern host may get it.
 *
 * A host is asked for nothing that it did not declare, and a code that its revision reserves does not reach it from a server that has
 * never heard of that.
 *
 * @throws {RpcError} -32021 where the server wants what the host cannot give, -32603 in the place of a reserved code
 */
export async function forModern(
  request: HostRequest,
  { cached }: CatalogServer,
  answer: Promise<JsonObject>,
): Promise<JsonObject> {
  let result: JsonObject;
  try {
    result = await answer;
  } catch (thrown) {
    throw withoutReservedCode(McpxError.from(thrown), cached?.listing.protocolVersion);
  }
  if (result.resultType !== "input_required" || !isObject(result.inputRequests)) return result;
  for (const one of Object.values(result.inputRequests)) {
    const method = isObject(one) && typeof one.method === "string" ? one.method : "";
    const params = isObject(one) && isObject(one.params) ? one.params : {};
    if (!hostCan(request, method, params)) throw missing(method, params);
  }
  return result;
}

function withoutReservedCode(error: McpxError, revision: string | undefined): Error {
  const { code, data } = error.data ?? {};
  if (error.code !== "upstream-error" || typeof code !== "number") return error;
  const isReserved = code <= -32020 && code >= -32099;
  if (!isReserved || (revision === MODERN_VERSION && code !== RPC.urlElicitation)) return error;
  const kept = isObject(data) ? data : data === undefined ? {} : { data };
  return new RpcError(RPC.internal, error.message, { ...kept, [CODE_KEY]: code });
}

function missing(method: string, params: JsonObject): RpcError {
  return new RpcError(
    RPC.missingCapability,
    `The server asks for ${method || "something"}, which the request did not declare.`,
    { requiredCapabilities: requiredFor(method, params) },
  );
}

function requiredFor(method: string, params: JsonObject): JsonObject {
  switch (method) {
    case "elicitation/create":
      return { elicitation: params.mode === "url" ? { url: {} } : { form: {} } };
    case "sampling/createMessage":
      return { sampling: params.tools === undefined ? {} : { tools: {} } };
    case "roots/list":
      return { roots: {} };
    default:
      return {};
  }
}
