import { basename, dirname, join } from "node:path";
import { nearest } from "../catalog/mod.ts";
import { McpxError } from "../errors/mod.ts";

/** A script on the search path. */
export interface FoundScript {
  name: string;
  path: string;
  source: string;
}

const EXTENSIONS = [".ts", ".js", ".mts", ".mjs"];

/** The folders that named scripts are looked up in, nearest first: upward from `cwd`, the user's, the shipped ones. */
export function scriptFolders(options: { cwd?: string; user: string; shipped: string }): string[] {
  const folders: string[] = [];
  for (
    let folder = options.cwd;
    folder !== undefined;
    folder = dirname(folder) === folder ? undefined : dirname(folder)
  ) {
    folders.push(join(folder, ".mcpx", "scripts"));
  }
  return [...folders, options.user, options.shipped];
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
        return { name: stem, path, source: await Deno.readTextFile(path) };
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

/** Every script on the search path; of those with the same name the nearest. */
export async function listScripts(folders: readonly string[]): Promise<FoundScript[]> {
  const found = new Map<string, FoundScript>();
  for (const folder of folders) {
    for (const file of await scriptFiles(folder)) {
      const name = basename(file).replace(/\.[^.]+$/, "");
      const path = join(folder, file);
      if (!found.has(name)) found.set(name, { name, path, source: await Deno.readTextFile(path) });
    }
  }
  return [...found.values()];
}

async function scriptFiles(folder: string): Promise<string[]> {
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
