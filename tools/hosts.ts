/**
 * Installs the MCP hosts that the tests drive `mcpx serve` with, pinned, below `tests/.upstreams/hosts`; does nothing when they are
 * there.
 *
 * @module
 */
import { UPSTREAMS_FOLDER } from "./upstreams.ts";

const FOLDER = `${UPSTREAMS_FOLDER}hosts`;
const OPENCODE = `opencode-linux-${Deno.build.arch === "aarch64" ? "arm64" : "x64"}`;
const PACKAGES = [`@modelcontextprotocol/inspector@2.12.0`, `${OPENCODE}@1.18.33`];

/** The commands of the installed hosts. */
export interface Hosts {
  /** MCP Inspector's command line, for `node`. */
  inspector: string;
  /** MCP Inspector's command line that keeps connections, for `node`. */
  mcpdo: string;
  opencode: string;
}

/** Installs what is missing and gives the commands. @throws {Error} when npm fails */
export async function installHosts(): Promise<Hosts> {
  const marker = `${FOLDER}/installed.json`;
  if (await Deno.readTextFile(marker).catch(() => "") !== JSON.stringify(PACKAGES)) {
    await Deno.mkdir(FOLDER, { recursive: true });
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
    const { code } = await new Deno.Command("npm", {
      args: ["install", ...flags, "--prefix", FOLDER, ...PACKAGES],
    })
      .spawn().status;
    if (code !== 0) throw new Error(`Cannot install the hosts for the tests: npm ended with ${code}.`);
    await Deno.writeTextFile(marker, JSON.stringify(PACKAGES));
  }
  const inspector = `${FOLDER}/node_modules/@modelcontextprotocol/inspector/clients`;
  return {
    inspector: `${inspector}/cli/build/index.js`,
    mcpdo: `${inspector}/mcpdo/build/mcp-bin.js`,
    opencode: `${FOLDER}/node_modules/${OPENCODE}/bin/opencode`,
  };
}

if (import.meta.main) await installHosts();
