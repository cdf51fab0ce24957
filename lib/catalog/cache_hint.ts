import { isRawNumber } from "../json/mod.ts";
import type { JsonObject } from "../schema/types.ts";
import type { CacheHint } from "./types.ts";

/**
 * The cache hint of a result, where it has a usable one: a negative time is none at all, a scope that is not known is
 * `private`.
 *
 * @see 2026-07-28 server/utilities/caching
 */
export function readCacheHint({ ttlMs, cacheScope }: JsonObject): CacheHint | undefined {
  const ms = isRawNumber(ttlMs) ? Number(ttlMs.rawJSON) : ttlMs;
  if (typeof ms !== "number") return undefined;
  return {
    ttlMs: Math.floor(Math.min(Math.max(ms, 0), Number.MAX_SAFE_INTEGER)),
    cacheScope: cacheScope === "public" ? "public" : "private",
  };
}

/**
 * One hint for what is put together from several parts: as short-lived as the shortest, and private where any part is.
 *
 * @example
 * ```ts
 * import { mergeCacheHints } from "./cache_hint.ts";
 * const merged = mergeCacheHints([{ ttlMs: 9, cacheScope: "public" }, { ttlMs: 5, cacheScope: "private" }]);
 * console.assert(merged?.ttlMs === 5 && merged.cacheScope === "private");
 * ```
 */
export function mergeCacheHints(parts: readonly CacheHint[]): CacheHint | undefined {
  if (parts.length === 0) return undefined;
  return {
    ttlMs: Math.min(...parts.map(({ ttlMs }) => ttlMs)),
    cacheScope: parts.every(({ cacheScope }) => cacheScope === "public") ? "public" : "private",
  };
}
