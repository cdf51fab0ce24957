import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostId } from "./host_message.ts";
import { RPC, type RpcErrorBody } from "./rpc_error.ts";

/** An error of the protocol's as a message; over HTTP one whose request could not be read has no `id`. */
export function errorMessage(id: HostId | null, error: RpcErrorBody): JsonObject {
  return { jsonrpc: "2.0", ...(id === null ? {} : { id }), error };
}

/** An error of the protocol's as a whole HTTP answer. */
export function errorResponse(status: number, id: HostId | null, error: RpcErrorBody): Response {
  return new Response(JSON.stringify(errorMessage(id, error)), {
    status,
    headers: { "content-type": "application/json" },
  });
}

/** The answer to a request that takes none of the kinds of answers that there are. */
export function notAcceptable(id: HostId | null): Response {
  const message = "The answer is application/json or text/event-stream, and Accept takes neither.";
  return errorResponse(406, id, { code: RPC.invalidRequest, message });
}
