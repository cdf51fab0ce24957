import { McpxError } from "../errors/mod.ts";
import type { ClientConfig } from "./client_config.ts";
import type { CliIo } from "./io.ts";
import type { Manifest, ManifestSetting } from "./manifest_types.ts";
import type { FlagValue } from "./parse.ts";

/** What the headers of a request are made from. */
export interface HeaderInput {
  manifest: Manifest;
  io: CliIo;
  config: ClientConfig;
  /** Settings given as flags. */
  settings: ReadonlyMap<string, FlagValue>;
  /** Whether a person can be asked while the request runs. */
  attended?: boolean;
  /** The value of `--session`. */
  session?: string;
  /** Further variables that travel: those that `--allow-env` names. */
  variables?: readonly string[];
}

/**
 * Says who calls and which settings hold for this one request.
 *
 * Of the environment only the variables that the configuration names travel, and mcpx's own.
 *
 * @returns `x-mcpx-caller`, and `x-mcpx-settings` where call-scoped flags were given
 */
export function requestHeaders(input: HeaderInput): Record<string, string> {
  const { manifest, io, config, settings } = input;
  const session = input.session ?? io.env("MCPX_SESSION_ID");
  const parentSession = io.env("MCPX_PARENT_SESSION_ID");
  const env: Record<string, string> = {};
  const own = manifest.settings.filter((row) => row.scope !== "client").map((row) => row.env);
  for (const name of [...config.variables, ...own, ...input.variables ?? []]) {
    const value = io.env(name);
    if (value !== undefined) env[name] = value;
  }
  const caller = {
    cwd: io.cwd,
    pid: io.parentPid,
    ...(session ? { session } : {}),
    ...(parentSession ? { parentSession } : {}),
    env,
    ...(input.attended ? { attended: true } : {}),
    client: manifest.version,
  };
  const headers: Record<string, string> = { "x-mcpx-caller": asciiJson(caller) };
  const scoped = scopedSettings(manifest, settings, "call");
  if (Object.keys(scoped).length > 0) headers["x-mcpx-settings"] = asciiJson(scoped);
  return headers;
}

/**
 * The settings of one scope among those that were given as flags, as JSON values.
 *
 * @throws {McpxError} `usage` when a value is not of its setting's kind
 */
export function scopedSettings(
  manifest: Manifest,
  given: ReadonlyMap<string, FlagValue>,
  scope: ManifestSetting["scope"],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const row of manifest.settings) {
    const value = given.get(row.path);
    if (row.scope === scope && value !== undefined) values[row.path] = settingValue(row, value);
  }
  return values;
}

function settingValue(row: ManifestSetting, value: FlagValue): unknown {
  if (typeof value !== "string") return value;
  if (row.kind === "int" && /^\d{1,15}$/.test(value)) return Number(value);
  if (row.kind !== "json") return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new McpxError("usage", `Cannot read --${row.flag}: ${JSON.stringify(value)} is not JSON.`, {
      cause: error,
    });
  }
}

/** JSON that fits into a header: everything beyond ASCII escaped. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
