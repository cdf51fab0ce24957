import { isObject } from "../../../lib/json/mod.ts";
import { ERROR_CODES, McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";

/** JSON-RPC codes that mcpx answers by itself. */
export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Resource not found, before 2026-07-28. */
  resourceMissing: -32002,
  /** The user has to visit a URL first, in 2025-11-25. */
  urlElicitation: -32042,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Where an answer carries the findings that explain a failed call, as data. */
export const DIAGNOSTICS_KEY = "dev.mcpx/diagnostics";

/** The `error` member of an answer. */
export interface RpcErrorBody {
  code: number;
  message: string;
  data?: unknown;
}

/** A request that is answered with an error of the protocol's own. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly body: RpcErrorBody;

  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.body = { code, message, ...(data ? { data } : {}) };
  }
}

/** What a host is told about anything thrown; a server's own error passes as it came. */
export function rpcErrorOf(thrown: unknown): RpcErrorBody {
  if (thrown instanceof RpcError) return thrown.body;
  const error = McpxError.from(thrown);
  const upstream = upstreamError(error);
  if (upstream) return upstream;
  const { code, message, hint, data } = error.toBody();
  return {
    code: ERROR_CODES[code].rpc,
    message,
    data: { code, ...(hint === undefined ? {} : { hint }), ...(data ? { details: data } : {}) },
  };
}

/** The JSON-RPC error that a server answered with, where that is what went wrong. */
export function upstreamError(error: McpxError): RpcErrorBody | undefined {
  const code = error.data?.code;
  if (error.code !== "upstream-error" || typeof code !== "number") return undefined;
  const { data } = error.data ?? {};
  // The server's own data stays as it is where findings have no place beside it.
  const explained = error.diagnostics && (data === undefined || isObject(data))
    ? { ...data, [DIAGNOSTICS_KEY]: error.diagnostics }
    : data;
  return { code, message: error.message, ...(explained === undefined ? {} : { data: explained }) };
}
