import { loadConfiguration, type LoadOptions } from "./load.ts";
import type { Configuration } from "./types.ts";

/** A folder with files, removed at the end of its scope. */
export interface TestFolder extends AsyncDisposable {
  /** The real path. */
  path: string;
  /** Writes a file below the folder, with the folders above it; a value becomes JSON. */
  write(name: string, content: unknown): Promise<string>;
}

/** Makes a temporary folder for one test. */
export async function testFolder(files: Record<string, unknown> = {}): Promise<TestFolder> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "mcpx-config-" }));
  const folder: TestFolder = {
    path,
    async write(name, content): Promise<string> {
      const full = `${path}/${name}`;
      await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
      if (content instanceof Uint8Array) await Deno.writeFile(full, content);
      else await Deno.writeTextFile(full, typeof content === "string" ? content : JSON.stringify(content));
      return full;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Deno.remove(path, { recursive: true });
    },
  };
  for (const [name, content] of Object.entries(files)) await folder.write(name, content);
  return folder;
}

/** Loads the configuration that a folder's `project` sees, with `home` as the home folder. */
export async function loadFrom(
  folder: TestFolder,
  options: Partial<LoadOptions> = {},
): Promise<Configuration> {
  await Deno.mkdir(`${folder.path}/project`, { recursive: true });
  return await loadConfiguration({
    cwd: `${folder.path}/project`,
    env: { HOME: `${folder.path}/home` },
    settingGroups: ["exec", "config", "script", "model"],
    ...options,
  });
}
