import assert from "node:assert/strict";
import { MODERN, modernRequest, RawHost } from "../support/mcp_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

/** What a modern server that tells of no changes answers, by method. */
function plan(hints: Record<string, string>, tool = "one"): string {
  const list = (member: string, entry: string): string =>
    `{"resultType":"complete","${member}":[${entry}]${hints[member] ?? ""}}`;
  return JSON.stringify({
    "server/discover":
      `{"resultType":"complete","supportedVersions":["${MODERN}"],"capabilities":{"tools":{},"prompts":{},"resources":{}},"ttlMs":0,"cacheScope":"private"}`,
    "tools/list": list("tools", `{"name":"${tool}","inputSchema":{"type":"object"}}`),
    "prompts/list": list("prompts", '{"name":"p"}'),
    "resources/list": list("resources", '{"uri":"a://b","name":"b"}'),
    "resources/templates/list": list("resourceTemplates", '{"uriTemplate":"a://{b}","name":"b"}'),
  });
}

function planned(file: string): object {
  return fixtureServer("verbatim.mjs", { ERA: "modern", PLAN: `$ROOT/${file}`, LOG: `$ROOT/${file}.log` });
}

const told = (ttlMs: number, cacheScope: string): string => `,"ttlMs":${ttlMs},"cacheScope":"${cacheScope}"`;

async function hintOf(host: RawHost, method: string, headers = {}): Promise<unknown[]> {
  const [body, own] = modernRequest(method);
  const { last } = await host.post(body, { ...own, ...headers });
  const { ttlMs, cacheScope } = last.result as Record<string, unknown>;
  return [ttlMs, cacheScope];
}

Deno.test("a merged list may be kept as long as its shortest-lived part, and shared only where every part may", async () => {
  const hour = 3_600_000;
  const files = {
    a: plan({
      tools: told(hour, "public"),
      prompts: told(hour, "public"),
      resources: told(hour, "private"),
      resourceTemplates: told(5, "public"),
    }),
    b: plan({
      tools: told(2 * hour, "public"),
      prompts: told(hour, "private"),
      resources: told(2 * hour, "public"),
    }),
  };
  await using host = await RawHost.open({ a: planned("a"), b: planned("b") }, { files });
  const [toolsTtl, toolsScope] = await hintOf(host, "tools/list");
  assert.equal(toolsScope, "public");
  // What was read a while ago is good for that much less.
  assert.ok(Number(toolsTtl) > hour - 60_000 && Number(toolsTtl) <= hour, String(toolsTtl));
  assert.equal((await hintOf(host, "prompts/list"))[1], "private");
  assert.equal((await hintOf(host, "resources/list"))[1], "private");
  // A server that says nothing counts as mcpx's own.
  assert.equal((await hintOf(host, "resources/templates/list"))[1], "private");
  const ownChoice = { "x-mcpx-settings": JSON.stringify({ "serve.pageSize": 7 }) };
  assert.equal((await hintOf(host, "tools/list", ownChoice))[1], "private");
});

Deno.test("mcpx's own tools and servers before 2026-07-28 are good for ten seconds and one caller", async () => {
  const files = { a: plan({ tools: told(3_600_000, "public") }) };
  for (
    const [servers, settings] of [
      [{ a: planned("a") }, { "serve.mode": ["code", "passthrough"] }],
      [{ a: planned("a"), old: fixtureServer("verbatim.mjs", { ERA: "legacy" }) }, {}],
    ] as const
  ) {
    await using host = await RawHost.open(servers, { files, settings });
    assert.deepEqual(await hintOf(host, "tools/list"), [10_000, "private"]);
  }
});

Deno.test("a server alone keeps its own hints, for lists and for what is read; hosts before 2026-07-28 get none", async () => {
  const alone = { ...fixtureServer("verbatim.mjs", { ERA: "modern" }), mcpx: { prefix: "none" } };
  await using host = await RawHost.open({ alone });
  // It tells of changes, so what was read does not grow old.
  for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
    assert.deepEqual(await hintOf(host, method), [7, "public"], method);
  }
  const read = (await host.post(...modernRequest("resources/read", '{"uri":"note://one"}'))).last;
  const { ttlMs, cacheScope } = read.result as Record<string, unknown>;
  assert.deepEqual([ttlMs, cacheScope], [7, "public"]);
  const legacy = await (await host.as("2025-11-25"))("tools/list");
  assert.doesNotMatch(legacy.text, /ttlMs|cacheScope/);
});

Deno.test("what has grown old of a server that tells of no changes is read again behind whoever lists it", async () => {
  await using host = await RawHost.open({ a: planned("a") }, {
    files: { a: plan({ tools: told(0, "public") }) },
  });
  const names = async (): Promise<string> => (await host.post(...modernRequest("tools/list"))).text;
  assert.match(await names(), /a_one/);
  await host.write("a", plan({ tools: told(3_600_000, "public") }, "two"));
  await eventually(async () => (await names()).includes("a_two"), "the new tool is listed");
  const readings = async (): Promise<number> =>
    (await host.file("a.log")).split("\n").filter((line) => line.includes('"tools/list"')).length;
  const before = await readings();
  for (let at = 0; at < 20; at++) await names();
  assert.equal(await readings(), before);
});

Deno.test("a hint of a read resource that is none keeps nobody from asking again", async () => {
  for (
    const hint of [
      '"ttlMs":-5',
      '"ttlMs":"x"',
      '"ttlMs":null',
      '"ttlMs":5,"cacheScope":"weird"',
      '"cacheScope":5',
    ]
  ) {
    const answer = `{"resultType":"complete","contents":[],${hint}}`;
    const server = fixtureServer("verbatim.mjs", {
      ERA: "modern",
      PLAN: JSON.stringify({ "resources/read": answer }),
    });
    await using host = await RawHost.open({ a: { ...server, mcpx: { prefix: "none" } } });
    const { last } = await host.post(...modernRequest("resources/read", '{"uri":"note://one"}'));
    const { ttlMs, cacheScope } = last.result as Record<string, unknown>;
    assert.deepEqual([ttlMs, cacheScope], [hint.startsWith('"ttlMs":5') ? 5 : 0, "private"], hint);
  }
});
