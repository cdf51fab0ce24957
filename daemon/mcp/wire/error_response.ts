import type { HostId } from "./host_message.ts";
import type { RpcErrorBody } from "./rpc_error.ts";

/** An error of the protocol's as a whole HTTP answer. */
export function errorResponse(status: number, id: HostId | null, error: RpcErrorBody): Response {
  return new Response(JSON.stringify({ jsonrpc: "2.0", id, error }), {
    status,
    headers: { "content-type": "application/json" },
  });
}
