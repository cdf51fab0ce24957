import { basename, dirname, join } from "node:path";
import { nearest } from "../catalog/mod.ts";
import { passedOver, strangeFolder, strangerOf } from "../config/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { readRegularFile } from "../store/mod.ts";
import { SHIPPED_SCRIPTS } from "./shipped_scripts.ts";

/** A script on the search path. */
export interface FoundScript {
  name: string;
  path: string;
  source: string;
}

/** What is on the search path, and sentences about what was passed over. */
export interface ScriptShelf {
  scripts: FoundScript[];
  notes: string[];
}

/** Whose scripts are found. */
export interface ScriptRules {
  /** The users whose files count as this user's own; unset where nothing is checked. */
  users?: readonly number[] | undefined;
  /** Whether a person has agreed to a file's content. */
  isTrusted?(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean>;
}

/** Stands in a search path for the scripts that every distribution of mcpx carries inside. */
export const SHIPPED_FOLDER = "mcpx:recipes";

const EXTENSIONS = [".ts", ".js", ".mts", ".mjs"];
/** The most that one script may have, bytes. */
const MAX_SCRIPT_BYTES = 1024 * 1024;
/** The most that all of a list may have. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;
/** The most entries of one folder that are looked at. */
const MAX_ENTRIES = 20_000;
const READ_AT_ONCE = 64;
const MOST_NOTES = 20;

/** The folders that named scripts are looked up in, nearest first: upward from `cwd`, the user's, the shipped ones. */
export function scriptFolders(options: { cwd?: string; user: string }): string[] {
  const folders: string[] = [];
  for (
    let folder = options.cwd;
    folder !== undefined;
    folder = dirname(folder) === folder ? undefined : dirname(folder)
  ) {
    folders.push(join(folder, ".mcpx", "scripts"));
  }
  return [...folders, options.user, SHIPPED_FOLDER];
}

/**
 * Finds a script by its name, the nearest that can be used: what somebody else has put there, and what is no file, is passed over.
 *
 * @throws {McpxError} `invalid-input` for a name that would be a path, `unknown-script` with the nearest, or with why the one of
 * that name is not used
 */
export async function findScript(
  name: string,
  folders: readonly string[],
  rules: ScriptRules = {},
): Promise<FoundScript> {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name)) {
    throw new McpxError(
      "invalid-input",
      `Cannot run ${JSON.stringify(name)}: a script's name has no path in it.`,
      {
        hint: "Name a script on the search path; the command line takes a file's path.",
        data: { field: "script" },
      },
    );
  }
  const known: string[] = [];
  let passed: { path: string; reason: string; isStrange: boolean } | undefined;
  for (const folder of folders) {
    const listing = await scriptFiles(folder);
    for (const file of listing.files) {
      const stem = stemOf(file);
      known.push(stem);
      if (stem !== name && file !== name) continue;
      const path = join(folder, file);
      const read = await readScript(listing, file, { rules });
      if ("source" in read) return { name: stem, path, source: read.source };
      passed ??= { path, ...read };
    }
  }
  if (passed) {
    const { path, reason, isStrange } = passed;
    throw new McpxError("unknown-script", `Cannot use the script ${path}: ${reason}.`, {
      hint: isStrange ? `If you know what it says, run: mcpx trust ${path}` : `ls -l ${path}`,
      data: { script: name, path },
    });
  }
  const near = nearest(name, known);
  throw new McpxError("unknown-script", `Cannot find a script called ${name}.`, {
    hint: near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : `Put ${name}.ts into .mcpx/scripts/, or give a file's path.`,
    data: { script: name, folders: [...folders] },
  });
}

/** Every script on the search path; of those with the same name the nearest. A file that cannot be read hides no other one. */
export async function listScripts(
  folders: readonly string[],
  rules: ScriptRules = {},
): Promise<FoundScript[]> {
  return (await scanScripts(folders, rules)).scripts;
}

