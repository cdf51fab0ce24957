import { join } from "node:path";
import { McpxError } from "../errors/mod.ts";
import { CACHE_FORMAT, parseCachedListing } from "../catalog/mod.ts";
import type { ServerListing } from "../catalog/mod.ts";
import { readTextIfPresent, writeFileAtomic } from "./atomic_file.ts";

/** One server's lists as they were last read. */
export interface CachedListing {
  listing: ServerListing;
  /** ISO 8601, UTC. */
  readAt: string;
}

/** The lists of every server, one file for each definition, keyed by the definition's digest. */
export class SchemaCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The last good reading; `undefined` where there is none, or one of another format. */
  async read(definition: string): Promise<CachedListing | undefined> {
    const text = await readTextIfPresent(this.#path(definition));
    if (text === undefined) return undefined;
    try {
      const file: unknown = JSON.parse(text);
      if (!isCacheFile(file) || file.format !== CACHE_FORMAT) return undefined;
      return { listing: parseCachedListing(file.listing), readAt: file.readAt };
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof McpxError || error instanceof TypeError) {
        return undefined;
      }
      throw error;
    }
  }

  /** Keeps a good reading. @throws {McpxError} `state-unwritable` */
  async write(definition: string, entry: CachedListing): Promise<void> {
    const file = { format: CACHE_FORMAT, readAt: entry.readAt, listing: entry.listing };
    await writeFileAtomic(this.#path(definition), JSON.stringify(file), { sync: false });
  }

  #path(definition: string): string {
    return join(this.#folder, `${definition}.json`);
  }
}

function isCacheFile(value: unknown): value is { format: string; readAt: string; listing: unknown } {
  return typeof value === "object" && value !== null && "format" in value && "readAt" in value &&
    "listing" in value &&
    typeof value.readAt === "string";
}
