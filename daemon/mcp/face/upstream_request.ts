import { isObject } from "../../../lib/json/mod.ts";
import type { CatalogServer } from "../../../lib/engine/catalog.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostRequest } from "../host_request.ts";
import { forModern } from "./for_modern.ts";
import { relayTo, upstreamParams } from "./relay.ts";
import { rewriteResult, uriRule } from "./uris.ts";

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
 * What the server asks meanwhile goes to the host, if it can answer; a host of the legacy era, which cannot be given questions as a
 * result, is asked them one by one.
 */
export async function requestUpstream(
  engine: Engine,
  request: HostRequest,
  target: UpstreamRequest,
): Promise<JsonObject> {
  const { entry, own, idempotent } = target;
  const { answers, era, method } = request;
  const caller = answers
    ? {
      ...request.caller,
      answers: {
        can: answers.can.bind(answers),
        ask: (
          asked: string,
          params: JsonObject,
          signal: AbortSignal,
          onProgress?: (params: JsonObject) => void,
        ): Promise<JsonObject> => answers.ask(asked, namingAsker(entry, asked, params), signal, onProgress),
      },
    }
    : request.caller;
  const sent = engine.request(entry, method, upstreamParams(request, own), caller, {
    idempotent,
    relay: relayTo(request),
    inputAsResult: era === "modern",
    waitsForTask: method === "tasks/result",
    rawErrors: era === "legacy" && answers?.can("elicitation/create", { mode: "url" }) === true,
  });
  const result = era === "modern" ? await forModern(request, entry, sent) : await sent;
  return shownResult(method, result, entry);
}

/** What a server gave as the answer to a method, or said as that notification, as hosts see it. */
export function shownResult(method: string, result: JsonObject, entry: CatalogServer): JsonObject {
  return rewriteResult(method, namingAskers(entry, result), uriRule(entry.definition));
}

/** A form or page to open, with who wants it said where hosts show it; a server that stands alone needs no name. */
export function namingAsker({ definition }: CatalogServer, method: string, params: JsonObject): JsonObject {
  if (method !== "elicitation/create" || definition.prefix === "none") return params;
  return { ...params, message: `${definition.namespace}: ${String(params.message ?? "")}` };
}

/** A result that wants input, with who wants it said in each of its requests. */
function namingAskers(entry: CatalogServer, result: JsonObject): JsonObject {
  const wantsInput = result.resultType === "input_required" || result.status === "input_required";
  if (!wantsInput || !isObject(result.inputRequests)) return result;
  const named = Object.entries(result.inputRequests).map(([key, one]): [string, unknown] => {
    if (!isObject(one) || typeof one.method !== "string" || !isObject(one.params)) return [key, one];
    return [key, { ...one, params: namingAsker(entry, one.method, one.params) }];
  });
  return { ...result, inputRequests: Object.fromEntries(named) };
}
