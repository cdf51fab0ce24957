import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fixtureServer, World } from "../support/world.ts";

Deno.test("an entry that starts mcpx by a script of somebody's own fails with its reason, and nothing loops", async () => {
  await using world = await World.open({});
  const wrapper = join(world.root, "wrapper.sh");
  const cli = fileURLToPath(new URL("../../cli.ts", import.meta.url));
  await Deno.writeTextFile(wrapper, `#!/bin/sh\nexec ${Deno.execPath()} run -A --quiet ${cli} serve\n`, {
    mode: 0o755,
  });
  const env = { XDG_RUNTIME_DIR: world.env.XDG_RUNTIME_DIR ?? "", DENO_DIR: world.env.DENO_DIR ?? "" };
  await world.configure({
    mcpServers: { odd: fixtureServer("odd.mjs"), again: { command: wrapper, env, cwd: world.project } },
  });
  const { value } = await world.json(["ls"]);
  const lines = value.servers as { server: string; state: string; error?: { message: string } }[];
  assert.equal(lines.find(({ server }) => server === "odd")?.state, "ready");
  assert.match(lines.find(({ server }) => server === "again")?.error?.message ?? "", /mcpx itself/);
});
