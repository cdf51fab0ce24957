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
    for (const file of (await scriptFiles(folder)).files) {
      const stem = stemOf(file);
      known.push(stem);
      if (stem !== name && file !== name) continue;
      const path = join(folder, file);
      const read = await readScript(folder, file, rules);
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
    const { files, note } = await scriptFiles(folder);
    if (note !== undefined) notes.push(note);
    const wanted = files.filter((file) => !found.has(stemOf(file)));
    for (let from = 0; from < wanted.length && bytes <= MAX_LIST_BYTES; from += READ_AT_ONCE) {
      const some = wanted.slice(from, from + READ_AT_ONCE);
      const read = await Promise.all(some.map((file) => readScript(folder, file, rules)));
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

async function readScript(
  folder: string,
  file: string,
  rules: ScriptRules,
): Promise<ReadScript> {
  if (folder === SHIPPED_FOLDER) return { source: SHIPPED_SCRIPTS[file] ?? "" };
  return await readScriptFile(join(folder, file), rules);
}

/** The source in a file that somebody else may have put there, or why it is not used. */
export async function readScriptFile(
  path: string,
  rules: ScriptRules,
  limit: number = MAX_SCRIPT_BYTES,
): Promise<ReadScript> {
  try {
    const { bytes, uid, mode } = await readRegularFile(path, { limit });
    const { users } = rules;
    const stranger = users && (strangerOf(path, { uid, mode }, { users }) ??
      strangeFolder(Deno.statSync(dirname(dirname(path))), users));
    if (stranger !== undefined && !await rules.isTrusted?.(path, bytes)) {
      return { reason: stranger, isStrange: true };
    }
    return { source: new TextDecoder().decode(bytes) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error), isStrange: false };
  }
}

async function scriptFiles(folder: string): Promise<{ files: string[]; note?: string }> {
  if (folder === SHIPPED_FOLDER) return { files: Object.keys(SHIPPED_SCRIPTS) };
  const files: string[] = [];
  let seen = 0;
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (++seen > MAX_ENTRIES) break;
      const isScript = EXTENSIONS.some((extension) => entry.name.endsWith(extension)) &&
        !/_test\.[^.]+$/.test(entry.name);
      if (isScript && !entry.isDirectory) files.push(entry.name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.NotADirectory)) {
      const reason = error instanceof Error ? error.message : String(error);
      return { files: [], note: `${folder} is passed over: ${reason}.` };
    }
  }
  return {
    files: files.sort(),
    ...(seen > MAX_ENTRIES
      ? { note: `${folder} has more than ${MAX_ENTRIES} entries; the others are passed over.` }
      : {}),
  };
}
