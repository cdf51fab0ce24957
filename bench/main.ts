/**
 * Measures mcpx beside what it is compared with, in one run, and prints medians and ratios. Words pick sections; without any all run.
 *
 * @module
 */
import { installUpstreams } from "../tools/upstreams.ts";
import { print } from "./measure.ts";

const SECTIONS: Record<string, () => Promise<{ run(): Promise<void> }>> = {
  "command-line": () => import("./command_line.ts"),
  "daemon-calls": () => import("./daemon_calls.ts"),
  "diagnose": () => import("./diagnose.ts"),
  "large-catalog": () => import("./large_catalog.ts"),
  "many-servers": () => import("./many_servers.ts"),
  "mcp-face": () => import("./mcp_face.ts"),
  "recipes": () => import("./recipes.ts"),
  "scripts": () => import("./scripts.ts"),
  "memory": () => import("./memory.ts"),
};

const picked = Deno.args.length > 0 ? Deno.args : Object.keys(SECTIONS);
await installUpstreams();
print(`# mcpx, ${navigator.hardwareConcurrency} cores, deno ${Deno.version.deno}`);
for (const name of picked) {
  const load = SECTIONS[name];
  if (!load) throw new Error(`There is no section ${name}: ${Object.keys(SECTIONS).join(", ")}.`);
  await (await load()).run();
}
