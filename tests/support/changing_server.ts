import { join } from "node:path";
import { fixtureServer, type World } from "./world.ts";

/** A tool as `tests/fixtures/servers/changing.mjs` is told to have it. */
export interface FixtureTool {
  name: string;
  description?: string;
  inputSchema?: object;
  annotations?: object;
}

/** Its tool `echo`, with these arguments required. */
export function echoTool(required: string[] = [], more: Partial<FixtureTool> = {}): FixtureTool {
  return {
    name: "echo",
    description: "Says it again.",
    inputSchema: {
      type: "object",
      properties: { message: { type: "string" }, times: { type: "integer" } },
      ...(required.length > 0 ? { required } : {}),
    },
    ...more,
  };
}

/** Where a world keeps what its changing server `name` offers. */
export function toolsFile({ root }: World, name = "demo"): string {
  return join(root, `${name}.tools.json`);
}

/** Upgrades a changing server: what it offers from its next reading on, and how it refuses. */
export async function upgrade(
  world: World,
  tools: FixtureTool[],
  options: { name?: string; version?: string; refuse?: string | number; ask?: boolean } = {},
): Promise<void> {
  const { name = "demo", ...rest } = options;
  await Deno.writeTextFile(
    toolsFile(world, name),
    JSON.stringify({ ...rest, tools: [...tools, { name: "announce", inputSchema: { type: "object" } }] }),
  );
}

/** A configuration entry of a changing server. */
export function changingServer(world: World, name = "demo", env: Record<string, string> = {}): object {
  return fixtureServer("changing.mjs", { TOOLS: toolsFile(world, name), ...env });
}
