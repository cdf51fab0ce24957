import type { CatalogTool, ServerListing } from "../catalog/mod.ts";
import {
  type CatalogHistory,
  type ChangeLookup,
  changesIn,
  type DiagnosedCatalog,
  type DiagnosedNamespace,
  type DiagnosedTool,
  diagnoseScript,
  explainCall,
  type FailedAnswer,
  type Finding,
  recordListing,
  renderFindings,
} from "../diagnose/mod.ts";
import { McpxError } from "../errors/mod.ts";
import type { JsonObject } from "../schema/mod.ts";
import type { HistoryStore } from "../store/mod.ts";
import type { Caller } from "./caller.ts";
import type { CatalogServer } from "./catalog.ts";
import type { Engine } from "./engine.ts";

/** How old a reading may be before a failed call that it does not explain has the server read again, ms. */
const FRESH_MS = 5000;

/** The history of schemas, and what follows from it for scripts and failed calls. No model is asked. */
export class Diagnosis {
  readonly #store: HistoryStore;
  readonly #keep: () => number;
  #set = "";
  #history: CatalogHistory | undefined;

  constructor(store: HistoryStore, options: { keep: () => number }) {
    this.#store = store;
    this.#keep = options.keep;
  }

  /** The configuration set that is recorded for from now on. */
  set configurationSet(key: string) {
    this.#set = key;
  }

  /** The key of the configuration set. */
  get configurationSet(): string {
    return this.#set;
  }

  /** Compares a reading with the last one and records what differs. @throws {McpxError} `state-unwritable` */
  async record(entry: CatalogServer, listing: ServerListing, readAt: string): Promise<void> {
    const key = { set: this.#set, server: entry.process.name, definition: definitionText(entry, listing) };
    const reading = { tools: listing.tools, when: readAt, keep: this.#keep() };
    this.#history = await this.#store.update((history) => {
      const known = history.servers.some(({ set, server, definition }) =>
        set === key.set && server === key.server && definition === key.definition
      );
      const recorded = recordListing(history, key, reading);
      return known && recorded.changes.length === 0 ? undefined : recorded.history;
    });
  }

  /** Everything that is recorded, of every configuration set. */
  async history(): Promise<CatalogHistory> {
    this.#history = await this.#store.read();
    return this.#history;
  }

  /** What is recorded about the tools of this configuration set. */
  async changes(): Promise<ChangeLookup> {
    return changesIn(this.#history ?? await this.history(), this.#set);
  }

  /**
   * The findings on a script, with the servers concerned read again before anything fatal is said from a cache.
   *
   * @param source the script
   */
  async diagnose(engine: Engine, source: string, caller: Caller): Promise<Finding[]> {
    const first = diagnoseScript(source, diagnosedCatalog(engine, caller), await this.changes());
    const stale = new Set(first.filter(({ fatal }) => fatal).map(({ tool }) => tool.split(".")[0] ?? ""));
    const concerned = engine.visibleServers(caller).filter((entry) =>
      stale.has(entry.definition.namespace) && isStale(entry)
    );
    if (concerned.length === 0) return first;
    await Promise.all(
      concerned.map((entry) => engine.readListings(caller, { only: entry.definition.name, again: true })),
    );
    return diagnoseScript(source, diagnosedCatalog(engine, caller), await this.changes());
  }

  /**
   * A failed call's error with the findings that explain it: the server's text whole and first, then what was found, and the
   * same as data. What was no answer of the server's, or no complaint about arguments, comes back as it is.
   */
  async explain(
    engine: Engine,
    failed: { tool: CatalogTool; sent: JsonObject; error: McpxError },
    caller: Caller,
  ): Promise<McpxError> {
    const { error } = failed;
    const answer = answerOf(error);
    if (!answer || caller.settings.get("repair.autonomy") === "off") return error;
    let findings = await this.#findings(engine, failed, answer);
    const entry = engine.catalog.server(failed.tool.server);
    if (
      findings.every(({ changed }) => changed === undefined) && answer.kind === "rpc-error" && isStale(entry)
    ) {
      await engine.readListings(caller, { only: entry.definition.name, again: true });
      findings = await this.#findings(engine, failed, answer);
    }
    if (findings.length === 0) return error;
    return new McpxError(error.code, `${error.message}\n${renderFindings(findings)}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(error.data === undefined ? {} : { data: error.data }),
      diagnostics: findings,
      cause: error,
    });
  }

  async #findings(
    engine: Engine,
    { tool, sent }: { tool: CatalogTool; sent: JsonObject },
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
}

/** The tools that a caller sees, as the diagnostics take them. */
export function diagnosedCatalog(engine: Engine, caller: Caller): DiagnosedCatalog {
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

function isStale({ cached }: CatalogServer): boolean {
  return !cached || Date.now() - Date.parse(cached.readAt) > FRESH_MS;
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
