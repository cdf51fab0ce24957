import { mentionedVariables } from "../config/mentioned_variables.ts";
import { type McpxPaths, mcpxPaths } from "../config/paths.ts";
import { type ConfigFile, configSetKey, findConfigFiles } from "../config/search.ts";
import type { CliIo } from "./io.ts";

/** The configuration as far as the command line looks at it: which files, and what variables they name. */
export interface ClientConfig {
  files: ConfigFile[];
  /** The key of the daemon that serves these files. */
  key: string;
  paths: McpxPaths;
  /** The raw text of each file that could be read. */
  texts: { file: ConfigFile; text: string }[];
  /** Names of the environment variables that the files mention. */
  variables: string[];
  /** The value of `--config`. */
  explicit?: string;
}

const FOLDER_VARIABLES = [
  "HOME",
  "MCPX_CONFIG",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "SUDO_UID",
];
/** What a configuration file may have at most; the daemon says so of a larger one. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Finds the configuration set of the caller, without parsing it.
 *
 * @param io the caller's working directory and environment
 * @param explicit the value of `--config`
 * @throws {McpxError} `invalid-config` when `--config` names no file
 */
export function clientConfig(io: Pick<CliIo, "cwd" | "env">, explicit?: string): ClientConfig {
  const env: Record<string, string | undefined> = {};
  for (const name of FOLDER_VARIABLES) env[name] = io.env(name);
  const files = findConfigFiles({ cwd: io.cwd, env, ...(explicit === undefined ? {} : { explicit }) });
  const texts: ClientConfig["texts"] = [];
  const paths = mcpxPaths(env);
  for (const file of files) {
    if (file.stranger !== undefined && !mayBeTrusted(file.real, paths.state)) continue;
    const text = (file.bytes ?? 0) > MAX_BYTES ? undefined : readIfPossible(file.path);
    if (text !== undefined) texts.push({ file, text });
  }
  return {
    files,
    key: configSetKey(files),
    paths,
    texts,
    variables: [...new Set(texts.flatMap(({ text }) => mentionedVariables(text)))],
    ...(explicit === undefined ? {} : { explicit }),
  };
}

/** Whether a file was ever trusted; whether its content still is, the daemon tells. */
function mayBeTrusted(real: string, state: string): boolean {
  return readIfPossible(`${state}/trust.json`)?.includes(JSON.stringify(real)) ?? false;
}

/** A file that cannot be read is the daemon's to report, with its reason. */
function readIfPossible(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) {
      return undefined;
    }
    throw error;
  }
}
