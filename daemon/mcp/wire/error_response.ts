import type { HostId } from "./host_message.ts";
import { RPC, type RpcErrorBody } from "./rpc_error.ts";

/** An error of the protocol's as a whole HTTP answer. */
export function errorResponse(status: number, id: HostId | null, error: RpcErrorBody): Response {
  return new Response(JSON.stringify({ jsonrpc: "2.0", id, error }), {
    status,
    headers: { "content-type": "application/json" },
  });
}

/** The answer to a request that takes none of the kinds of answers that there are. */
export function notAcceptable(id: HostId | null): Response {
  const message = "The answer is application/json or text/event-stream, and Accept takes neither.";
  return errorResponse(406, id, { code: RPC.invalidRequest, message });
}
