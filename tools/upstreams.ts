/**
 * Installs the real servers that the tests and the benchmark talk to, pinned, below `tests/.upstreams`; does nothing when they are there.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

/** Where they are installed. */
export const UPSTREAMS_FOLDER: string = fileURLToPath(new URL("../tests/.upstreams/", import.meta.url));

/** Package -> version and the script that `node` runs. */
export const UPSTREAMS = {
  "@modelcontextprotocol/server-everything": { version: "2026.8.31", entry: "dist/index.js" },
  "@modelcontextprotocol/server-filesystem": { version: "2026.8.31", entry: "dist/index.js" },
  "@modelcontextprotocol/server-memory": { version: "2026.8.31", entry: "dist/index.js" },
  "@modelcontextprotocol/server-sequential-thinking": { version: "2026.8.31", entry: "dist/index.js" },
  "@modelcontextprotocol/server-github": { version: "2025.4.8", entry: "dist/index.js" },
  "@upstash/context7-mcp": { version: "4.1.1", entry: "dist/index.js" },
} as const;

/** The path of a server's script. */
export function upstreamEntry(name: keyof typeof UPSTREAMS): string {
  return `${UPSTREAMS_FOLDER}node_modules/${name}/${UPSTREAMS[name].entry}`;
}

/** Installs what is missing. @throws {Error} when npm fails */
export async function installUpstreams(): Promise<void> {
  const wanted = Object.entries(UPSTREAMS).map(([name, { version }]) => `${name}@${version}`);
  const marker = `${UPSTREAMS_FOLDER}installed.json`;
  if (await Deno.readTextFile(marker).catch(() => "") === JSON.stringify(wanted)) return;
  await Deno.mkdir(UPSTREAMS_FOLDER, { recursive: true });
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  const { code } = await new Deno.Command("npm", {
    args: ["install", ...flags, "--prefix", UPSTREAMS_FOLDER, ...wanted],
  }).spawn().status;
  if (code !== 0) throw new Error(`Cannot install the servers for the tests: npm ended with ${code}.`);
  await Deno.writeTextFile(marker, JSON.stringify(wanted));
}

if (import.meta.main) await installUpstreams();
