import { copy } from "./copy.ts";
import { deno, ROOT } from "./run.ts";

/** Files of the program that are processes of their own, by the name of their bundle. */
const ENTRIES: Readonly<Record<string, string>> = {
  "mcpx": "cli.ts",
  "host_entry": "lib/sandbox/host_entry.ts",
  "checker_entry": "lib/sandbox/types/checker_entry.ts",
};

/**
 * Bundles mcpx into plain JavaScript that needs no configuration, no lock file and no package but what it names as external: the base of
 * every form in which it is given away.
 *
 * From source, modules that a command may not need are imported by a specifier that the runtime does not see. Here they become ordinary
 * dynamic imports, and chunks of their own.
 *
 * @param out the folder that is written
 * @throws {Error} when the bundler fails
 */
export async function bundle(out: string): Promise<void> {
  const work = await Deno.makeTempDir({ prefix: "mcpx-bundle-" });
  try {
    for (const name of ["cli.ts", "deno.json", "deno.lock"]) {
      await Deno.copyFile(`${ROOT}${name}`, `${work}/${name}`);
    }
    for (const name of ["lib", "daemon", "recipes"]) {
      await copy(`${ROOT}${name}`, `${work}/${name}`, visibleImports);
    }
    for (const [name, path] of Object.entries(ENTRIES)) {
      await Deno.writeTextFile(`${work}/${name}.ts`, `import "./file_name.ts";\nimport "./${path}";\n`);
    }
    // A module that was written for require looks for itself by this name.
    await Deno.writeTextFile(
      `${work}/file_name.ts`,
      "Object.assign(globalThis, { __filename: import.meta.filename });\n",
    );
    await Deno.mkdir(out, { recursive: true });
    await deno(
      [
        "bundle",
        "--quiet",
        "--platform=deno",
        "--code-splitting",
        "--external=source-map-support",
        `--outdir=${out}`,
        ...Object.keys(ENTRIES).map((name) => `${name}.ts`),
      ],
      { cwd: work },
    );
    await copyDeclarations(work, out);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Turns hidden specifiers into visible ones, and files that are started by their path into their bundles. */
function visibleImports(path: string, text: string): string {
  if (!path.endsWith(".ts")) return text;
  return text
    .replace(/\bimport\(\s*("[^"\n]+") as string,?\s*\)/g, "import($1)")
    .replace('createRequire(import.meta.url).resolve("typescript")', "fileURLToPath(import.meta.url)")
    .replace(/new URL\("\.\/(\w+_entry)\.ts", import\.meta\.url\)/g, 'new URL("./$1.js", import.meta.url)');
}

/** The compiler that checks scripts reads the declarations of the language beside itself. */
async function copyDeclarations(work: string, out: string): Promise<void> {
  const from = await deno([
    "eval",
    "--config",
    `${work}/deno.json`,
    "import { createRequire } from 'node:module'; console.log(createRequire(import.meta.url).resolve('typescript'))",
  ], { cwd: work });
  const folder = from.trim().replace(/\/[^/]*$/, "");
  for await (const { name } of Deno.readDir(folder)) {
    if (/^lib\..*\.d\.ts$/.test(name)) await Deno.copyFile(`${folder}/${name}`, `${out}/${name}`);
  }
}