/** Every script on the search path as {@link listScripts} gives them, and a sentence about each file that is passed over. */
export async function scanScripts(
  folders: readonly string[],
  rules: ScriptRules = {},
): Promise<ScriptShelf> {
  const found = new Map<string, FoundScript>();
  const notes: string[] = [];
  let bytes = 0;
  for (const folder of folders) {
    const listing = await scriptFiles(folder);
    const { files, note } = listing;
    if (note !== undefined) notes.push(note);
    const wanted = files.filter((file) => !found.has(stemOf(file)));
    const of = lookAt(folder, wanted, rules);
    for (let from = 0; from < wanted.length && bytes <= MAX_LIST_BYTES; from += READ_AT_ONCE) {
      const some = wanted.slice(from, from + READ_AT_ONCE);
      const read = await Promise.all(some.map((file) => readScript(listing, file, { rules, of })));
      for (const [at, file] of some.entries()) {
        const one = read[at];
        const path = join(folder, file);
        const name = stemOf(file);
        if (one === undefined || found.has(name)) continue;
        if ("source" in one) {
          found.set(name, { name, path, source: one.source });
          bytes += one.source.length;
        } else {
          notes.push(one.isStrange ? passedOver(path, one.reason) : `${path} is passed over: ${one.reason}.`);
        }
      }
    }
  }
  if (bytes > MAX_LIST_BYTES) {
    notes.push(`Not every script is listed: those that are have ${bytes} bytes already.`);
  }
  const more = notes.length - MOST_NOTES;
  return {
    scripts: [...found.values()],
    notes: more > 0 ? [...notes.slice(0, MOST_NOTES), `${more} more files are passed over.`] : notes,
  };
}

function stemOf(file: string): string {
  return basename(file).replace(/\.[^.]+$/, "");
}

/** A script's source, or why there is none: `isStrange` where somebody else has put it there. */
export type ReadScript = { source: string } | { reason: string; isStrange: boolean };

/** What a folder of scripts holds. */
interface ScriptListing {
  folder: string;
  /** Names, sorted. */
  files: string[];
  /** Those of them that are regular files and no links. */
  regular: ReadonlySet<string>;
  note?: string;
}

/** Whose a folder of scripts is. */
interface ScriptFolder {
  info: Deno.FileInfo;
  /** Why the folder above is not this user's, where it is not: a `.mcpx` of somebody else's. */
  above: string | undefined;
}

function folderOf(path: string, { users }: ScriptRules): ScriptFolder {
  return { info: Deno.statSync(path), above: strangeFolder(Deno.statSync(dirname(path)), users) };
}

/** Looks at a folder once for all of its files; where it is gone by now, each of them says so. */
function lookAt(folder: string, files: readonly string[], rules: ScriptRules): ScriptFolder | undefined {
  if (folder === SHIPPED_FOLDER || files.length === 0) return undefined;
  try {
    return folderOf(folder, rules);
  } catch {
    return undefined;
  }
}

function readScript(
  { folder, regular }: ScriptListing,
  file: string,
  { rules, of }: { rules: ScriptRules; of?: ScriptFolder | undefined },
): Promise<ReadScript> {
  if (folder === SHIPPED_FOLDER) return Promise.resolve({ source: SHIPPED_SCRIPTS[file] ?? "" });
  return readScriptFile(join(folder, file), rules, { isRegular: regular.has(file), of });
}

/**
 * The source in a file that somebody else may have put there, or why it is not used.
 *
 * @param options.limit the most bytes it may have
 * @param options.isRegular whether its folder has told already that it is a regular file
 * @param options.of its folder, where that was looked at already
 */
export async function readScriptFile(
  path: string,
  rules: ScriptRules,
  options: { limit?: number; isRegular?: boolean; of?: ScriptFolder | undefined } = {},
): Promise<ReadScript> {
  const { limit = MAX_SCRIPT_BYTES, isRegular = false } = options;
  try {
    const { bytes, uid, mode } = await readRegularFile(path, { limit, isRegular });
    const of = options.of ?? folderOf(dirname(path), rules);
    const { users } = rules;
    const real = isRegular ? { real: path } : {};
    const stranger = strangerOf(path, { uid, mode }, { users, folder: of.info, ...real }) ?? of.above;
    if (stranger !== undefined && !await rules.isTrusted?.(path, bytes)) {
      return { reason: stranger, isStrange: true };
    }
    return { source: new TextDecoder().decode(bytes) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error), isStrange: false };
  }
}

async function scriptFiles(folder: string): Promise<ScriptListing> {
  if (folder === SHIPPED_FOLDER) return { folder, files: Object.keys(SHIPPED_SCRIPTS), regular: new Set() };
  const files: string[] = [];
  const regular = new Set<string>();
  let seen = 0;
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (++seen > MAX_ENTRIES) break;
      const isScript = EXTENSIONS.some((extension) => entry.name.endsWith(extension)) &&
        !/_test\.[^.]+$/.test(entry.name);
      if (!isScript || entry.isDirectory) continue;
      files.push(entry.name);
      if (entry.isFile) regular.add(entry.name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.NotADirectory)) {
      const reason = error instanceof Error ? error.message : String(error);
      return { folder, files: [], regular, note: `${folder} is passed over: ${reason}.` };
    }
  }
  return {
    folder,
    files: files.sort(),
    regular,
    ...(seen > MAX_ENTRIES
      ? { note: `${folder} has more than ${MAX_ENTRIES} entries; the others are passed over.` }
      : {}),
  };
}
