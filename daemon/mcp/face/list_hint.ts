import { isObject } from "../../../lib/json/mod.ts";
import { type CacheHint, mergeCacheHints } from "../../../lib/catalog/mod.ts";
import type { Caller } from "../../../lib/engine/caller.ts";
import type { CatalogServer } from "../../../lib/engine/catalog.ts";
import type { ResolvedSettings, SettingPath } from "../../../lib/settings/mod.ts";
import type { Exposed } from "./exposed.ts";

/** A list that is put together from those of servers. */
export type MergedList = "tools" | "prompts" | "resources" | "resourceTemplates";

/** What holds for mcpx's own tools, and for servers that say nothing of it. */
export const OWN_HINT: CacheHint = { ttlMs: 10_000, cacheScope: "private" };

/** The capability that a server declares where it has such a list, and in which it says that it tells of changes. */
const CAPABILITY = {
  tools: "tools",
  prompts: "prompts",
  resources: "resources",
  resourceTemplates: "resources",
};
/** What a request can say that makes its lists other ones than everybody's. */
const SHAPING: readonly SettingPath[] = ["serve.mode", "serve.nameLimit", "serve.pageSize", "servers.groups"];

/** One list for one caller. */
export interface HintedList {
  list: MergedList;
  exposed: Exposed;
  caller: Caller;
  /** The settings where no request says otherwise. */
  base: ResolvedSettings;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * How long a merged list may be kept, and for whom: as strict as the strictest of its parts, and `private` where the request
 * itself decides what is in it.
 *
 * @see 2026-07-28 server/utilities/caching
 */
export function listHint({ list, exposed, caller, base, now }: HintedList): CacheHint {
  const { settings } = caller;
  const passesThrough = settings.get("serve.mode").includes("passthrough");
  const hasOwn = list === "tools" && [...exposed.tools.values()].some(({ kind }) => kind !== "upstream");
  const servers = list === "tools" && !passesThrough ? [] : exposed.servers;
  const merged = mergeCacheHints([
    ...(hasOwn ? [OWN_HINT] : []),
    ...servers.flatMap((server) => partHint(server, list, now)),
  ]) ?? OWN_HINT;
  const isOwnChoice = SHAPING.some((path) =>
    JSON.stringify(settings.get(path)) !== JSON.stringify(base.get(path))
  );
  return isOwnChoice ? { ...merged, cacheScope: "private" } : merged;
}

/** Whether what is known of a server's list is older than the server says it is good for, and nothing will tell of a change. */
export function isPast(server: CatalogServer, list: MergedList, now: number): boolean {
  return server.cached?.listing.cacheHints?.[list] !== undefined &&
    partHint(server, list, now)[0]?.ttlMs === 0;
}

/** What a server says of its list as of now; nothing of a list that it does not have. */
function partHint({ cached }: CatalogServer, list: MergedList, now: number): CacheHint[] {
  if (!cached) return [OWN_HINT];
  const { listing, readAt } = cached;
  const capability = listing.capabilities[CAPABILITY[list]];
  if (!capability) return [];
  const hint = listing.cacheHints?.[list];
  if (!hint) return [OWN_HINT];
  // What changes is told, and then read again: it does not grow old meanwhile.
  if (isObject(capability) && capability.listChanged === true) return [hint];
  return [{ ...hint, ttlMs: Math.max(0, hint.ttlMs - Math.max(0, now - Date.parse(readAt))) }];
}
