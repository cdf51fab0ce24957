import { join } from "node:path";
import { checkLock, listChanges, lockShapes, printLock, type RecordedChange } from "../diagnose/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { parseValue } from "../settings/mod.ts";
import { writeFileAtomic } from "../store/mod.ts";
import type { McpTool } from "../catalog/mod.ts";
import type { Caller } from "./caller.ts";
import { needsReading } from "./drift_news.ts";
import type { Engine } from "./engine.ts";
import { lockPath, readLock } from "./pinned_tools.ts";
import type { ServerProblem } from "./summaries.ts";

/** Which changes are asked for. */
export interface HistoryRequest {
  /** `<namespace>` or `<namespace>.<function>`. */
  name?: string | undefined;
  /** A duration such as `7d`, or an ISO date. */
  since?: string | undefined;
  breaking?: boolean | undefined;
}

/** Recorded changes, newest first; `exitCode` is 1 where breaking ones were asked for and there are some. */
export interface HistoryDocument {
  exitCode: number;
  changes: RecordedChange[];
}

/** The recorded changes of this configuration set. @throws {McpxError} `unknown-server`, `unknown-tool`, `invalid-input` */
export async function showHistory(
  engine: Engine,
  request: HistoryRequest,
  caller: Caller,
): Promise<HistoryDocument> {
  const changes = listChanges(await engine.diagnosis.history(), {
    set: engine.diagnosis.configurationSet,
    ...await scopeOf(engine, request.name, caller),
    ...(request.since === undefined ? {} : { since: sinceTime(request.since, Date.now()) }),
    ...(request.breaking ? { breaking: true } : {}),
  });
  return { exitCode: request.breaking && changes.length > 0 ? 1 : 0, changes };
}

/** What was locked, and which servers could not be read: what was locked of those stays as it was. */
export interface LockDocument {
  file: string;
  servers: number;
  tools: number;
  problems: ServerProblem[];
}

/**
 * Writes the shapes of every tool of every server beside the nearest configuration file, whatever the caller sees of them.
 *
 * @throws {McpxError} `state-unwritable`
 */
export async function lockCatalog(engine: Engine, caller: Caller): Promise<LockDocument> {
  const problems = await readAll(engine, caller);
  const file = lockFile(engine, caller);
  const unread = new Set(problems.map(({ server }) => server));
  const before = unread.size === 0
    ? undefined
    : await readLock(file, engine.scriptRules).catch(() => undefined); // it is written anew
  const lock = lockShapes(listings(engine, unread));
  for (const { definition } of engine.catalog.servers()) {
    const kept = unread.has(definition.namespace) ? before?.servers[definition.name] : undefined;
    if (kept) lock.servers[definition.name] = kept;
  }
  await writeFileAtomic(file, printLock(lock));
  const locked = Object.values(lock.servers);
  return {
    file,
    servers: locked.length,
    tools: locked.reduce((sum, tools) => sum + Object.keys(tools).length, 0),
    problems,
  };
}

/** What differs from the lock file; `exitCode` is 1 where that breaks callers, should be read, or could not be told. */
export interface CheckDocument extends HistoryDocument {
  file: string;
  problems: ServerProblem[];
}

/** Compares the present shapes with the lock file. @throws {McpxError} `invalid-input` */
export async function checkCatalog(engine: Engine, caller: Caller): Promise<CheckDocument> {
  const file = lockFile(engine, caller);
  const lock = await readLock(file, engine.scriptRules);
  if (lock === undefined) {
    throw new McpxError("invalid-input", `Cannot check: there is no lock file ${file}.`, {
      hint: "mcpx history lock",
    });
  }
  const problems = await readAll(engine, caller);
  const unread = new Set(problems.map(({ server }) => server));
  const changes = checkLock(lock, listings(engine, unread), new Date().toISOString());
  return {
    exitCode: problems.length > 0 || changes.some(needsReading) ? 1 : 0,
    file,
    changes,
    problems,
  };
}

/** Reads every server of the configuration again. */
async function readAll(engine: Engine, caller: Caller): Promise<ServerProblem[]> {
  const usable = engine.catalog.servers().filter(({ definition }) => !definition.disabled);
  const problems = await Promise.all(
    usable.map(({ definition }) => engine.readListings(caller, { only: definition.name, again: true })),
  );
  return problems.flat();
}

async function scopeOf(
  engine: Engine,
  name: string | undefined,
  caller: Caller,
): Promise<{ server?: string; tool?: string }> {
  if (name === undefined) return {};
  if (!name.includes(".")) return { server: engine.catalog.server(name).process.name };
  try {
    const tool = await engine.resolveTool(name, caller);
    return { server: engine.catalog.server(tool.server).process.name, tool: tool.tool.name };
  } catch (error) {
    // A tool that is gone has a history all the same.
    const dot = name.indexOf(".");
    if (!(error instanceof McpxError) || error.code !== "unknown-tool") throw error;
    const server = engine.catalog.server(name.slice(0, dot)).process.name;
    const tool = name.slice(dot + 1);
    const recorded = listChanges(await engine.diagnosis.history(), {
      set: engine.diagnosis.configurationSet,
      server,
      tool,
    });
    if (recorded.length === 0) throw error;
    return { server, tool };
  }
}

function sinceTime(text: string, now: number): string {
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(date)) return new Date(date).toISOString();
  return new Date(now - Number(parseValue("duration", text, "since"))).toISOString();
}

/** The tools of every server but those whose namespace is in `unread`, by the server's name. */
function listings(engine: Engine, unread: ReadonlySet<string>): Map<string, McpTool[]> {
  return new Map(
    engine.catalog.servers().filter(({ definition, cached }) => cached && !unread.has(definition.namespace))
      .map((
        entry,
      ) => [entry.definition.name, engine.catalog.toolsOf(entry).map(({ tool }) => tool)]),
  );
}

function lockFile(engine: Engine, { identity }: Caller): string {
  return lockPath(engine.configuration.sources[0]?.path ?? join(identity.cwd ?? ".", ".mcpx.json"));
}
