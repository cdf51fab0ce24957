import { basename, dirname, join } from "node:path";
import { nearest } from "../catalog/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { SHIPPED_SCRIPTS } from "./shipped_scripts.ts";

/** A script on the search path. */
export interface FoundScript {
  name: string;
  path: string;
  source: string;
}

/** Stands in a search path for the scripts that every distribution of mcpx carries inside. */
export const SHIPPED_FOLDER = "mcpx:recipes";

const EXTENSIONS = [".ts", ".js", ".mts", ".mjs"];

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
 * Finds a script by its name.
 *
 * @throws {McpxError} `invalid-input` for a name that would be a path, `unknown-script` with the nearest
 */
export async function findScript(name: string, folders: readonly string[]): Promise<FoundScript> {
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
  for (const folder of folders) {
    for (const file of await scriptFiles(folder)) {
      const stem = basename(file).replace(/\.[^.]+$/, "");
      known.push(stem);
      if (stem === name || file === name) {
        const path = join(folder, file);
        const source = await readScript(folder, file).catch((cause) => {
          const reason = cause instanceof Error ? cause.message : String(cause);
          throw new McpxError("unknown-script", `Cannot read the script ${path}: ${reason}.`, {
            cause,
            data: { script: name, path },
          });
        });
        return { name: stem, path, source };
      }
    }
  }
  const near = nearest(name, known);
  throw new McpxError("unknown-script", `Cannot find a script called ${name}.`, {
    hint: near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : `Put ${name}.ts into .mcpx/scripts/, or give a file's path.`,
    data: { script: name, folders: [...folders] },
  });
}

const READ_AT_ONCE = 64;

/** Every script on the search path; of those with the same name the nearest. A file that cannot be read hides no other one. */
export async function listScripts(folders: readonly string[]): Promise<FoundScript[]> {
  const found = new Map<string, { folder: string; file: string }>();
  for (const folder of folders) {
    for (const file of await scriptFiles(folder)) {
      const name = basename(file).replace(/\.[^.]+$/, "");
      if (!found.has(name)) found.set(name, { folder, file });
    }
  }
  const all = [...found];
  const scripts: FoundScript[] = [];
  for (let from = 0; from < all.length; from += READ_AT_ONCE) {
    const read = await Promise.all(
      all.slice(from, from + READ_AT_ONCE).map(async ([name, { folder, file }]) => {
        const source = await readScript(folder, file).catch(() => undefined); // whoever names it is told why
        return source === undefined ? [] : [{ name, path: join(folder, file), source }];
      }),
    );
    scripts.push(...read.flat());
  }
  return scripts;
}

async function readScript(folder: string, file: string): Promise<string> {
  if (folder === SHIPPED_FOLDER) return SHIPPED_SCRIPTS[file] ?? "";
  return await Deno.readTextFile(join(folder, file));
}

async function scriptFiles(folder: string): Promise<string[]> {
  if (folder === SHIPPED_FOLDER) return Object.keys(SHIPPED_SCRIPTS);
  const files: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      const isScript = EXTENSIONS.some((extension) => entry.name.endsWith(extension)) &&
        !/_test\.[^.]+$/.test(entry.name);
      if (isScript && !entry.isDirectory) files.push(entry.name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.NotADirectory)) {
      throw error;
    }
  }
  return files.sort();
}
