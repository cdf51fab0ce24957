/**
 * Copies a folder, tests and benchmarks left out.
 *
 * @param change what becomes of the text of a file
 */
export async function copy(
  from: string,
  to: string,
  change: (path: string, text: string) => string = (_path, text) => text,
): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (/_(?:test|bench)\.ts$/.test(name) || name === "testdata") continue;
    if (isDirectory) await copy(`${from}/${name}`, `${to}/${name}`, change);
    else await Deno.writeTextFile(`${to}/${name}`, change(name, await Deno.readTextFile(`${from}/${name}`)));
  }
}
