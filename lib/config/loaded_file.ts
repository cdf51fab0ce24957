import { nearest } from "../catalog/nearest.ts";
import { McpxError } from "../errors/mod.ts";
import { isObject } from "./fields.ts";
import type { ConfigText } from "./read.ts";
import { usesCommands } from "./template.ts";

/** A setting as a file has it, before the settings table reads it. */
export interface FileSetting {
  path: string;
  value: unknown;
}

/** A file of the set with what it may do and what it holds. */
export interface LoadedFile extends ConfigText {
  /** Whether its `${cmd:…}`, `${file:…}`, hooks and model endpoints count. */
  trusted: boolean;
  /** Whether it must be trusted before any server that it touches is started. */
  held: boolean;
  /** The folder that its relative paths start at. */
  folder: string;
  /** The raw entries under its root key. */
  servers: { rootKey: string; entries: Record<string, unknown> };
  settings: FileSetting[];
}

/** What decides how a file's top level is read. */
export interface TopLevelRules {
  /** First words of the settings' paths, which are the legal top-level keys beside `mcpServers`. */
  settingGroups: readonly string[];
  /** Whether a dotted path is a setting, where an object may be a value; objects are sections otherwise. */
  isSetting?: (path: string) => boolean;
}

/** Keys of `pool` that shape servers and are no settings. */
const SERVER_DEFAULTS = new Set(["pool.sharing", "pool.scope", "pool.protocol"]);
const METADATA = /^(?:\$|_|\/\/|#)|^inputs$/;

/** Whether a key only describes the file, in whichever object it stands. */
export function isMetadataKey(key: string): boolean {
  return METADATA.test(key);
}

/** Whether a file is written for mcpx alone, so that an unknown key in it is a mistake. */
export function isOwnFile({ file, value }: ConfigText): boolean {
  const path = file.path;
  if (file.kind !== "explicit") return !path.endsWith("/.mcp.json");
  if (Object.hasOwn(value, "servers") && !Object.hasOwn(value, "mcpServers")) return false;
  return !/\/(?:\.?mcp|\.claude|claude_desktop_config|mcp[_-]config|settings)\.json$/.test(path);
}

/** The folder that a file's relative paths start at: the project's, where the file lies in its `.mcpx` folder. */
export function folderOf(path: string): string {
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  return path.endsWith("/.mcpx/config.json") ? folder.slice(0, -"/.mcpx".length) || "/" : folder;
}

/**
 * Sorts a file's top level into servers and settings.
 *
 * @param text the parsed file
 * @param rules which keys are settings
 * @returns the raw server entries, the settings and the defaults for servers
 * @throws {McpxError} `invalid-config` for an unknown key in mcpx's own files, and for two spellings of one setting
 */
export function readTopLevel(
  text: ConfigText,
  rules: TopLevelRules,
): Pick<LoadedFile, "servers" | "settings"> & { defaults: Map<string, unknown> } {
  const own = isOwnFile(text);
  const rootKey = !own && !Object.hasOwn(text.value, "mcpServers") ? "servers" : "mcpServers";
  const groups = new Set([...rules.settingGroups, "pool"]);
  const takesSettings = own || text.file.path.endsWith("/.mcp.json");
  const spellings = new Map<string, { keys: string[]; value: unknown }>();
  for (const [key, value] of Object.entries(text.value)) {
    if (key === rootKey || isMetadataKey(key)) continue;
    if (takesSettings && groups.has(key.split(".")[0] ?? "")) collect([key], value);
    else if (own) throw unknownKey(text, key, groups);
  }
  const entries = text.value[rootKey] ?? {};
  if (!isObject(entries)) throw refused(text, [rootKey], `${rootKey} must be an object of servers`);
  const all = [...spellings].map(([path, { value }]) => ({ path, value }));
  return {
    servers: { rootKey, entries },
    settings: all.filter(({ path }) => !SERVER_DEFAULTS.has(path)),
    defaults: new Map(
      all.filter(({ path }) => SERVER_DEFAULTS.has(path)).map((one) => [one.path, one.value]),
    ),
  };

  function collect(keys: string[], value: unknown): void {
    const path = keys.join(".");
    if (isObject(value) && !rules.isSetting?.(path)) {
      for (const [key, inner] of Object.entries(value)) {
        if (!isMetadataKey(key)) collect([...keys, key], inner);
      }
      return;
    }
    const first = spellings.get(path);
    if (first) {
      const { line, column } = text.position(first.keys);
      throw refused(text, keys, `${path} is set twice, also at ${line}:${column} in another spelling`);
    }
    spellings.set(path, { keys, value });
  }
}

/** Whether a setting's value would run a command or read a file when it is expanded. */
export function settingUsesCommands(value: unknown): boolean {
  if (typeof value === "string") return usesCommands(value);
  return typeof value === "object" && value !== null && Object.values(value).some(settingUsesCommands);
}

function unknownKey(text: ConfigText, key: string, groups: ReadonlySet<string>): McpxError {
  const meant = key === "servers" ? "mcpServers" : nearest(key, ["mcpServers", ...groups])[0];
  return refused(
    text,
    [key],
    `${JSON.stringify(key)} is no key of mcpx's configuration`,
    meant === undefined
      ? "Remove it, or put it under mcpServers if it is a server."
      : `Did you mean ${JSON.stringify(meant)}?`,
  );
}

function refused(text: ConfigText, keys: readonly string[], what: string, hint?: string): McpxError {
  const { line, column } = text.position(keys);
  const file = text.file.path;
  return new McpxError("invalid-config", `Cannot use ${file}:${line}:${column}: ${what}.`, {
    hint: hint ?? `Correct line ${line} of ${file}.`,
    data: { file, line, column, key: keys.join(".") },
  });
}
