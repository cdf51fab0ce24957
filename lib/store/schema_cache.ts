import { join } from "node:path";
import { CACHE_FORMAT, parseCachedListing } from "../catalog/mod.ts";
import type { ServerListing } from "../catalog/mod.ts";
import { writeFileAtomic } from "./atomic_file.ts";
import { readRegularText } from "./read_regular_file.ts";
import { UsableFolder } from "./usable_folder.ts";

/** One server's lists as they were last read. */
export interface CachedListing {
  listing: ServerListing;
  /** ISO 8601, UTC. */
  readAt: string;
}

/** The most that is read of one server's lists. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * The lists of every server, one file for each definition, keyed by the definition's digest. What cannot be read or kept is read from
 * the server again, and told once.
 */
export class SchemaCache {
  readonly #folder: UsableFolder;

  constructor(folder: string, options: { onUnusable?: (message: string) => void } = {}) {
    const { onUnusable = (): void => undefined } = options;
    this.#folder = new UsableFolder(folder, { what: "The cache of schemas", onUnusable });
  }

  /** The last good reading; `undefined` where there is none, or one of another format. */
  async read(definition: string): Promise<CachedListing | undefined> {
    const text = await this.#text(definition);
    if (text === undefined) return undefined;
    try {
      const file: unknown = JSON.parse(text);
      if (!isCacheFile(file) || file.format !== CACHE_FORMAT) return undefined;
      return { listing: parseCachedListing(file.listing), readAt: file.readAt };
    } catch {
      return undefined; // of another version, or damaged: the next reading takes its place
    }
  }

  /** Keeps a good reading, where it can be kept. */
  async write(definition: string, entry: CachedListing): Promise<void> {
    const folder = await this.#folder.path();
    if (folder === undefined) return;
    const file = { format: CACHE_FORMAT, readAt: entry.readAt, listing: entry.listing };
    try {
      await writeFileAtomic(join(folder, `${definition}.json`), JSON.stringify(file), { sync: false });
    } catch (error) {
      this.#folder.unusable(error);
    }
  }

  async #text(definition: string): Promise<string | undefined> {
    const folder = await this.#folder.path();
    if (folder === undefined) return undefined;
    try {
      return await readRegularText(join(folder, `${definition}.json`), { limit: MAX_BYTES });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) this.#folder.unusable(error);
      return undefined;
    }
  }
}

function isCacheFile(value: unknown): value is { format: string; readAt: string; listing: unknown } {
  return typeof value === "object" && value !== null && "format" in value && "readAt" in value &&
    "listing" in value &&
    typeof value.readAt === "string";
}
