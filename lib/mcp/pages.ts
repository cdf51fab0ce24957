import { isObject } from "../json/mod.ts";
import { mergeCacheHints, readCacheHint } from "../catalog/cache_hint.ts";
import type { CacheHint } from "../catalog/types.ts";
import { McpxError } from "../errors/mod.ts";
import type { JsonObject } from "../schema/types.ts";

/** More pages than any server has that knows where its list ends. */
const MOST_PAGES = 10_000;

/** A list, whole. */
export interface WholeList {
  entries: JsonObject[];
  /** What holds for all its pages, where any says how long it may be kept. */
  cacheHint?: CacheHint;
}

/**
 * Reads a paged list to its end. An empty cursor is a cursor; a repeated one ends the reading, with a warning.
 *
 * @param list its method, and the member of the result that holds the entries
 * @param read asks for one page
 * @param warnings takes a sentence about each thing that was odd
 * @throws {McpxError} what `read` throws; `upstream-protocol` when the first page has no list at all
 */
export async function readPages(
  list: { method: string; member: string },
  read: (params: JsonObject) => Promise<JsonObject>,
  warnings: string[],
): Promise<WholeList> {
  const entries: JsonObject[] = [];
  const hints: CacheHint[] = [];
  const whole = (): WholeList => {
    const cacheHint = mergeCacheHints(hints);
    return { entries, ...(cacheHint ? { cacheHint } : {}) };
  };
  const seen = new Set<string>();
  let params: JsonObject = {};
  for (let page = 1;; page++) {
    const result = await read(params);
    const items = result[list.member];
    const hint = readCacheHint(result);
    if (hint) hints.push(hint);
    if (Array.isArray(items)) {
      items.forEach((item, index) => {
        if (isObject(item)) entries.push(item);
        else warnings.push(`Entry ${index} on page ${page} of ${list.method} is no object and was left out.`);
      });
    } else if (page === 1) {
      throw new McpxError(
        "upstream-protocol",
        `Cannot read ${list.method}: the answer has no list ${list.member}.`,
      );
    } else {
      warnings.push(`Page ${page} of ${list.method} has no list ${list.member}.`);
    }
    const cursor = result.nextCursor;
    if (typeof cursor !== "string") return whole();
    if (seen.has(cursor) || page === MOST_PAGES) {
      const state = seen.has(cursor) ? `gives the cursor ${JSON.stringify(cursor)} again` : "does not end";
      warnings.push(`${list.method} ${state}; reading stopped after page ${page}.`);
      return whole();
    }
    seen.add(cursor);
    params = { cursor };
  }
}
