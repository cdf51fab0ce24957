import { McpxError } from "../errors/mcpx_error.ts";

/** An environment as a record; nothing in this folder reads the process's own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The folders that mcpx keeps its files in; none of them needs to exist. */
export interface McpxPaths {
  /** The user's configuration, scripts and recipes. */
  config: string;
  /** History, logs, tokens, trust: what must survive a restart. */
  state: string;
  /** What can be read again: schemas. */
  cache: string;
  data: string;
  /** Sockets and locks. */
  runtime: string;
  /** Whether `runtime` lies under `state`, because there is no usable `XDG_RUNTIME_DIR`. */
  runtimeFallback: boolean;
}

/** The value of a variable that names a folder: unset when it is empty or relative. */
export function folderVariable(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value?.startsWith("/") ? trimSlash(value) : undefined;
}

function trimSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.replace(/\/+$/, "") || "/" : path;
}

/**
 * Names mcpx's folders by the XDG rules; empty and relative variables count as unset.
 *
 * @param env the caller's environment
 * @param options.os the platform, for the folders that macOS has its own places for
 * @returns absolute paths
 * @throws {McpxError} `state-unwritable` when neither HOME nor the XDG variable is set
 *
 * @example
 * ```ts
 * import { mcpxPaths } from "./paths.ts";
 * console.assert(mcpxPaths({ HOME: "/home/me" }, { os: "linux" }).state === "/home/me/.local/state/mcpx");
 * ```
 */
export function mcpxPaths(env: Environment, options: { os?: string } = {}): McpxPaths {
  const mac = (options.os ?? Deno.build.os) === "darwin";
  const state = place(env, "XDG_STATE_HOME", mac ? "Library/Application Support" : ".local/state");
  const runtime = folderVariable(env, "XDG_RUNTIME_DIR");
  return {
    config: place(env, "XDG_CONFIG_HOME", ".config"),
    state,
    cache: place(env, "XDG_CACHE_HOME", mac ? "Library/Caches" : ".cache"),
    data: place(env, "XDG_DATA_HOME", mac ? "Library/Application Support" : ".local/share"),
    runtime: runtime === undefined ? `${state}/run` : `${runtime}/mcpx`,
    runtimeFallback: runtime === undefined,
  };
}

function place(env: Environment, variable: string, underHome: string): string {
  const folder = folderVariable(env, variable);
  if (folder !== undefined) return `${folder}/mcpx`;
  const home = folderVariable(env, "HOME");
  if (home === undefined) {
    throw new McpxError("state-unwritable", `Cannot place mcpx's files: HOME and ${variable} are not set.`, {
      hint: "export HOME=/path/to/your/home",
    });
  }
  return `${home}/${underHome}/mcpx`;
}
