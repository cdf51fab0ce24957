import type { JsonObject } from "../schema/types.ts";

/** The id of a JSON-RPC request. mcpx uses numbers; servers use what they like. */
export type RequestId = number | string;

/** The `error` member of a JSON-RPC answer. */
export interface RpcErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

/** A JSON-RPC message on its way to a server. */
export type OutgoingMessage =
  | { jsonrpc: "2.0"; id: number; method: string; params?: JsonObject }
  | { jsonrpc: "2.0"; method: string; params?: JsonObject }
  | { jsonrpc: "2.0"; id: RequestId; result: JsonObject }
  | { jsonrpc: "2.0"; id: RequestId; error: RpcErrorObject };

/** A message of the server's, told apart by its members. */
export type IncomingMessage =
  | { kind: "result"; id: unknown; result: unknown }
  | { kind: "error"; id: unknown; error: RpcErrorObject }
  | { kind: "request"; id: RequestId; method: string; params: JsonObject }
  | { kind: "notification"; method: string; params: JsonObject }
  | { kind: "odd"; why: string };

/** Whether `value` is a JSON object, as opposed to a list, null or a plain value. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Tells what one parsed message is; a missing `jsonrpc` member is forgiven. */
export function readMessage(value: unknown): IncomingMessage {
  if (!isJsonObject(value)) return { kind: "odd", why: "it is no JSON object" };
  const { id, method } = value;
  if (typeof method === "string") {
    const params = isJsonObject(value.params) ? value.params : {};
    if (id === undefined) return { kind: "notification", method, params };
    if (typeof id === "number" || typeof id === "string") return { kind: "request", id, method, params };
    return { kind: "odd", why: "its id is neither a number nor a string" };
  }
  if ("error" in value && value.error !== undefined && value.error !== null) {
    return { kind: "error", id, error: readError(value.error) };
  }
  if ("result" in value) return { kind: "result", id, result: value.result };
  return { kind: "odd", why: "it has neither a method nor a result nor an error" };
}

/** Reads an `error` member, whatever shape it has. */
function readError(value: unknown): RpcErrorObject {
  if (!isJsonObject(value)) return { code: -32603, message: String(value) };
  return {
    code: typeof value.code === "number" ? value.code : -32603,
    message: typeof value.message === "string" ? value.message : JSON.stringify(value),
    ...("data" in value ? { data: value.data } : {}),
  };
}
