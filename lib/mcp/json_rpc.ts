import { isObject } from "../json/mod.ts";
import type { JsonObject } from "../schema/types.ts";

const EXCERPT_CHARS = 300;

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
  /** An answer that is neither a result nor an error. */
  | { kind: "broken"; id: unknown; why: string }
  | { kind: "odd"; why: string };

/** Tells what one parsed message is; a missing `jsonrpc` member is forgiven. */
export function readMessage(value: unknown): IncomingMessage {
  if (!isObject(value)) return { kind: "odd", why: "it is no JSON object" };
  const { id, method } = value;
  if (typeof method === "string") {
    const params = isObject(value.params) ? value.params : {};
    if (id === undefined) return { kind: "notification", method, params };
    if (typeof id === "number" || typeof id === "string") return { kind: "request", id, method, params };
    return { kind: "odd", why: "its id is neither a number nor a string" };
  }
  return readAnswer(id, value);
}

/** A member that is null counts as none beside the other one: so did an older JSON-RPC have it. */
function readAnswer(id: unknown, answer: JsonObject): IncomingMessage {
  const { result, error } = answer;
  const hasError = error !== undefined && error !== null;
  if (!hasError) {
    if ("result" in answer) return { kind: "result", id, result };
    if (id === undefined) return { kind: "odd", why: "it has neither a method nor a result nor an error" };
    const why = "error" in answer
      ? "its error is null, and it has no result"
      : "it has neither a result nor an error";
    return { kind: "broken", id, why };
  }
  if (result !== undefined && result !== null) {
    return { kind: "broken", id, why: `it has a result and an error too, ${excerpt(error)}` };
  }
  if (!isObject(error) || typeof error.message !== "string") {
    return { kind: "broken", id, why: `its error says nothing, and is ${excerpt(error)}` };
  }
  if (typeof error.code !== "number") {
    return {
      kind: "broken",
      id,
      why: `its error has the code ${excerpt(error.code)}, and says: ${error.message.replace(/\.$/, "")}`,
    };
  }
  const { code, message } = error;
  return { kind: "error", id, error: { code, message, ...("data" in error ? { data: error.data } : {}) } };
}

/** A value as JSON, cut where it is long. */
export function excerpt(value: unknown): string {
  try {
    const text = JSON.stringify(value) ?? "missing";
    return text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text;
  } catch (error) {
    if (error instanceof RangeError) return "nested too deep to be shown";
    throw error;
  }
}
