import { McpxError } from "../errors/mcpx_error.ts";
import { type Environment, folderVariable } from "./paths.ts";
import { ownUsers, strangerOf } from "./stranger.ts";

/** One file of the configuration set. */
export interface ConfigFile {
  /** As it was found: absolute, symlinks kept. */
  path: string;
  /** With every symlink resolved: what daemons and trust are keyed by. */
  real: string;
  /** Whose it is. */
  kind: "project" | "user" | "system" | "explicit";
  /** Its size when it was found. */
  bytes?: number;
  /** Why it is not this user's word, where it is not: then it counts only once its content is trusted. */
  stranger?: string;
}

/** Where a search for configuration starts. */
export interface ConfigSearch {
  /** Absolute working directory of the caller. */
  cwd: string;
  env: Environment;
  /** The value of `--config`; `MCPX_CONFIG` stands in for it. */
  explicit?: string;
}

const PROJECT_NAMES = [".mcpx.json", ".mcpx/config.json", ".mcp.json"];

/**
 * Finds the files of the configuration set, nearest first.
 *
 * A file that is reached twice counts once. A user's file keeps its rank below every project's, also where the walk
 * upward passes it, so that its rank does not depend on the working directory. A file that somebody else can write is marked;
 * one that was named is not, since whoever named it has said yes.
 *
 * @param search the caller's working directory and environment
 * @returns the files that exist; empty where there are none
 * @throws {McpxError} `invalid-config` when `--config` or `MCPX_CONFIG` names no file
 *
 * @example
 * ```ts
 * import { findConfigFiles } from "./search.ts";
 * const files = findConfigFiles({ cwd: "/work/demo", env: { HOME: "/home/me" } });
 * console.assert(files.every((file) => file.path.startsWith("/")));
 * ```
 */
export function findConfigFiles(search: ConfigSearch): ConfigFile[] {
  const named = search.explicit || search.env.MCPX_CONFIG;
  if (named) return [explicitFile(named, search)];
  const users = ownUsers(search.env);
  const fixed = fixedFiles(search.env, users);
  const seen = new Set(fixed.map((file) => file.real));
  const found: ConfigFile[] = [];
  for (const folder of upward(search.cwd)) {
    for (const name of PROJECT_NAMES) {
      const file = existing(folder === "/" ? `/${name}` : `${folder}/${name}`, "project", users);
      if (file === undefined || seen.has(file.real)) continue;
      seen.add(file.real);
      found.push(file);
    }
  }
  return [...found, ...fixed];
}

function fixedFiles(env: Environment, users: readonly number[] | undefined): ConfigFile[] {
  const home = folderVariable(env, "HOME");
  const config = folderVariable(env, "XDG_CONFIG_HOME") ?? (home && `${home}/.config`);
  const files = [
    config && existing(`${config}/mcpx/config.json`, "user", users),
    home && existing(`${home}/.mcpx.json`, "user", users),
    existing("/etc/mcpx/config.json", "system", users),
  ].filter((file) => typeof file === "object");
  return files.filter((file, at) => files.findIndex((other) => other.real === file.real) === at);
}

function* upward(cwd: string): Generator<string> {
  for (
    let folder = cwd.replace(/\/+$/, "") || "/";;
    folder = folder.slice(0, folder.lastIndexOf("/")) || "/"
  ) {
    yield folder;
    if (folder === "/") return;
  }
}

function existing(
  path: string,
  kind: ConfigFile["kind"],
  users: readonly number[] | undefined,
): ConfigFile | undefined {
  try {
    const info = Deno.statSync(path);
    if (!info.isFile) return undefined;
    const real = Deno.realPathSync(path);
    const stranger = strangerOf(path, info, { users, real });
    return { path, real, kind, bytes: info.size, ...(stranger === undefined ? {} : { stranger }) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    // A folder that may not be looked into holds no configuration of this user's.
    if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.FilesystemLoop) {
      return undefined;
    }
    throw error;
  }
}

function explicitFile(named: string, { cwd, env, explicit }: ConfigSearch): ConfigFile {
  const home = folderVariable(env, "HOME");
  const rooted = named.startsWith("~/") && home ? home + named.slice(1) : named;
  const path = plainPath(rooted.startsWith("/") ? rooted : `${cwd}/${rooted}`);
  const file = existing(path, "explicit", undefined);
  if (file) return file;
  const flag = explicit ? "--config" : "MCPX_CONFIG";
  throw new McpxError("invalid-config", `Cannot use ${flag} ${named}: there is no file ${path}.`, {
    hint: explicit
      ? "Give the path of an existing file; a relative one starts at the working directory."
      : "unset MCPX_CONFIG",
    data: { file: path },
  });
}

/** An absolute path without `.`, `..` and doubled slashes. */
function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/**
 * Digests the set of real paths, nearest first: the key of the daemon that serves it.
 *
 * It does not depend on the files' contents, so an edit keeps the daemon.
 *
 * @param files as {@link findConfigFiles} gives them
 * @returns 26 hexadecimal digits
 */
export function configSetKey(files: readonly Pick<ConfigFile, "real">[]): string {
  const text = files.map((file) => file.real).join("\0");
  return digest53(text, 0x9e3779b9) + digest53(text, 0x243f6a88);
}

/** 53 bits of two multiplied and crossed 32-bit states: loading a cryptographic digest costs more than the search. */
function digest53(text: string, seed: number): string {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, "0").slice(-13);
}
