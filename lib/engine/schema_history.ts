import { dirname, join } from "node:path";
import {
  checkLock,
  listChanges,
  lockShapes,
  parseLock,
  printLock,
  type RecordedChange,
} from "../diagnose/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { parseValue } from "../settings/mod.ts";
import { readTextIfPresent, writeFileAtomic } from "../store/mod.ts";
import type { McpTool } from "../catalog/mod.ts";
import type { Caller } from "./caller.ts";
import type { Engine } from "./engine.ts";

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

const LOCK_FILE = "mcpx.lock.json";

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

/** Writes the shapes of every tool beside the nearest configuration file. @throws {McpxError} `state-unwritable` */
export async function lockCatalog(
  engine: Engine,
  caller: Caller,
): Promise<{ file: string; servers: number; tools: number }> {
  const problems = await engine.readListings(caller);
  const [problem] = problems;
  if (problem) {
    throw new McpxError(
      "server-config",
      `Cannot lock: ${problem.server} could not be read: ${problem.message}`,
      { hint: "mcpx ls" },
    );
  }
  const servers = listings(engine, caller);
  const file = lockPath(engine, caller);
  await writeFileAtomic(file, printLock(lockShapes(servers)));
  return {
    file,
    servers: servers.size,
    tools: [...servers.values()].reduce((sum, tools) => sum + tools.length, 0),
  };
}

/** Compares the present shapes with the lock file; `exitCode` is 1 where a change breaks callers. */
export async function checkCatalog(
  engine: Engine,
  caller: Caller,
): Promise<HistoryDocument & { file: string }> {
  const file = lockPath(engine, caller);
  const text = await readTextIfPresent(file);
  if (text === undefined) {
    throw new McpxError("invalid-input", `Cannot check: there is no lock file ${file}.`, {
      hint: "mcpx history lock",
    });
  }
  const parsed = parseLock(text);
  if (!parsed.ok) {
    throw new McpxError("invalid-input", `Cannot check ${file}: ${parsed.message}`, {
      hint: "mcpx history lock",
    });
  }
  await engine.readListings(caller, { again: true });
  const changes = checkLock(parsed.lock, listings(engine, caller), new Date().toISOString());
  return { exitCode: changes.some(({ verdict }) => verdict === "breaking") ? 1 : 0, file, changes };
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

function listings(engine: Engine, caller: Caller): Map<string, McpTool[]> {
  return new Map(
    engine.visibleServers(caller).filter(({ cached }) => cached).map((entry) => [
      entry.definition.name,
      engine.catalog.toolsOf(entry).map(({ tool }) => tool),
    ]),
  );
}

function lockPath(engine: Engine, { identity }: Caller): string {
  const nearest = engine.configuration.sources[0]?.path;
  const folder = nearest === undefined ? identity.cwd ?? "." : dirname(nearest);
  return join(folder.endsWith("/.mcpx") ? dirname(folder) : folder, LOCK_FILE);
}
