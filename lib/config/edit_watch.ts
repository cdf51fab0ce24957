import { folderVariable } from "./paths.ts";
import { type ConfigFile, type ConfigSearch, findConfigFiles } from "./search.ts";

/** A clock of a file system may stand still for this long, ms: what was written meanwhile has the same time. */
const COARSE_MS = 100;
/** The most that is compared of a file that was written just now. */
const MAX_COMPARED = 1024 * 1024;

interface FileState {
  path: string;
  stamp: string;
  /** What it held, where its times alone cannot tell that it was written again. */
  text?: string;
}

/**
 * Tells whether the files of a configuration set are still as they were: edited, removed, or joined by another one.
 *
 * A look is a stat for each file and for each folder that another file could appear in; only where a folder has changed the search is
 * made again. So every request can look, and one that comes after an edit sees it.
 *
 * @example
 * ```ts
 * import { EditWatch } from "./edit_watch.ts";
 * const watch = new EditWatch({ cwd: "/", env: {} });
 * watch.look();
 * console.assert(!watch.changed());
 * ```
 */
export class EditWatch {
  readonly #search: () => ConfigSearch;
  #files: FileState[] = [];
  #isChanged = false;
  #folders: { path: string; stamp: string }[] = [];
  #set = "";

  constructor(search: ConfigSearch | (() => ConfigSearch)) {
    this.#search = typeof search === "function" ? search : () => search;
  }

  /**
   * Notes how everything is now, before it is read.
   *
   * @returns the files of the set
   * @throws {McpxError} `invalid-config` when `--config` names no file
   */
  look(): ConfigFile[] {
    const search = this.#search();
    this.#isChanged = false;
    this.#folders = foldersOf(search).map((path) => ({ path, stamp: folderStamp(path) }));
    const files = findConfigFiles(search);
    this.#set = setOf(files);
    this.#files = files.map(({ path }) => stateOf(path));
    return files;
  }

  /** Whether anything is not as it was at the last look. */
  changed(): boolean {
    return this.#isChanged ||= this.#hasChanged();
  }

  #hasChanged(): boolean {
    if (this.#files.some((known) => hasChanged(known))) return true;
    const moved = this.#folders.filter(({ path, stamp }) => folderStamp(path) !== stamp);
    if (moved.length === 0) return false;
    const search = this.#search();
    this.#folders = foldersOf(search).map((path) => ({ path, stamp: folderStamp(path) }));
    try {
      return setOf(findConfigFiles(search)) !== this.#set;
    } catch {
      return true; // the reading says why
    }
  }
}

function setOf(files: readonly ConfigFile[]): string {
  return files.map(({ path, real, stranger }) => `${path}\0${real}\0${stranger ?? ""}`).join("\0\0");
}

/** The folders in which a file of the set could appear; where one is missing, the one that it would appear in. */
function foldersOf({ cwd, env, explicit }: ConfigSearch): string[] {
  if (explicit || env.MCPX_CONFIG) return [];
  const home = folderVariable(env, "HOME");
  const config = folderVariable(env, "XDG_CONFIG_HOME") ?? (home && `${home}/.config`);
  const wanted: string[] = [];
  for (let folder = cwd.replace(/\/+$/, "");; folder = folder.slice(0, folder.lastIndexOf("/"))) {
    wanted.push(folder || "/");
    if (isFolder(`${folder}/.mcpx`)) wanted.push(`${folder}/.mcpx`);
    if (folder === "") break;
  }
  for (const own of [config && `${config}/mcpx`, home, "/etc/mcpx"]) if (own) wanted.push(nearestFolder(own));
  return [...new Set(wanted)];
}

function nearestFolder(path: string): string {
  let folder = path;
  while (folder !== "" && !isFolder(folder)) folder = folder.slice(0, folder.lastIndexOf("/"));
  return folder || "/";
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false; // what cannot be looked into holds no configuration of this user's
  }
}

function folderStamp(path: string): string {
  try {
    const { ino, mode, uid, mtime } = Deno.statSync(path);
    const time = mtime?.getTime() ?? 0;
    // No two looks at a folder that has just changed are the same: what comes into it now may bear the same time.
    const now = Date.now() - time < COARSE_MS ? `:${performance.now()}` : "";
    return `${ino}:${mode}:${uid}:${time}${now}`;
  } catch {
    return "closed";
  }
}

function stateOf(path: string): FileState {
  try {
    const info = Deno.statSync(path);
    const stamp = stampOf(info);
    const written = Math.max(info.mtime?.getTime() ?? 0, info.ctime?.getTime() ?? 0);
    const isFresh = Date.now() - written < COARSE_MS && info.isFile && info.size <= MAX_COMPARED;
    return { path, stamp, ...(isFresh ? { text: Deno.readTextFileSync(path) } : {}) };
  } catch {
    return { path, stamp: "closed" };
  }
}

/** A file that was written just before the look is compared by its text until its time has passed. */
function hasChanged(known: FileState): boolean {
  try {
    const info = Deno.statSync(known.path);
    if (stampOf(info) !== known.stamp) return true;
  } catch {
    return known.stamp !== "closed";
  }
  if (known.text === undefined) return false;
  const now = stateOf(known.path);
  if (now.text === undefined) {
    const isSame = textOf(known.path) === known.text;
    if (isSame) delete known.text;
    return !isSame;
  }
  return now.text !== known.text;
}

function textOf(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined; // it is gone, or closed: not what it was
  }
}

function stampOf(info: Deno.FileInfo): string {
  return `${info.dev}:${info.ino}:${info.size}:${info.mtime?.getTime()}:${info.ctime?.getTime()}`;
}
