import type { JsonObject } from "../../../lib/schema/mod.ts";
import { readCacheHint } from "../../../lib/catalog/mod.ts";
import { OWN_HINT } from "../face/list_hint.ts";
import { RPC, type RpcErrorBody } from "../wire/rpc_error.ts";

/** A result with the members that this era asks of it, where it has none of its own. */
export function modernResult(method: string, result: JsonObject): JsonObject {
  const shaped: JsonObject = result.resultType === undefined ? { resultType: "complete", ...result } : result;
  if (shaped.resultType !== "complete") return shaped;
  if (method === "server/discover") return { ...OWN_HINT, ...shaped };
  if (method === "resources/read") {
    const none = { ttlMs: 0, cacheScope: "private" };
    return { ...none, ...shaped, ...readCacheHint(shaped) ?? none };
  }
  return shaped;
}

/** A missing resource is an invalid parameter in this era. */
export function modernError(error: RpcErrorBody): RpcErrorBody {
  return error.code === RPC.resourceMissing ? { ...error, code: RPC.invalidParams } : error;
}

/** The HTTP status of an answer that nothing came before. */
export function statusOf(code: number): number {
  if (code === RPC.methodNotFound) return 404;
  const isRefusal = code === RPC.parse || code === RPC.invalidRequest || code === RPC.headerMismatch ||
    code === RPC.missingCapability || code === RPC.unsupportedVersion;
  return isRefusal ? 400 : 200;
}
