import assert from "node:assert/strict";
import { fixtureServer, World } from "../../support/world.ts";
import type { Json, Place } from "./place.ts";

/** A world with servers that make effects visible, and recipes; `more` is added to its configuration. */
export async function openWorld(more: Json = {}): Promise<World> {
  const world = await World.open({});
  const log = `${world.root}/probe.log`;
  await world.configure({
    mcpServers: {
      probe: fixtureServer("probe.mjs", { LOG: log }),
      single: { ...fixtureServer("probe.mjs"), mcpx: { sharing: "exclusive", scope: "global" } },
      pair: { ...fixtureServer("probe.mjs"), mcpx: { sharing: "exclusive", scope: "session" } },
      asker: fixtureServer("asker.mjs", { LOG: `${world.root}/asker.log` }),
      many: fixtureServer("many_tools.mjs", { TOOLS: "60" }),
      owl: {
        ...fixtureServer("many_tools.mjs", { TOOLS: "1" }),
        mcpx: { groups: ["night"], default: false },
      },
      ...(more.mcpServers as Json | undefined),
    },
    ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== "mcpServers")),
  });
  const scripts = `${world.project}/.mcpx/scripts`;
  await Deno.mkdir(scripts, { recursive: true });
  for (const whom of ["moon", "sun", "star"]) {
    await Deno.writeTextFile(
      `${scripts}/greet_${whom}.ts`,
      `// Greet the ${whom} politely.\n// @param word:string = "hello"   what is said\nreturn await probe.say({ text: @word });\n`,
    );
  }
  return world;
}

/** Starts the daemon, and has it read every server once. */
export async function started(place: Place): Promise<void> {
  const { code, stderr } = await place.run(["ls"]);
  assert.equal(code, 0, stderr);
}
