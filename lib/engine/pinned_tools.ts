import { dirname, join } from "node:path";
import {
  type CatalogLock,
  type ChangeLookup,
  checkTool,
  parseLock,
  type ToolChange,
} from "../diagnose/mod.ts";
import { McpxError } from "../errors/mod.ts";
import type { McpTool } from "../catalog/mod.ts";
import type { Caller } from "./caller.ts";
import type { CatalogServer } from "./catalog.ts";
import { needsReading } from "./drift_news.ts";
import { readScriptFile, type ScriptRules } from "./script_path.ts";

const LOCK_FILE = "mcpx.lock.json";
const MAX_LOCK_BYTES = 64 * 1024 * 1024;

/** What a tool is compared with. */
export interface PinSource {
  /** The nearest configuration file. */
  configFile(): string | undefined;
  /** Reads the server unless this process has: what an earlier one read says nothing of what the server is now. */
  ensureRead(entry: CatalogServer, caller: Caller): Promise<unknown>;
  /** What is recorded about tools. */
  changes(): Promise<ChangeLookup>;
  /** Whose lock file counts. */
  rules(): ScriptRules;
}

/** Where the lock file of a configuration file is: beside it, and beside a `.mcpx` folder. */
export function lockPath(configFile: string): string {
  const folder = dirname(configFile);
  return join(folder.endsWith("/.mcpx") ? dirname(folder) : folder, LOCK_FILE);
}

/**
 * Reads a lock file; `undefined` where there is none.
 *
 * @throws {McpxError} `invalid-input`, `untrusted-config` for one that somebody else has put there
 */
export async function readLock(file: string, rules: ScriptRules): Promise<CatalogLock | undefined> {
  if (await stampOf(file) === undefined) return undefined;
  const read = await readScriptFile(file, rules, { limit: MAX_LOCK_BYTES });
  if (!("source" in read)) {
    throw new McpxError(
      read.isStrange ? "untrusted-config" : "invalid-input",
      `Cannot use ${file}: ${read.reason}.`,
      {
        hint: read.isStrange ? `If you know what it says, run: mcpx trust ${file}` : `ls -l ${file}`,
        data: { file },
      },
    );
  }
  const parsed = parseLock(read.source);
  if (parsed.ok) return parsed.lock;
  throw new McpxError("invalid-input", `Cannot use ${file}: ${parsed.message}`, {
    hint: "mcpx history lock",
  });
}

/** Refuses calls of tools that are not what was locked, or, without a lock file, what was first seen. */
export class PinnedTools {
  readonly #source: PinSource;
  #read: { file: string; stamp: string; lock: CatalogLock } | undefined;

  constructor(source: PinSource) {
    this.#source = source;
  }

  /**
   * Lets a call of a tool pass, or not.
   *
   * @param known the tool as it was last read
   * @throws {McpxError} `tool-changed`; `invalid-input` where the lock file cannot be used
   */
  async require(entry: CatalogServer, known: () => McpTool | undefined, caller: Caller): Promise<void> {
    await this.#source.ensureRead(entry, caller);
    const tool = known();
    if (!tool) return;
    const { name, namespace } = entry.definition;
    const lock = await this.#lock();
    const changes = lock
      ? checkTool(lock, { server: name, tool, when: entry.cached?.readAt ?? "" })
      : (await this.#source.changes())(entry.process.name, tool.name);
    const against = changes.filter((change: ToolChange) =>
      needsReading(change) || change.kind === "tool-added"
    );
    const [first] = against;
    if (!first) return;
    const called = `${namespace}.${tool.name}`;
    const since = lock ? "it is not what was locked" : "it is not what was first seen";
    throw new McpxError(
      "tool-changed",
      `Cannot call ${called}: ${since}: ${first.flags?.[0] ?? first.what}.`,
      {
        hint: "mcpx history shows what changed, and mcpx history lock accepts it.",
        data: { tool: called, changes: against },
      },
    );
  }

  async #lock(): Promise<CatalogLock | undefined> {
    const configFile = this.#source.configFile();
    if (configFile === undefined) return undefined;
    const file = lockPath(configFile);
    const stamp = await stampOf(file);
    if (stamp === undefined) return undefined;
    if (this.#read?.file === file && this.#read.stamp === stamp) return this.#read.lock;
    const lock = await readLock(file, this.#source.rules()).catch((error: unknown) => {
      // Somebody else's lock binds nobody: what was first seen does.
      if (error instanceof McpxError && error.code === "untrusted-config") return undefined;
      throw error;
    });
    this.#read = lock && { file, stamp, lock };
    return lock;
  }
}

async function stampOf(file: string): Promise<string | undefined> {
  try {
    const { ino, size, mtime } = await Deno.stat(file);
    return `${ino}:${size}:${mtime?.getTime()}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
