import assert from "node:assert/strict";
import { join } from "node:path";
import { fixtureServer, World } from "../support/world.ts";

const PLAIN = fixtureServer("plain_tools.mjs");

Deno.test("a request that comes after an edit is answered by it, again and again", async () => {
  await using world = await World.open({ mcpServers: { a: PLAIN } });
  assert.equal((await world.run(["ls"])).code, 0);
  const names = async (): Promise<string[]> => {
    const { servers } = await (await world.http("/v1/servers?cached=true")).json();
    return servers.map(({ server }: { server: string }) => server);
  };
  for (let round = 0; round < 10; round++) {
    await world.configure({ mcpServers: { a: PLAIN, b: PLAIN } });
    assert.deepEqual(await names(), ["a", "b"], `round ${round}`);
    await world.configure({ mcpServers: { b: PLAIN } });
    assert.deepEqual(await names(), ["b"], `round ${round}`);
  }
  const gone = await world.run(["call", "a.echo"]);
  assert.match(gone.stderr, /no server is called a|a: no server/);
});

Deno.test("a removed server is not called any more, a broken edit keeps what was, and mending it counts at once", async () => {
  await using world = await World.open({ mcpServers: { a: PLAIN, b: PLAIN } });
  assert.equal((await world.run(["ls"])).code, 0);
  const file = join(world.project, ".mcpx.json");
  await Deno.writeTextFile(file, '{"mcpServers": {');
  const kept = await world.json(["ls", "--cached"]);
  assert.equal(kept.code, 0);
  assert.match(JSON.stringify(kept.value.notes), /Cannot parse .*What was read before stays in use/);
  await world.configure({ mcpServers: { b: PLAIN } });
  const mended = await world.json(["ls", "--cached"]);
  assert.deepEqual((mended.value.servers as { server: string }[]).map(({ server }) => server), ["b"]);
  assert.doesNotMatch(JSON.stringify(mended.value.notes), /Cannot parse/);
});

Deno.test("a file that appears beside the one in use is seen by who holds on to the daemon, and so is its removal", async () => {
  await using world = await World.open({ mcpServers: { a: PLAIN } });
  assert.equal((await world.run(["ls"])).code, 0);
  const { socket } = await world.daemon();
  using client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  const names = async (): Promise<string> => {
    const response = await fetch("http://localhost/v1/servers?cached=true", { client });
    return (await response.json()).servers.map(({ server }: { server: string }) => server).join();
  };
  assert.equal(await names(), "a");
  const beside = join(world.project, ".mcp.json");
  await Deno.writeTextFile(beside, JSON.stringify({ mcpServers: { c: PLAIN } }));
  assert.equal(await names(), "a,c");
  await Deno.remove(beside);
  assert.equal(await names(), "a");
  // What only callers of a folder below would find is their daemon's.
  await Deno.mkdir(join(world.project, "below"));
  await Deno.writeTextFile(
    join(world.project, "below", ".mcpx.json"),
    JSON.stringify({ mcpServers: { d: PLAIN } }),
  );
  assert.equal(await names(), "a");
  const below = await world.json(["ls", "--cached"], { cwd: join(world.project, "below") });
  assert.deepEqual((below.value.servers as { server: string }[]).map(({ server }) => server), ["d", "a"]);
  await world.run(["stop"], { cwd: join(world.project, "below") });
});
