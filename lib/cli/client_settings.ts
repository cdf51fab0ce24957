import { McpxError } from "../errors/mod.ts";
import type { ClientConfig } from "./client_config.ts";
import type { CliIo } from "./io.ts";
import type { Manifest, ManifestSetting } from "./manifest_types.ts";
import type { FlagValue } from "./parse.ts";

/** The settings that the command line itself acts on, resolved. */
export interface ClientSettings {
  /** `http://host:port`, `unix:/path` or an absolute path; empty for a local daemon. */
  endpoint: string;
  token: string;
  inline: boolean;
  startTimeoutMs: number;
  /** Whether a person at a terminal is asked what comes up while a command runs. */
  prompts: boolean;
  /** Sentences about values that were not honoured. */
  notes: string[];
}

/**
 * Resolves the client-scoped settings: flag, environment, files of the user's or the system's, default.
 *
 * A project's file cannot redirect the command line: what it says of these settings is left out, with a note.
 *
 * @throws {McpxError} `invalid-input` when a value does not fit its kind
 */
export async function clientSettings(
  manifest: Manifest,
  config: ClientConfig,
  given: { flags: ReadonlyMap<string, FlagValue>; env: CliIo["env"] },
): Promise<ClientSettings> {
  const rows = manifest.settings.filter((row) => row.scope === "client");
  const notes: string[] = [];
  const texts = new Map<string, string>();
  for (const row of rows) texts.set(row.path, row.default);
  for (const [path, text] of await fromFiles(rows, config, notes)) texts.set(path, text);
  for (const row of rows) {
    const variable = given.env(row.env);
    if (variable !== undefined && variable !== "") texts.set(row.path, variable);
    const flag = given.flags.get(row.path);
    if (flag !== undefined) texts.set(row.path, String(flag));
  }
  return {
    endpoint: texts.get("daemon.endpoint") ?? "",
    token: texts.get("daemon.token") ?? "",
    inline: await readInline(texts.get("daemon.inline") ?? "false"),
    prompts: texts.get("elicit.prompt") !== "never",
    startTimeoutMs: await readDuration(texts.get("daemon.startTimeout") ?? "20s"),
    notes,
  };
}

async function readInline(text: string): Promise<boolean> {
  if (text === "false" || text === "true") return text === "true";
  const { parseValue } = await import(
    "../settings/kinds.ts" as string
  ) as typeof import("../settings/kinds.ts");
  return parseValue("bool", text, "daemon.inline") === true;
}

async function readDuration(text: string): Promise<number> {
  const seconds = /^(\d{1,6})s$/.exec(text);
  if (seconds) return Number(seconds[1]) * 1000;
  const { parseValue } = await import(
    "../settings/kinds.ts" as string
  ) as typeof import("../settings/kinds.ts");
  return Number(parseValue("duration", text, "daemon.startTimeout"));
}

/** Values out of files; a file is parsed only when its text names such a setting at all. */
async function fromFiles(
  rows: readonly ManifestSetting[],
  config: ClientConfig,
  notes: string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const last = rows.map((row) => row.path.slice(row.path.lastIndexOf(".") + 1));
  for (const { file, text } of config.texts.toReversed()) {
    if (!/daemon|elicit/.test(text) || !last.some((name) => text.includes(name))) continue;
    const { readConfigFile } = await import(
      "../config/read.ts" as string
    ) as typeof import("../config/read.ts");
    const { value } = await readConfigFile(file).catch((error) => {
      // A file that cannot be parsed is the daemon's to refuse, for all of its settings at once.
      if (error instanceof McpxError) return { value: {} };
      throw error;
    });
    for (const row of rows) {
      const written = memberAt(value, row.path);
      if (written === undefined) continue;
      if (file.kind === "project" || file.stranger !== undefined) {
        notes.push(`${file.path} sets ${row.path}, which only a user's own file may; it is not used.`);
      } else found.set(row.path, String(written));
    }
  }
  return found;
}

/** The value under a dotted path, written nested or as one key. */
function memberAt(value: unknown, path: string): unknown {
  if (isRecord(value) && Object.hasOwn(value, path)) return value[path];
  let at: unknown = value;
  for (const part of path.split(".")) {
    if (!isRecord(at) || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
