import assert from "node:assert/strict";
import { OPERATIONS } from "../../lib/operations/table.ts";
import { settingRow, SETTINGS } from "../../lib/settings/mod.ts";
import { fixtureServer, World } from "../support/world.ts";
import { codeOf, type Json, Place } from "./settings/place.ts";

const SERVERS = { mcpServers: { many: fixtureServer("many_tools.mjs", { TOOLS: "30" }) } };

Deno.test("every route refuses by name a setting in X-Mcpx-Settings that is not one request's to set", async () => {
  await using world = await World.open(SERVERS);
  assert.equal((await world.run(["ls"])).code, 0);
  for (const { id, http, notOn } of OPERATIONS) {
    if (notOn?.http !== undefined) continue;
    for (const [path, code] of [["pool.max", "setting-scope"], ["no.such", "unknown-setting"]] as const) {
      const response = await world.http(http.path.replace(/\{\w+\}/g, "x"), {
        method: http.method,
        headers: { "x-mcpx-settings": JSON.stringify({ [path]: "3" }) },
        ...(http.method === "POST" ? { body: "{}" } : {}),
      });
      const { error } = await response.json();
      assert.equal(error?.code, code, `${id} with ${path}: ${JSON.stringify(error)}`);
      assert.ok(error.message.includes(path), id);
    }
  }
  assert.equal((await world.run(["status"])).code, 0, "none of them did anything");
});

Deno.test("a value is shown with where it came from and what it displaced, through all six layers", async () => {
  await using world = await World.open({ ...SERVERS, search: { limit: 2 } });
  const env = { MCPX_SEARCH_LIMIT: "3" };
  assert.equal((await world.run(["ls", "--cached"], { env })).code, 0);
  assert.equal((await world.run(["settings", "set", "search.limit", "4"])).code, 0);
  const response = await world.http("/v1/settings/search.limit", {
    headers: { "x-mcpx-settings": '{"search.limit":5}' },
  });
  const { value, layer, displaced } = await response.json();
  assert.deepEqual([value, layer], [5, "request"]);
  assert.deepEqual(displaced.map((one: Json) => `${one.layer}=${one.text}`), [
    "runtime=4",
    "environment=3",
    "file=2",
    "default=10",
  ]);
  const { value: file } = await world.json(["settings", "get", "search.limit"]);
  assert.match(JSON.stringify(file.displaced), /\.mcpx\.json/, "the file is named");
});

Deno.test("a flag beats what the daemon holds, and --no- and joined spellings say the same", async () => {
  await using world = await World.open({ ...SERVERS, search: { limit: 2 } });
  const found = async (...words: string[]): Promise<number> =>
    ((await world.json(["search", "message", ...words])).value.tools as unknown[]).length;
  assert.equal(await found(), 2);
  assert.equal(await found("--search-limit", "3"), 3);
  assert.equal(await found("--search-limit=4"), 4);
  const wrong = await world.run(["search", "message", "--search-limit", "many"]);
  assert.deepEqual([wrong.code, /search\.limit/.test(wrong.stderr)], [2, true]);
});

Deno.test("two spellings of one setting in a file are refused with both places; the daemon keeps what it had", async () => {
  await using world = await World.open({ ...SERVERS, search: { limit: 2 } });
  assert.equal((await world.run(["ls", "--cached"])).code, 0);
  const file = `${world.project}/.mcpx.json`;
  await Deno.writeTextFile(file, '{\n  "search": { "limit": 3 },\n  "search.limit": 4\n}\n');
  const refused = await world.run(["reload"]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /search\.limit is set twice, also at 2:/);
  assert.equal((await world.json(["settings", "get", "search.limit"])).value.value, 2);
});

Deno.test("a saved setting goes into the user's own file, beside its comments, and outlives the daemon", async () => {
  await using world = await World.open(SERVERS);
  const folder = `${world.env.HOME}/.config/mcpx`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/config.json`, '{\n  // mine\n  "exec.timeout": "9s"\n}\n');
  for (
    const [path, value] of [["search.limit", "3"], ["exec.timeout", "7s"], ["daemon.startTimeout", "11s"]]
  ) {
    const { code, value: said } = await world.json(["settings", "set", path ?? "", value ?? "", "--save"]);
    assert.equal(code, 0, JSON.stringify(said));
    assert.equal(said.file, `${folder}/config.json`);
  }
  const text = await Deno.readTextFile(`${folder}/config.json`);
  assert.match(text, /\/\/ mine/);
  assert.match(text, /"exec\.timeout": "7s"/, "the spelling that was there");
  await world.run(["stop"]);
  assert.equal((await world.json(["settings", "get", "search.limit"])).value.value, 3);
  await world.run(["settings", "unset", "search.limit", "--save"]);
  assert.equal((await world.json(["settings", "get", "search.limit"])).value.value, 10);
  const client = await world.run(["settings", "set", "daemon.inline", "true"]);
  assert.deepEqual(
    [client.code, /--save/.test(client.stderr)],
    [2, true],
    "the daemon's memory is no place for it",
  );
});

Deno.test("a daemon-scoped flag starts the daemon with it, and is refused in one sentence where one runs", async () => {
  await using world = await World.open(SERVERS);
  assert.equal((await world.run(["ls", "--cached", "--pool-max", "3"])).code, 0);
  assert.equal((await world.json(["settings", "get", "pool.max"])).value.value, 3);
  const refused = await world.run(["ls", "--cached", "--pool-max", "4"]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--pool-max.*one is running already/);
});

Deno.test("what is hot needs no restart, what is not says so, and a ceiling is not set while the daemon runs", async () => {
  await using world = await World.open(SERVERS);
  assert.equal((await world.run(["ls", "--cached"])).code, 0);
  const place = new Place(world);
  for (const path of Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]) {
    const row = settingRow(path);
    const value = row.secret ? "hidden-value" : row.default;
    const answered = await place.post(`/v1/settings/${path}`, { value });
    if (row.ceiling || row.scope === "client") assert.equal(codeOf(answered), "setting-scope", path);
    else assert.equal(answered.body.restartRequired, !row.hot, `${path}: ${JSON.stringify(answered.body)}`);
    if (row.secret) assert.doesNotMatch(JSON.stringify(answered.body), /hidden-value/);
    await place.delete(`/v1/settings/${path}`);
  }
});
