import type { McpTool } from "../catalog/types.ts";
import { compareShapes, type UndatedChange } from "./compare_shapes.ts";
import { toolShape } from "./shape.ts";
import type {
  CatalogHistory,
  ChangeLookup,
  RecordedChange,
  ServerHistory,
  ToolChange,
  ToolHistory,
} from "./types.ts";

/** Tools that are gone, and servers long unseen, are forgotten beyond these numbers: oldest first. */
const MOST_GONE_TOOLS = 200;
const MOST_SERVERS = 500;

/** Which server's tools were read. */
export interface HistoryKey {
  /** Key of the configuration set. */
  set: string;
  /** The server's name in the configuration. */
  server: string;
  /** What the server is: version and command, as text that changes when they do. */
  definition: string;
}

/** One reading of a server's tools. */
export interface Reading {
  /** The tools that were listed. */
  tools: readonly McpTool[];
  /** ISO time in UTC. */
  when: string;
  /** How many changes of each tool are kept; default 20. */
  keep?: number;
}

/** A history without anything in it. */
export function emptyHistory(): CatalogHistory {
  return { version: 1, servers: [] };
}

/**
 * Compares a server's tools as just read with what is recorded, and records what differs.
 *
 * The first sight of a server is a baseline and no change. A clock that went backwards cannot put a change before an
 * older one.
 *
 * @param history what is recorded; it is not changed
 * @param key whose tools these are
 * @param reading the tools and the time
 * @returns the history with the reading in it, and what changed (Diagnose, "History")
 *
 * @example
 * ```ts
 * import { emptyHistory, recordListing } from "./history.ts";
 * const key = { set: "s", server: "demo", definition: "1" };
 * const first = recordListing(emptyHistory(), key, { tools: [], when: "2026-01-01T00:00:00Z" });
 * const tools = [{ name: "echo" }];
 * const second = recordListing(first.history, key, { tools, when: "2026-01-02T00:00:00Z" });
 * console.assert(first.changes.length === 0 && second.changes[0]?.kind === "tool-added");
 * ```
 */
export function recordListing(
  history: CatalogHistory,
  key: HistoryKey,
  reading: Reading,
): { history: CatalogHistory; changes: RecordedChange[] } {
  const known = history.servers.find((entry) => isSame(entry, key));
  const others = history.servers.filter((entry) => !isSame(entry, key));
  const changes: RecordedChange[] = [];
  const entry = known === undefined ? baseline(key, reading) : compared(known, key, reading, changes);
  return { history: { version: 1, servers: [...bounded(others), entry] }, changes };
}

function isSame(entry: ServerHistory, key: HistoryKey): boolean {
  return entry.set === key.set && entry.server === key.server;
}

function bounded(servers: ServerHistory[]): ServerHistory[] {
  if (servers.length < MOST_SERVERS) return servers;
  return servers.toSorted((a, b) => compareText(a.lastSeen, b.lastSeen)).slice(1 - MOST_SERVERS);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function baseline(key: HistoryKey, reading: Reading): ServerHistory {
  const tools = firstOfEach(reading.tools).map((tool): [string, ToolHistory] => [
    tool.name,
    { shape: toolShape(tool), changes: [] },
  ]);
  return {
    ...key,
    firstSeen: reading.when,
    lastSeen: reading.when,
    definitionChanges: [],
    tools: Object.fromEntries(tools),
  };
}

/** Of tools that share a name, the first: it is the one that can be called. */
function firstOfEach(tools: readonly McpTool[]): McpTool[] {
  const names = new Set<string>();
  return tools.filter((tool) => !names.has(tool.name) && names.add(tool.name));
}

function compared(
  known: ServerHistory,
  key: HistoryKey,
  reading: Reading,
  recorded: RecordedChange[],
): ServerHistory {
  const when = reading.when < known.lastSeen ? known.lastSeen : reading.when;
  const keep = Math.max(1, reading.keep ?? 20);
  const add = (before: ToolChange[], found: UndatedChange[], tool?: string): ToolChange[] => {
    const dated = found.map((change): ToolChange => ({ when, ...change }));
    for (const change of dated) {
      recorded.push({ server: key.server, ...(tool === undefined ? {} : { tool }), ...change });
    }
    return [...before, ...dated].slice(-keep);
  };
  const definitionChanges = add(known.definitionChanges, definitionChange(known, key));
  const tools = new Map<string, ToolHistory>();
  for (const tool of firstOfEach(reading.tools)) {
    const before = Object.hasOwn(known.tools, tool.name) ? known.tools[tool.name] : undefined;
    const shape = toolShape(tool);
    const found = before?.shape === undefined ? [ADDED] : compareShapes(before.shape, shape);
    tools.set(tool.name, { shape, changes: add(before?.changes ?? [], found, tool.name) });
  }
  const gone: [string, ToolHistory][] = [];
  for (const [name, before] of Object.entries(known.tools)) {
    if (tools.has(name)) continue;
    const found = before.shape === undefined ? [] : [REMOVED];
    gone.push([name, { changes: add(before.changes, found, name) }]);
  }
  gone.sort(([, a], [, b]) => compareText(a.changes.at(-1)?.when ?? "", b.changes.at(-1)?.when ?? ""));
  return {
    ...key,
    firstSeen: known.firstSeen,
    lastSeen: when,
    definitionChanges,
    tools: Object.fromEntries([...tools, ...gone.slice(-MOST_GONE_TOOLS)]),
  };
}

const ADDED: UndatedChange = { kind: "tool-added", what: "the tool was added", verdict: "compatible" };
const REMOVED: UndatedChange = { kind: "tool-removed", what: "the tool was removed", verdict: "breaking" };

function definitionChange(known: ServerHistory, key: HistoryKey): UndatedChange[] {
  if (known.definition === key.definition) return [];
  return [{
    kind: "definition-changed",
    what: "the server's definition changed",
    verdict: "compatible",
    before: known.definition,
    after: key.definition,
  }];
}

/** Which changes are wanted. */
export interface ChangeFilter {
  set?: string;
  server?: string;
  /** Wire name of a tool. */
  tool?: string;
  /** Only changes at or after this ISO time. */
  since?: string;
  breaking?: boolean;
}

/** The recorded changes that fit, newest first. */
export function listChanges(history: CatalogHistory, filter: ChangeFilter = {}): RecordedChange[] {
  const found: RecordedChange[] = [];
  for (const entry of history.servers) {
    if (filter.set !== undefined && entry.set !== filter.set) continue;
    if (filter.server !== undefined && entry.server !== filter.server) continue;
    const { server } = entry;
    if (filter.tool === undefined) {
      found.push(...entry.definitionChanges.map((change) => ({ server, ...change })));
    }
    for (const [tool, { changes }] of Object.entries(entry.tools)) {
      if (filter.tool !== undefined && filter.tool !== tool) continue;
      found.push(...changes.map((change) => ({ server, tool, ...change })));
    }
  }
  return found
    .filter((change) => filter.since === undefined || change.when >= filter.since)
    .filter((change) => !filter.breaking || change.verdict === "breaking")
    .sort((a, b) => compareText(b.when, a.when));
}

/** What the findings ask a history: the changes of one tool under one configuration set. */
export function changesIn(history: CatalogHistory, set: string): ChangeLookup {
  const servers = new Map(
    history.servers.filter((entry) => entry.set === set).map((entry) => [entry.server, entry]),
  );
  return (server, wireName) => {
    const tools = servers.get(server)?.tools;
    return tools !== undefined && Object.hasOwn(tools, wireName) ? tools[wireName]?.changes ?? [] : [];
  };
}
