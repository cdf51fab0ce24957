import { McpxError } from "../errors/mod.ts";
import type { ServerListing } from "../catalog/mod.ts";
import type { Caller } from "./caller.ts";
import type { Catalog, CatalogServer } from "./catalog.ts";
import { ListingReader } from "./listing_reader.ts";
import type { ServerProblem } from "./summaries.ts";

/** What the keeper needs of the engine. */
export interface ListingKeeperOptions {
  catalog: Catalog;
  /** Reads one server's lists over a connection. */
  read(entry: CatalogServer, caller: Caller): Promise<ServerListing>;
  /** A caller for readings that nobody asked for. */
  background(): Caller;
  setTimer(run: () => void, ms: number): { cancel(): void };
  now(): number;
  note(level: "info" | "warn" | "error", text: string, data?: Record<string, unknown>): void;
  /** Told of every good reading before it is kept. */
  onListing?(entry: CatalogServer, listing: ServerListing, readAt: string): Promise<void>;
}

/** How long notices of changed lists are gathered, ms. */
const SETTLE_MS = 1000;
/** How long a host's request waits for a server that was never read, ms: hosts give a request up after a minute at the latest. */
const HOST_PATIENCE_MS = 10_000;

/** Reads servers' lists when they are needed, announced as changed, or served by a fresh process. */
export class ListingKeeper {
  readonly #options: ListingKeeperOptions;
  readonly #inFlight = new Map<string, { reading: Promise<boolean>; since: number }>();
  readonly #readers = new Map<string, ListingReader>();
  /** Definitions that were read since the daemon started. */
  readonly #readHere = new Set<string>();

  constructor(options: ListingKeeperOptions) {
    this.#options = options;
  }

  /**
   * Reads those of `entries` that were never read, or all of them `again`; all in parallel. An MCP host is not kept waiting for a
   * server that takes long to start: it is told of the change when that was read.
   *
   * @returns why servers could not be read, or cannot be used at all
   */
  async readAll(entries: readonly CatalogServer[], caller: Caller, again: boolean): Promise<ServerProblem[]> {
    const wanted = entries.filter(({ definition, cached }) =>
      !definition.error && !definition.disabled && (again || !cached)
    );
    const byDigest = new Map(wanted.map((entry) => [entry.digest, entry]));
    // A reload meanwhile puts other entries in the place of these, so what failed is kept here too.
    const failures = new Map<string, McpxError>();
    // Who asks about one server wants that one.
    const isHost = caller.surface === "mcp" && !again && entries.length > 1;
    let done = 0;
    await Promise.all([...byDigest.values()].map(async (entry) => {
      caller.emit({
        type: "progress",
        message: `reading ${entry.definition.namespace}`,
        progress: done,
        total: byDigest.size,
        server: entry.definition.namespace,
      });
      await (isHost ? this.#readSoon(entry, caller) : this.readNow(entry, caller)).catch((error) =>
        failures.set(entry.digest, McpxError.from(error))
      );
      done++;
    }));
    return entries.flatMap(({ definition, cached, failure, digest }) => {
      const failed = failures.get(digest);
      const read = failed && failed.code !== "cancelled" ? failed : failure;
      const error = definition.error ?? (cached && !again ? undefined : read);
      return error ? [{ server: definition.namespace, ...error.toBody() }] : [];
    });
  }

  /** Reads one server's lists, joining a reading under way; tells whether they changed. */
  readNow(entry: CatalogServer, caller: Caller): Promise<boolean> {
    const running = this.#inFlight.get(entry.digest);
    if (running) return running.reading;
    const reading = this.#read(entry, caller).finally(() => this.#inFlight.delete(entry.digest));
    this.#inFlight.set(entry.digest, { reading, since: this.#options.now() });
    return reading;
  }

  /** Reads one server's lists, and waits for that no longer than hosts do; the reading goes on. */
  async #readSoon(entry: CatalogServer, caller: Caller): Promise<boolean> {
    const { now, setTimer } = this.#options;
    const alone: Caller = { ...caller, signal: new AbortController().signal, emit: () => undefined };
    const reading = this.readNow(entry, alone);
    const since = this.#inFlight.get(entry.digest)?.since ?? now();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimer(
      () => reject(stillStarting(entry)),
      Math.max(0, HOST_PATIENCE_MS - (now() - since)),
    );
    try {
      return await Promise.race([reading, late]);
    } finally {
      timer.cancel();
    }
  }

  /** A fresh instance of a server has started: what it offers may differ from the cache. */
  started(entry: CatalogServer): void {
    const { scope, sharing } = entry.process;
    if (this.#inFlight.has(entry.digest)) return;
    if (this.#readHere.has(entry.digest) && (scope !== "global" || sharing === "exclusive")) return;
    this.notice(entry);
  }

  /** A server announced that its lists have changed. */
  notice(entry: CatalogServer): void {
    let reader = this.#readers.get(entry.digest);
    if (!reader) {
      reader = new ListingReader({
        read: () => this.readNow(entry, this.#options.background()),
        settleMs: SETTLE_MS,
        setTimer: this.#options.setTimer,
        onError: (error) =>
          this.#options.note(
            "warn",
            `Cannot read the lists of ${entry.process.name} again: ${McpxError.from(error).message}`,
          ),
      });
      this.#readers.set(entry.digest, reader);
    }
    reader.notice();
  }

  /** Whether a server was read since the daemon started. */
  readHere(entry: CatalogServer): boolean {
    return this.#readHere.has(entry.digest);
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
  }

  /** Settles when no reading is under way any more. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#inFlight.values()].map(({ reading }) => reading));
  }

  async #read(entry: CatalogServer, caller: Caller): Promise<boolean> {
    const { catalog, note } = this.#options;
    try {
      const listing = await this.#options.read(entry, caller);
      const readAt = new Date(this.#options.now()).toISOString();
      const changed = contentOf(entry.cached?.listing) !== contentOf(listing);
      await this.#options.onListing?.(entry, listing, readAt).catch((error) =>
        note("error", McpxError.from(error).message)
      );
      for (const warning of listing.warnings) note("warn", `${entry.process.name}: ${warning}`);
      this.#readHere.add(entry.digest);
      await catalog.keep(entry.digest, listing, readAt);
      return changed;
    } catch (error) {
      const failure = McpxError.from(error);
      if (failure.code === "state-unwritable") {
        note("error", failure.message);
        return true;
      }
      if (failure.code !== "cancelled") catalog.fail(entry.digest, failure);
      throw failure;
    }
  }
}

function stillStarting({ definition }: CatalogServer): McpxError {
  return new McpxError(
    "upstream-start-timeout",
    `Cannot list ${definition.namespace} yet: it is still starting.`,
    {
      hint: "Ask again in a moment.",
    },
  );
}

/** What a reading gave, apart from how long it may be kept: a server may count that down. */
function contentOf(listing: ServerListing | undefined): string {
  return JSON.stringify({ ...listing, cacheHints: undefined });
}
