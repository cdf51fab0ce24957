import assert from "node:assert/strict";
import { ServeProcess } from "../support/serve_process.ts";
import { eventually, fixtureServer, World } from "../support/world.ts";

const CONFIG = { mcpServers: { raw: { ...fixtureServer("verbatim.mjs", {}), mcpx: { prefix: "none" } } } };

Deno.test("an unknown revision is answered with the newest that has a handshake", async () => {
  await using world = await World.open(CONFIG);
  await using serve = new ServeProcess(world);
  assert.match(await serve.initialize("1999-01-01"), /"protocolVersion":"2025-11-25"/);
});

Deno.test("a host's connection outlives the daemon: the next request is served by another one", async () => {
  await using world = await World.open(CONFIG);
  await using serve = new ServeProcess(world);
  await serve.initialize("2025-11-25");
  assert.match(await serve.ask("1", "tools/call", '{"name":"echo"}'), /hologram/);
  const { pid } = await world.daemon();
  assert.equal((await world.run(["stop"])).code, 0);
  await eventually(
    async () => !(await Deno.stat(`/proc/${pid}`).then(() => true, () => false)),
    "the daemon is gone",
  );
  assert.match(await serve.ask("2", "tools/call", '{"name":"echo"}'), /hologram/);
  assert.notEqual((await world.daemon()).pid, pid);
});

Deno.test("what a host watches, and how much it wants to hear, outlives the daemon too", async () => {
  await using world = await World.open(CONFIG);
  const log = `${world.root}/log`;
  await world.configure({
    mcpServers: { raw: { ...fixtureServer("verbatim.mjs", { LOG: log }), mcpx: { prefix: "none" } } },
  });
  await using serve = new ServeProcess(world);
  await serve.initialize("2025-11-25");
  await serve.ask("1", "logging/setLevel", '{"level":"debug"}');
  await serve.ask("2", "resources/subscribe", '{"uri":"note://one"}');
  await serve.ask("3", "resources/subscribe", '{"uri":"note://two"}');
  await serve.ask("4", "resources/unsubscribe", '{"uri":"note://two"}');
  await world.run(["stop"]);
  await serve.ask("5", "tools/call", '{"name":"tell"}');
  const updates = (): string[] => serve.lines.filter((line) => line.includes("resources/updated"));
  // One since something may have been missed, and one that the server tells of.
  await eventually(() => Promise.resolve(updates().length === 2), "the new daemon's server is heard");
  assert.ok(updates().every((line) => line.includes("note://one")), updates().join("\n"));
  const asked = (await Deno.readTextFile(log)).split("\n").filter((line) => line.includes("setLevel"));
  // The first daemon may take it back when its session ends.
  const levels = asked.map((line) => /"level":"(\w+)"/.exec(line)?.[1]).filter((level) => level !== "info");
  assert.deepEqual(levels, ["debug", "debug"]);
});

Deno.test("nothing but the protocol is on stdout, whatever the servers write", async () => {
  await using world = await World.open({
    mcpServers: {
      noisy: fixtureServer("raw.mjs", { MODE: "noise,flood" }),
      missing: { command: "/nonexistent" },
    },
  });
  await using serve = new ServeProcess(world);
  await serve.initialize("2025-06-18");
  assert.match(await serve.ask("1", "tools/list"), /noisy_echo/);
  for (const line of serve.lines) assert.equal((JSON.parse(line) as { jsonrpc: string }).jsonrpc, "2.0");
});
