import assert from "node:assert/strict";
import { eventually, fixtureServer, World } from "../support/world.ts";

Deno.test("what a killed daemon leaves running is ended by the next one, grandchildren too", async () => {
  await using world = await World.open({ mcpServers: { stubborn: fixtureServer("stubborn.mjs") } });
  assert.equal((await world.run(["call", "stubborn.ping"])).stdout, "pong\n");
  const daemon = (await world.daemon()).pid;
  const before = (await world.processes()).filter((pid) => pid !== daemon);
  assert.ok(before.length >= 2, "the server and its child run");
  Deno.kill(daemon, "SIGKILL");
  await eventually(async () => !(await world.processes()).includes(daemon), "the daemon is gone");
  assert.deepEqual((await world.processes()).filter((pid) => before.includes(pid)), before);

  assert.equal((await world.run(["call", "stubborn.ping"])).stdout, "pong\n");
  await eventually(
    async () => (await world.processes()).every((pid) => !before.includes(pid)),
    "the orphans are gone",
  );

  await world.run(["stop"]);
  await eventually(async () => (await world.processes()).length === 0, "nothing is left");
});
