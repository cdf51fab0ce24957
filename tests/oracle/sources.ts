import { fileURLToPath } from "node:url";

/** A published source file. */
export interface SourceFile {
  path: string;
  text: string;
}

const EXTENSION = /\.[cm]?[jt]sx?$/;

const LOCK = fileURLToPath(new URL("../../deno.lock", import.meta.url));

/** Runs deno to its end; gives what it printed. */
async function deno(args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(`deno ${args[0]} failed: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** The folders of every package that this project depends on; those that are not on disk yet are fetched. */
async function packageFolders(): Promise<string[]> {
  const lock: { npm: Record<string, unknown> } = JSON.parse(await Deno.readTextFile(LOCK));
  const packages = Object.keys(lock.npm).map((key) => /^(@?[^@]+)@([^_]+)/.exec(key)?.slice(1, 3) ?? []);
  const missing: string[] = [];
  const found = new Set<string>();
  const look = async (): Promise<void> => {
    missing.length = 0;
    const { npmCache }: { npmCache: string } = JSON.parse(await deno(["info", "--json"]));
    const registries = await Array.fromAsync(Deno.readDir(npmCache)).catch(() => []);
    for (const [name, version] of packages) {
      const folders = registries.map((registry) => `${npmCache}/${registry.name}/${name}/${version}`);
      const there = folders.filter((folder) => exists(folder));
      for (const folder of there) found.add(folder);
      if (there.length === 0) missing.push(`npm:${name}@${version}`);
    }
  };
  await look();
  if (missing.length > 0) {
    await deno(["cache", "--quiet", "--no-lock", ...missing]);
    await look();
  }
  if (missing.length > 0) throw new Error(`these packages could not be fetched: ${missing.join(", ")}`);
  return [...found].sort();
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

async function* walk(folder: string): AsyncGenerator<string> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  entries.sort((a, b) => a.name < b.name ? -1 : 1);
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* walk(path);
    else if (entry.isFile && EXTENSION.test(entry.name)) yield path;
  }
}

/**
 * The script sources of every package that this project depends on, spread evenly where there are more than `maxBytes`.
 *
 * @param maxBytes how many characters at most, all files together
 * @param largest files beyond this many bytes are left out
 */
export async function publishedSources(maxBytes: number, largest = Infinity): Promise<SourceFile[]> {
  const sizes: { path: string; size: number }[] = [];
  for (const folder of await packageFolders()) {
    for await (const path of walk(folder)) {
      const { size } = await Deno.stat(path);
      if (size <= largest) sizes.push({ path, size });
    }
  }
  const total = sizes.reduce((sum, file) => sum + file.size, 0);
  const share = Math.min(1, maxBytes / Math.max(1, total));
  const files: SourceFile[] = [];
  let taken = 0;
  let seen = 0;
  for (const file of sizes) {
    seen += file.size;
    if (taken + file.size > seen * share) continue;
    taken += file.size;
    files.push({ path: file.path, text: await Deno.readTextFile(file.path) });
  }
  return files;
}
