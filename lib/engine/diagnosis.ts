import type { CatalogTool, ServerListing } from "../catalog/mod.ts";
import {
  blamesArguments,
  type CatalogHistory,
  type ChangeLookup,
  changesIn,
  type DiagnosedCatalog,
  type DiagnosedNamespace,
  type DiagnosedTool,
  diagnoseScript,
  emptyHistory,
  explainCall,
  type FailedAnswer,
  type Finding,
  type HistoryKey,
  type Reading,
  recordListing,
  renderFindings,
} from "../diagnose/mod.ts";
import { McpxError } from "../errors/mod.ts";
import type { JsonObject } from "../schema/mod.ts";
import type { HistoryStore } from "../store/mod.ts";
import type { Caller } from "./caller.ts";
import type { CatalogServer } from "./catalog.ts";
import type { Drift } from "./drift_news.ts";
import type { Engine } from "./engine.ts";

/** How old a reading may be to refuse a script by it, and how often failed calls have a server read again, ms. */
const FRESH_MS = 5000;
/** How long such a reading is waited for, ms. */
const READING_MS = 5000;

/** What a diagnosis is made with. */
export interface DiagnosisOptions {
  /** How many changes of each tool are kept. */
  keep(): number;
  /** Told of what a reading found changed. */
  onDrift(drift: Drift): void;
  note(level: "error", text: string): void;
}

interface Recording {
  key: HistoryKey;
  reading: Reading;
  namespace: string;
}

/** The history of schemas, and what follows from it for scripts and failed calls. No model is asked. */
export class Diagnosis {
  readonly #store: HistoryStore;
  readonly #options: DiagnosisOptions;
  #set = "";
  #history: CatalogHistory | undefined;
  #lookup: { history: CatalogHistory; set: string; changes: ChangeLookup } | undefined;
  /** Readings that wait to be recorded: many servers read at once are one writing. */
  #waiting: Recording[] = [];
  #recording: Promise<void> | undefined;
  /** When servers were last read by this process: by name, ms since the epoch. */
  readonly #read = new Map<string, number>();
  /** The last reading for the sake of a failed call: those that fail meanwhile wait for it too. */
  readonly #readForFailure = new Map<string, { at: number; reading: Promise<unknown> }>();
  readonly #catalogs = new Map<string, DiagnosedCatalog>();
  #catalogRevision = -1;

  constructor(store: HistoryStore, options: DiagnosisOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** The configuration set that is recorded for from now on. */
  set configurationSet(key: string) {
    this.#set = key;
  }

  /** The key of the configuration set. */
  get configurationSet(): string {
    return this.#set;
  }

  /**
   * Compares a reading with the last one and records what differs; settles when that is written down, or cannot be.
   *
   * @param entries every server that has been read by it: those with one definition are read once
   */
  async record(entries: readonly CatalogServer[], listing: ServerListing, readAt: string): Promise<void> {
    const byName = new Map(entries.toReversed().map((entry) => [entry.process.name, entry]));
    for (const [server, entry] of byName) {
      this.#read.set(server, Date.now());
      this.#waiting.push({
        key: { set: this.#set, server, definition: definitionText(entry, listing) },
        reading: { tools: listing.tools, when: readAt, keep: this.#options.keep() },
        namespace: entry.definition.namespace,
      });
    }
    // What comes while a writing is under way belongs to the next one.
    while (this.#recording) await this.#recording.catch(() => undefined);
    if (this.#waiting.length === 0) return;
    this.#recording = this.#recordWaiting().finally(() => {
      this.#recording = undefined;
    });
    await this.#recording;
  }

  async #recordWaiting(): Promise<void> {
    // Whoever is about to wait joins in.
    await Promise.resolve();
    const recordings = this.#waiting;
    this.#waiting = [];
    const drifts: Drift[] = [];
    const apply = (history: CatalogHistory): CatalogHistory | undefined => {
      drifts.length = 0;
      let next = history;
      for (const { key, reading, namespace } of recordings) {
        const known = next.servers.some(({ set, server, definition }) =>
          set === key.set && server === key.server && definition === key.definition
        );
        const recorded = recordListing(next, key, reading);
        if (known && recorded.changes.length === 0) continue;
        next = recorded.history;
        if (recorded.changes.length > 0) {
          drifts.push({ server: key.server, namespace, changes: recorded.changes });
        }
      }
      return next === history ? undefined : next;
    };
    try {
      this.#history = await this.#store.update(apply);
    } catch (error) {
      // What cannot be written is known all the same while the daemon runs.
      const history = this.#history ?? await this.#store.read().catch(emptyHistory);
      this.#history = apply(history) ?? history;
      this.#options.note("error", McpxError.from(error).message);
    } finally {
      for (const drift of drifts) this.#options.onDrift(drift);
    }
  }

