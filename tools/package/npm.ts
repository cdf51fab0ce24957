/**
 * Makes the npm package: bundles, a launcher, and Deno as a dependency. Gives the tarball's path on the last line.
 *
 * `deno task package:npm [folder]`
 *
 * @module
 */
import { VERSION } from "../../lib/version.ts";
import { bundle } from "./bundle.ts";
import { launcher } from "./launcher.ts";
import { ROOT, run, say } from "./run.ts";

/** The Deno that mcpx is built for and tested with. */
export const DENO_VERSION = "2.9.6";

/**
 * Writes the tarball.
 *
 * @param out the folder that it is written into
 * @param bundled a folder that {@link bundle} wrote, where there is one
 * @returns its path
 */
export async function packageNpm(out: string, bundled?: string): Promise<string> {
  const work = await Deno.makeTempDir({ prefix: "mcpx-npm-" });
  try {
    if (bundled === undefined) await bundle(`${work}/dist`);
    else await run("cp", ["-r", bundled, `${work}/dist`]);
    await Deno.mkdir(`${work}/bin`);
    await Deno.writeTextFile(`${work}/bin/mcpx`, await launcher("npm"), { mode: 0o755 });
    for (const name of ["README.md", "LICENSE"]) await Deno.copyFile(`${ROOT}${name}`, `${work}/${name}`);
    await Deno.writeTextFile(`${work}/package.json`, `${JSON.stringify(await packageJson(), null, 2)}\n`);
    await Deno.mkdir(out, { recursive: true });
    const said = await run("npm", ["pack", "--silent", "--pack-destination", out], { cwd: work });
    return `${out}/${said.trim().split("\n").at(-1)}`;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

async function packageJson(): Promise<Record<string, unknown>> {
  const { name, license } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`)) as Record<string, string>;
  return {
    name,
    version: VERSION,
    description: "Many MCP servers behind one command line, one HTTP API and one MCP server.",
    license,
    type: "module",
    bin: { mcpx: "bin/mcpx" },
    os: ["linux", "darwin"],
    files: ["bin/", "dist/"],
    dependencies: { deno: DENO_VERSION },
  };
}

if (import.meta.main) say(await packageNpm(Deno.args[0] ?? `${ROOT}dist`));
