import { isObject, isRawNumber } from "../../../lib/json/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { RPC, type RpcErrorBody } from "./rpc_error.ts";

/** The id of a host's request, as it came: a number may keep more digits than a double holds. */
export type HostId = string | number | { rawJSON: string };

/** A host's message, told apart by its members. */
export type HostMessage =
  | { kind: "request"; id: HostId; method: string; params: JsonObject }
  | { kind: "notification"; method: string; params: JsonObject }
  | { kind: "answer"; id: HostId; result?: JsonObject; error?: RpcErrorBody }
  | { kind: "bad"; id: HostId | null; error: RpcErrorBody };

/** Reads one parsed message; what is none tells the error that the protocol gives it. */
export function readHostMessage(value: unknown): HostMessage {
  if (!isObject(value)) return bad(null, RPC.invalidRequest, "The message is not a JSON object.");
  const { id, method, params } = value;
  const usable = isId(id) ? id : null;
  if (value.jsonrpc !== "2.0") return bad(usable, RPC.invalidRequest, 'The message lacks "jsonrpc": "2.0".');
  if (method === undefined) return readAnswer(value, usable);
  if (typeof method !== "string") return bad(usable, RPC.invalidRequest, "`method` is not a string.");
  if (id !== undefined && usable === null) {
    return bad(null, RPC.invalidRequest, "`id` is neither a string nor a number.");
  }
  if (params !== undefined && !isObject(params)) {
    return bad(usable, RPC.invalidParams, "`params` is not a JSON object.");
  }
  const given = isObject(params) ? params : {};
  return usable === null
    ? { kind: "notification", method, params: given }
    : { kind: "request", id: usable, method, params: given };
}

/** One text for one id, to look requests up by. */
export function idKey(id: unknown): string {
  return JSON.stringify(id) ?? "";
}

function readAnswer(value: JsonObject, id: HostId | null): HostMessage {
  if (id === null) return bad(null, RPC.invalidRequest, "The message has neither a method nor an id.");
  const { result, error } = value;
  if (isObject(error)) {
    return {
      kind: "answer",
      id,
      error: {
        code: typeof error.code === "number" ? error.code : RPC.internal,
        message: String(error.message ?? "The host answered with an error."),
        ...(error.data === undefined ? {} : { data: error.data }),
      },
    };
  }
  if (isObject(result)) return { kind: "answer", id, result };
  if (result === undefined && error === undefined) {
    return bad(id, RPC.invalidRequest, "The message has neither a method, nor a result, nor an error.");
  }
  // It is an answer all the same, and whoever asked must not wait for another one.
  return {
    kind: "answer",
    id,
    error: { code: RPC.internal, message: "The host's answer is no JSON object." },
  };
}

/** Whether a value can be the id of a request. */
export function isId(id: unknown): id is HostId {
  return typeof id === "string" || typeof id === "number" || isRawNumber(id);
}

function bad(id: HostId | null, code: number, message: string): HostMessage {
  return { kind: "bad", id, error: { code, message } };
}
