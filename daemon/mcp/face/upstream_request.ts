import { McpxError } from "../../../lib/errors/mod.ts";
import type { CatalogServer } from "../../../lib/engine/catalog.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostRequest } from "../host_request.ts";
import { isObject } from "../wire/host_message.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";
import { relayTo, upstreamParams } from "./relay.ts";
import { rewriteResult, uriRule } from "./uris.ts";

/** How many times a server may come back with further questions. */
const MOST_ROUNDS = 8;

/** A request to one server on a host's behalf. */
export interface UpstreamRequest {
  entry: CatalogServer;
  /** Members that are other ones towards the server: its own name of a tool, its own URI. */
  own: JsonObject;
  idempotent: boolean;
}

/**
 * Sends a host's request to a server, whole, and gives the result as it came.
 *
 * A host of the legacy era cannot be given questions as a result: it is asked them, and the request is sent again with
 * its answers.
 */
export async function requestUpstream(
  engine: Engine,
  request: HostRequest,
  target: UpstreamRequest,
): Promise<JsonObject> {
  const { entry, own, idempotent } = target;
  const rule = uriRule(entry.definition);
  let asking = 0;
  const relay = relayTo(request, { paused: () => asking > 0 });
  const { answers } = request;
  const caller = answers
    ? {
      ...request.caller,
      answers: {
        can: answers.can.bind(answers),
        ask: async (method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
          asking++;
          try {
            return await answers.ask(method, namingAsker(entry, method, params), signal);
          } finally {
            asking--;
          }
        },
      },
    }
    : request.caller;
  const params = upstreamParams(request, own);
  const rawErrors = request.era === "legacy" && answers?.can("elicitation/create", { mode: "url" }) === true;
  let result = await engine.request(entry, request.method, params, caller, { idempotent, relay, rawErrors });
  for (let round = 1; request.era === "legacy" && result.resultType === "input_required"; round++) {
    if (round > MOST_ROUNDS) throw tooManyRounds(entry);
    const { inputResponses, requestState } = await answerAll(request, result, entry);
    result = await engine.request(
      entry,
      request.method,
      { ...params, ...inputResponses, ...requestState },
      caller,
      { idempotent: false, relay, rawErrors },
    );
  }
  return rewriteResult(request.method, namingAskers(entry, result), rule);
}

/** A form or page to open, with who wants it said where hosts show it; a server that stands alone needs no name. */
function namingAsker({ definition }: CatalogServer, method: string, params: JsonObject): JsonObject {
  if (method !== "elicitation/create" || definition.prefix === "none") return params;
  return { ...params, message: `${definition.namespace}: ${String(params.message ?? "")}` };
}

/** A result that wants input, with who wants it said in each of its requests. */
function namingAskers(entry: CatalogServer, result: JsonObject): JsonObject {
  if (result.resultType !== "input_required" || !isObject(result.inputRequests)) return result;
  const named = Object.entries(result.inputRequests).map(([key, one]): [string, unknown] => {
    if (!isObject(one) || typeof one.method !== "string" || !isObject(one.params)) return [key, one];
    return [key, { ...one, params: namingAsker(entry, one.method, one.params) }];
  });
  return { ...result, inputRequests: Object.fromEntries(named) };
}

/** Asks the host everything that a server wants to know before it goes on. */
async function answerAll(
  request: HostRequest,
  result: JsonObject,
  entry: CatalogServer,
): Promise<{ inputResponses: JsonObject; requestState: JsonObject }> {
  const asked = isObject(result.inputRequests) ? result.inputRequests : {};
  const answered = await Promise.all(
    Object.entries(asked).map(async ([key, one]): Promise<[string, JsonObject]> => {
      const method = isObject(one) && typeof one.method === "string" ? one.method : "";
      const params = isObject(one) && isObject(one.params) ? one.params : {};
      if (!request.answers?.can(method, params)) {
        throw new RpcError(
          RPC.internal,
          `Cannot go on: the server asks for ${method || "something"}, which this host did not declare.`,
        );
      }
      const asked = namingAsker(entry, method, params);
      return [key, await request.answers.ask(method, asked, request.caller.signal)];
    }),
  );
  return {
    inputResponses: answered.length > 0 ? { inputResponses: Object.fromEntries(answered) } : {},
    requestState: result.requestState === undefined ? {} : { requestState: result.requestState },
  };
}

function tooManyRounds({ definition }: CatalogServer): McpxError {
  return new McpxError(
    "upstream-protocol",
    `Cannot finish the request: ${definition.name} asked for input more than ${MOST_ROUNDS} times.`,
  );
}
