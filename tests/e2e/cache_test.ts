import assert from "node:assert/strict";
import { join } from "node:path";
import { fixtureServer, realServer, World } from "../support/world.ts";

const LISTINGS = [
  ["ls"],
  ["tools"],
  ["tools", "everything"],
  ["search", "add", "numbers"],
  ["describe", "everything.get-sum"],
  ["types"],
  ["catalog"],
  ["prompts", "list"],
  ["resources", "list"],
];

Deno.test("what is cached is answered by a new daemon without starting anything", async () => {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  const first = new Map<string, string>();
  for (const words of LISTINGS) first.set(words.join(" "), (await world.run(words)).stdout);
  await world.run(["stop"]);
  for (const words of LISTINGS) {
    const { code, stdout } = await world.run(words);
    assert.equal(code, 0, words.join(" "));
    const same = (text: string): string => text.replace(/\b(ready|idle)\b/g, "").replace(/ +/g, " ");
    assert.equal(same(stdout), same(first.get(words.join(" ")) ?? ""), words.join(" "));
  }
  const { value } = await world.json(["status"]);
  assert.deepEqual(value.instances, []);
});

Deno.test("a server that cannot start any more is still listed from the cache, and --cached starts nothing new", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["ls"]);
  await world.run(["stop"]);
  await world.configure({
    mcpServers: { odd: fixtureServer("odd.mjs"), never: fixtureServer("odd.mjs", { NEVER: "read" }) },
  });
  const cached = await world.json(["ls", "--cached"]);
  const lines = cached.value.servers as { server: string; state: string; tools?: number }[];
  assert.deepEqual(lines.map(({ server, state }) => [server, state]), [["odd", "idle"], ["never", "unread"]]);
  assert.deepEqual((await world.json(["status"])).value.instances, []);
});

Deno.test("a failed reading never overwrites a good one", async () => {
  await using world = await World.open({});
  const script = join(world.root, "server.mjs");
  const source = await Deno.readTextFile(new URL("../fixtures/servers/odd.mjs", import.meta.url));
  await Deno.writeTextFile(script, source);
  await world.configure({ mcpServers: { odd: { command: "node", args: [script] } } });
  const before = ((await world.json(["tools", "odd"])).value.tools as unknown[]).length;
  await world.run(["restart"]);
  await Deno.writeTextFile(script, "process.exit(1)");
  const refresh = await world.json(["refresh", "odd"]);
  assert.match(JSON.stringify(refresh.value.problems), /upstream-start-exited/);
  assert.equal(((await world.json(["tools", "odd"])).value.tools as unknown[]).length, before);
  await Deno.writeTextFile(script, source);
  await world.run(["restart", "odd"]);
  assert.equal((await world.run(["call", "odd.words"])).stdout, "error\n");
});

Deno.test("a cache file that is torn, empty or of another format is read anew, and nothing else is lost", async () => {
  await using world = await World.open({
    mcpServers: { odd: fixtureServer("odd.mjs"), two: fixtureServer("odd.mjs", { TWO: "2" }) },
  });
  const before = (await world.json(["tools"])).value.tools;
  const folder = join(world.env.HOME ?? "", ".cache/mcpx/schemas");
  const files = [...Deno.readDirSync(folder)].map(({ name }) => join(folder, name));
  assert.equal(files.length, 2);
  const [good = ""] = await Promise.all(files.map((file) => Deno.readTextFile(file)));
  for (
    const text of [
      "",
      "{",
      good.slice(0, good.length / 2),
      '{"format":"another","readAt":"x","listing":{}}',
      "[]",
      "null",
    ]
  ) {
    await world.run(["stop"]);
    await Deno.writeTextFile(files[0] ?? "", text);
    assert.deepEqual((await world.json(["tools"])).value.tools, before, JSON.stringify(text.slice(0, 40)));
  }
});

Deno.test("a cache folder that cannot be used blocks nothing, and status and doctor say so", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await Deno.mkdir(`${world.env.HOME}/.cache`, { recursive: true });
  await Deno.writeTextFile(`${world.env.HOME}/.cache/mcpx`, "");
  const { code, value } = await world.json(["ls"]);
  assert.equal(code, 0, JSON.stringify(value));
  assert.equal((value.servers as { state: string }[])[0]?.state, "ready");
  assert.equal((await world.json(["exec", "return 1"])).value.result, 1);
  const { notes } = (await world.json(["status"])).value as { notes: string[] };
  assert.match(notes.join("\n"), /cache of schemas .* cannot be used .*works without it/);
  const doctor = await world.run(["doctor"]);
  assert.match(doctor.stdout, /warn +cache folder: .*cannot be written/);
});