  /** Everything that is recorded, of every configuration set. @throws {McpxError} `state-unwritable` */
  async history(): Promise<CatalogHistory> {
    while (this.#recording) await this.#recording.catch(() => undefined);
    this.#history ??= await this.#store.read();
    return this.#history;
  }

  /** What is recorded about the tools of this configuration set. @throws {McpxError} `state-unwritable` */
  async changes(): Promise<ChangeLookup> {
    const history = await this.history();
    if (this.#lookup?.history !== history || this.#lookup.set !== this.#set) {
      this.#lookup = { history, set: this.#set, changes: changesIn(history, this.#set) };
    }
    return this.#lookup.changes;
  }

  /**
   * The findings on a script, with the servers concerned read again before anything fatal is said from a cache.
   *
   * @param source the script
   */
  async diagnose(engine: Engine, source: string, caller: Caller): Promise<Finding[]> {
    const first = diagnoseScript(source, this.#catalog(engine, caller), await this.changes());
    const stale = new Set(first.filter(({ fatal }) => fatal).map(({ tool }) => tool.split(".")[0] ?? ""));
    const concerned = engine.visibleServers(caller).filter((entry) =>
      stale.has(entry.definition.namespace) && !isRecent(this.#read.get(entry.process.name))
    );
    if (concerned.length === 0) return first;
    await Promise.all(
      concerned.map((entry) => engine.readListings(caller, { only: entry.definition.name, again: true })),
    );
    return diagnoseScript(source, this.#catalog(engine, caller), await this.changes());
  }

  /**
   * A failed call's error with the findings that explain it: the server's text whole and first, then what was found, and the
   * same as data. What was no answer of the server's, or no complaint about arguments, comes back as it is.
   */
  async explain(engine: Engine, failed: ExplainedCall, caller: Caller): Promise<McpxError> {
    const { error } = failed;
    const findings = await this.findings(engine, failed, caller);
    if (findings.length === 0) return error;
    return new McpxError(error.code, `${error.message}\n${renderFindings(findings)}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(error.data === undefined ? {} : { data: error.data }),
      diagnostics: findings,
      cause: error,
    });
  }

  /** The findings that explain a failed call. Nothing that goes wrong here hides the failure itself. */
  async findings(engine: Engine, failed: ExplainedCall, caller: Caller): Promise<Finding[]> {
    const answer = answerOf(failed.error);
    if (!answer || !blamesArguments(answer) || caller.settings.get("repair.autonomy") === "off") return [];
    try {
      const found = await this.#explained(engine, failed, answer);
      const entry = engine.catalog.server(failed.tool.server);
      const { name } = entry.process;
      if (found.some(({ changed }) => changed !== undefined)) return found;
      let last = this.#readForFailure.get(name);
      if (!last || !isRecent(last.at)) {
        const reading = engine.readListings(caller, { only: entry.definition.name, again: true });
        last = { at: Date.now(), reading };
        this.#readForFailure.set(name, last);
      }
      await withinTime(last.reading, READING_MS);
      return await this.#explained(engine, failed, answer);
    } catch (error) {
      this.#options.note("error", McpxError.from(error).message);
      return [];
    }
  }

  async #explained(
    engine: Engine,
    { tool, sent }: ExplainedCall,
    answer: FailedAnswer,
  ): Promise<Finding[]> {
    const entry = engine.catalog.server(tool.server);
    const now = engine.catalog.toolsOf(entry).find((known) => known.tool.name === tool.tool.name) ?? tool;
    const lookup = await this.changes();
    return explainCall({
      namespace: tool.namespace,
      fn: tool.fn,
      inputSchema: now.tool.inputSchema,
      arguments: sent,
      answer,
      changes: lookup(entry.process.name, tool.tool.name),
    });
  }

  /** The tools that a caller sees, as the diagnostics take them; made once for each state of the catalog. */
  #catalog(engine: Engine, caller: Caller): DiagnosedCatalog {
    if (engine.catalog.revision !== this.#catalogRevision) {
      this.#catalogs.clear();
      this.#catalogRevision = engine.catalog.revision;
    }
    const key = caller.settings.get("servers.groups").join(",");
    const known = this.#catalogs.get(key);
    if (known) return known;
    const made = diagnosedCatalog(engine, caller);
    this.#catalogs.set(key, made);
    return made;
  }
}

/** A call that failed, as it was sent. */
export interface ExplainedCall {
  tool: CatalogTool;
  sent: JsonObject;
  error: McpxError;
}

/** The tools that a caller sees, as the diagnostics take them. */
function diagnosedCatalog(engine: Engine, caller: Caller): DiagnosedCatalog {
  const namespaces = new Map<string, DiagnosedNamespace>();
  for (const entry of engine.visibleServers(caller)) {
    const { definition, process, cached } = entry;
    if (definition.error || definition.disabled) continue;
    const tools = new Map<string, DiagnosedTool>();
    for (const { fn, tool } of engine.catalog.toolsOf(entry)) {
      const diagnosed = {
        wire: tool.name,
        fn,
        ...(tool.inputSchema === undefined ? {} : { inputSchema: tool.inputSchema }),
      };
      tools.set(tool.name, diagnosed);
      tools.set(fn, diagnosed);
    }
    namespaces.set(definition.namespace, {
      server: process.name,
      tools,
      ...(cached ? {} : { unread: true }),
    });
  }
  return { namespaces };
}

function isRecent(time: number | undefined): boolean {
  const age = time === undefined ? Infinity : Date.now() - time;
  return age >= 0 && age < FRESH_MS;
}

/** Waits for work as long as it may take; it goes on by itself beyond that. */
async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the server answered; nothing where it never did. */
function answerOf(error: McpxError): FailedAnswer | undefined {
  if (error.code === "tool-error") return { kind: "tool-error", text: error.message };
  const code = error.data?.code;
  return error.code === "upstream-error" && typeof code === "number"
    ? { kind: "rpc-error", code, message: error.message }
    : undefined;
}

/** What a server is: a changed version or command is an entry of its own in the history. */
function definitionText({ process }: CatalogServer, { serverInfo }: ServerListing): string {
  const { target } = process;
  const where = target.kind === "stdio" ? [target.command, ...target.args].join(" ") : target.url;
  const version = typeof serverInfo.version === "string" ? ` (${serverInfo.version})` : "";
  return `${where}${version}`;
}
