/** A published source file. */
export interface SourceFile {
  path: string;
  text: string;
}

const EXTENSION = /\.[cm]?[jt]sx?$/;

/** The folder of the packages that Deno has fetched. */
async function packageFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
    env: { NO_COLOR: "1" },
  }).output();
  const info: { npmCache: string } = JSON.parse(new TextDecoder().decode(stdout));
  return info.npmCache;
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
 * The script sources of every package on disk, spread evenly where there are more than `maxBytes`.
 *
 * @param maxBytes how many characters at most, all files together
 * @param largest files beyond this many bytes are left out
 */
export async function publishedSources(maxBytes: number, largest = Infinity): Promise<SourceFile[]> {
  const sizes: { path: string; size: number }[] = [];
  for await (const path of walk(await packageFolder())) {
    const { size } = await Deno.stat(path);
    if (size <= largest) sizes.push({ path, size });
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
