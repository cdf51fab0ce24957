import { McpxError } from "../errors/mod.ts";
import {
  parseValue,
  type Provenance,
  type SettingPath,
  type SettingRow,
  settingRow,
} from "../settings/mod.ts";
import type { Caller } from "./caller.ts";
import { saveSetting } from "./edit_configuration.ts";
import type { Engine } from "./engine.ts";

/** What a change of a setting did. */
export interface SettingChange {
  setting: Provenance;
  /** Whether the daemon acts on it only after a restart. */
  restartRequired: boolean;
  /** The file that it was written into. */
  file?: string | undefined;
  /** What stands there now, which holds once the daemon is restarted where that is required. */
  saved?: string | undefined;
  /** Sentences. */
  notes?: string[] | undefined;
}

/**
 * Sets a setting: in the daemon's memory, and with `save` in the user's own file as well.
 *
 * @throws {McpxError} `invalid-input`, `setting-scope` for what only a file can change, `invalid-config`
 */
export async function setSetting(
  engine: Engine,
  caller: Caller,
  { path, value, save }: { path: SettingPath; value: string; save: boolean },
): Promise<SettingChange> {
  const row = settingRow(path);
  const parsed = parseValue(row.kind, value, path, row.values);
  if (!save) {
    refuseClient(path, row);
    const changed = engine.setRuntimeSetting(path, value);
    return changed.restartRequired
      ? { ...changed, notes: ["The restart would lose it: give --save to keep it in your own file."] }
      : changed;
  }
  const { path: file } = await saveSetting(engine, caller, { path, value: writable(row, value, parsed) });
  return { ...await saved(engine, path, { file, runtime: value }), saved: value };
}

/**
 * Takes back what was set in the daemon's memory, and with `save` what the user's own file says.
 *
 * @throws {McpxError} `invalid-config`
 */
export async function unsetSetting(
  engine: Engine,
  caller: Caller,
  { path, save }: { path: SettingPath; save: boolean },
): Promise<SettingChange> {
  if (!save) return engine.setRuntimeSetting(path, undefined);
  const { path: file } = await saveSetting(engine, caller, { path, value: undefined });
  return await saved(engine, path, { file, runtime: undefined });
}

async function saved(
  engine: Engine,
  path: SettingPath,
  { file, runtime }: { file: string; runtime: string | undefined },
): Promise<SettingChange> {
  const row = settingRow(path);
  const inUse = engine.configuration.sources.some((source) => source.path === file);
  if (inUse) await engine.reload();
  // A daemon that does not read the file yet, or reads a nearer one too, is told at once.
  const isOurs = row.scope !== "client" && row.hot && !row.ceiling;
  if (isOurs) engine.setRuntimeSetting(path, runtime);
  const setting = engine.settings.base.explain(path);
  return { setting, restartRequired: row.scope !== "client" && !row.hot, file };
}

/** A value as JSON has it, where that is not the text that was typed. */
function writable({ kind }: SettingRow, text: string, parsed: unknown): unknown {
  return kind === "bool" || kind === "int" || kind === "list" || kind === "json" ? parsed : text;
}

function refuseClient(path: SettingPath, { scope }: SettingRow): void {
  if (scope !== "client") return;
  throw new McpxError("setting-scope", `Cannot set ${path} in the daemon: the command line acts on it.`, {
    hint: `mcpx settings set ${path} … --save`,
  });
}
