import assert from "node:assert/strict";
import { MODERN, RawHost, resultText } from "../support/mcp_host.ts";
import { fixtureServer, realServer, World } from "../support/world.ts";

const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];

const verbatim = (env: Record<string, string> = {}): object =>
  fixtureServer("verbatim.mjs", { LOG: "$ROOT/log", ...env });

function complete(ref: string, argument = '{"name":"who","value":""}', rest = ""): string {
  return `{"ref":${ref},"argument":${argument}${rest}}`;
}

const GREET = '{"type":"ref/prompt","name":"raw_greet"}';

/** What the server got of completion/complete. */
async function asked(host: RawHost): Promise<string[]> {
  const text = await host.file("log").catch(() => "");
  return text.split("\n").filter((line) => line.includes('"method":"completion/complete"'));
}

interface Completed {
  result: {
    completion: { values: string[]; total?: number; hasMore?: boolean };
    _meta?: Record<string, unknown>;
    resultType?: string;
  };
  error?: { code: number };
}

for (const version of VERSIONS) {
  Deno.test(`CMP-01: completion is answered in ${version}, and declared where the revision can`, async () => {
    await using host = await RawHost.open({ raw: verbatim() });
    const send = await host.as(version);
    const { last } = await send("completion/complete", complete(GREET));
    assert.deepEqual((last as unknown as Completed).result.completion.values, ["alpha", "beta"]);
    const { capabilities } = (version === MODERN
      ? (await send("server/discover")).last.result
      : (await host.initialize(version)).answer.last.result) as { capabilities: Record<string, unknown> };
    assert.equal(capabilities.completions !== undefined, version !== "2024-11-05");
  });

  Deno.test(`CMP-08: a completion in ${version} has no cache hints and no questions, and resultType only where it is wanted`, async () => {
    await using host = await RawHost.open({ raw: verbatim({ ERA: "modern" }) });
    const { result } = (await (await host.as(version))("completion/complete", complete(GREET)))
      .last as unknown as Completed;
    assert.equal("ttlMs" in result || "cacheScope" in result, false);
    assert.equal(result.resultType, version === MODERN ? "complete" : undefined);
  });
}

Deno.test("CMP-01: a server of 2024-11-05, which cannot declare completion, is tried, and a refusal is remembered", async () => {
  await using able = await RawHost.open({ raw: verbatim({ VERSION: "2024-11-05" }) });
  const { result } = (await (await able.as("2025-11-25"))("completion/complete", complete(GREET)))
    .last as unknown as Completed;
  assert.deepEqual(result.completion.values, ["alpha", "beta"]);
  await using unable = await RawHost.open(
    { raw: verbatim({ VERSION: "2024-11-05", PLAN: "$ROOT/plan" }) },
    {
      files: { plan: JSON.stringify({ "completion/complete": '{"error":{"code":-32601,"message":"no"}}' }) },
    },
  );
  const send = await unable.as("2025-11-25");
  for (let time = 0; time < 2; time++) {
    const answer = (await send("completion/complete", complete(GREET))).last as unknown as Completed;
    assert.deepEqual(answer.result.completion, { values: [], total: 0, hasMore: false });
    assert.equal(answer.result._meta?.["dev.mcpx/source"], "cache");
  }
  assert.equal((await asked(unable)).length, 1);
});

Deno.test("CMP-02: a server that did not declare completion is not asked", async () => {
  await using host = await RawHost.open({ raw: verbatim({ NOCOMPLETE: "1" }) });
  const { result } = (await (await host.as("2025-11-25"))("completion/complete", complete(GREET)))
    .last as unknown as Completed;
  assert.deepEqual(result.completion, { values: [], total: 0, hasMore: false });
  assert.equal(result._meta?.["dev.mcpx/source"], "cache");
  assert.equal((await asked(host)).length, 0);
});

Deno.test("CMP-03: references are prompts and resources; anything else, and an unknown prompt, is -32602", async () => {
  await using host = await RawHost.open({ raw: verbatim() });
  const send = await host.as("2025-11-25");
  const codeOf = async (params: string): Promise<number | undefined> =>
    ((await send("completion/complete", params)).last as unknown as Completed).error?.code;
  assert.equal(await codeOf(complete('{"type":"ref/resource","uri":"mcpx://raw/note://{id}"}')), undefined);
  assert.equal(await codeOf(complete('{"type":"ref/resource","uri":"mcpx://raw/note://one"}')), undefined);
  assert.equal(await codeOf(complete('{"type":"ref/tool","name":"raw_echo"}')), -32602);
  assert.equal(await codeOf(complete('{"type":"ref/prompt","name":"raw_nope"}')), -32602);
  assert.equal(await codeOf(complete('{"type":"ref/prompt"}')), -32602);
  assert.equal(await codeOf(complete('{"type":"ref/resource","uri":"mcpx://nobody/x"}')), -32602);
  assert.equal(await codeOf(complete("7")), -32602);
  assert.equal(await codeOf(complete(GREET, '{"name":"who"}')), -32602);
  assert.equal(await codeOf('{"argument":{"name":"a","value":""}}'), -32602);
});

Deno.test("CMP-04, CMP-05, CMP-10: reference, argument and context travel to the owning server whole, under its own names", async () => {
  await using host = await RawHost.open({ raw: verbatim() });
  const send = await host.as("2025-06-18");
  const rest = ',"context":{"arguments":{"kind":"formal"},"x":1},"x-more":2';
  await send(
    "completion/complete",
    complete(
      '{"type":"ref/prompt","name":"raw_greet","title":"T","x":[1]}',
      '{"name":"who","value":"a","x":2}',
      rest,
    ),
  );
  const sent = JSON.parse((await asked(host)).at(-1) ?? "{}") as { params: Record<string, unknown> };
  const { _meta: _own, ...params } = sent.params;
  assert.deepEqual(params, {
    ref: { type: "ref/prompt", name: "greet", title: "T", x: [1] },
    argument: { name: "who", value: "a", x: 2 },
    context: { arguments: { kind: "formal" }, x: 1 },
    "x-more": 2,
  });
  await send("completion/complete", complete('{"type":"ref/resource","uri":"mcpx://raw/note://{id}"}'));
  assert.match((await asked(host)).at(-1) ?? "", /"uri":"note:\/\/\{id\}"/);
});

Deno.test("CMP-06, CMP-07: never more than 100 values, with total and hasMore corrected where it was cut", async () => {
  const values = Array.from({ length: 250 }, (_, at) => `v${at}`);
  const plan = {
    "completion/complete": JSON.stringify({ completion: { values, hasMore: false, x: 1 }, y: 2 }),
  };
  for (const [setting, most] of [[1000, 100], [100, 100], [7, 7]] as const) {
    await using host = await RawHost.open({ raw: verbatim({ PLAN: "$ROOT/plan" }) }, {
      files: { plan: JSON.stringify(plan) },
      settings: { "completion.maxValues": setting },
    });
    const text = resultText(
      (await (await host.as("2025-11-25"))("completion/complete", complete(GREET))).messages.at(-1),
    );
    assert.equal(
      text,
      JSON.stringify({
        completion: { values: values.slice(0, most), hasMore: true, x: 1, total: 250 },
        y: 2,
      }),
    );
  }
});

Deno.test("CMP-07: a server's own total and hasMore stand where nothing was cut", async () => {
  const plan = { "completion/complete": '{"completion":{"values":["a"],"total":4000,"hasMore":true}}' };
  await using host = await RawHost.open({ raw: verbatim({ PLAN: "$ROOT/plan" }) }, {
    files: { plan: JSON.stringify(plan) },
  });
  const text = resultText(
    (await (await host.as("2025-11-25"))("completion/complete", complete(GREET))).messages.at(-1),
  );
  assert.equal(text, plan["completion/complete"]);
});

Deno.test("CMP-09, CMP-10: without the server, values come from what it lists: an argument's enum, a template's resources", async () => {
  await using host = await RawHost.open({ raw: verbatim({ NOCOMPLETE: "1" }) });
  const send = await host.as("2025-11-25");
  const valuesOf = async (params: string): Promise<string[]> =>
    ((await send("completion/complete", params)).last as unknown as Completed).result.completion.values;
  assert.deepEqual(await valuesOf(complete(GREET, '{"name":"kind","value":"f"}')), [
    "formal",
    "friendly",
    "frosty",
  ]);
  assert.deepEqual(await valuesOf(complete(GREET, '{"name":"kind","value":"fri"}')), ["friendly"]);
  assert.deepEqual(await valuesOf(complete(GREET, '{"name":"who","value":""}')), []);
  const template = '{"type":"ref/resource","uri":"mcpx://raw/note://{id}"}';
  assert.deepEqual(await valuesOf(complete(template, '{"name":"id","value":""}')), ["one", "two"]);
  assert.deepEqual(await valuesOf(complete(template, '{"name":"id","value":"t"}')), ["two"]);
  assert.deepEqual(await valuesOf(complete(template, '{"name":"other","value":""}')), []);
});

Deno.test("CMP-10: a server that was never read is read first", async () => {
  await using host = await RawHost.open({ raw: verbatim() }, { settings: { "serve.mode": ["code"] } });
  const { last } = await (await host.as(MODERN))("completion/complete", complete(GREET));
  assert.deepEqual((last as unknown as Completed).result.completion.values, ["alpha", "beta"]);
});

Deno.test("CMP-05, CMP-11: the command line and /v1 complete by the same operation, dependent values included", async () => {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  const { value } = await world.json(["complete", "everything.completable-prompt", "department", "E"]);
  assert.deepEqual(value, { values: ["Engineering"], total: 1, hasMore: false, source: "upstream" });
  const context = '{"arguments":{"department":"Engineering"}}';
  const dependent = await world.json([
    "complete",
    "everything.completable-prompt",
    "name",
    "",
    "--context",
    context,
  ]);
  assert.deepEqual(dependent.value.values, ["Alice", "Bob", "Charlie"]);
  const post = async (body: object): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await world.http("/v1/complete", { method: "POST", body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  const argument = { name: "department", value: "S" };
  const ref = { type: "ref/prompt", name: "everything.completable-prompt", title: "any" };
  const answer = await post({ ref, argument, caller: { cwd: "/tmp", session: "s" } });
  assert.deepEqual(answer, {
    status: 200,
    body: { values: ["Sales", "Support"], total: 2, hasMore: false, source: "upstream" },
  });
  assert.equal((await post({ ref: { type: "ref/tool", name: "x" }, argument })).status, 400);
  assert.equal((await post({ ref: { ...ref, name: "everything.nope" }, argument })).status, 400);
  const template = {
    type: "ref/resource",
    uri: "mcpx://everything/demo://resource/dynamic/text/{resourceId}",
  };
  const resource = await post({ ref: template, argument: { name: "resourceId", value: "7" } });
  assert.deepEqual([resource.status, resource.body.source], [200, "upstream"]);
  const tool = await world.json(["complete", "everything.get-annotated-message", "messageType", "s"]);
  assert.deepEqual(tool.value.values, ["success"]);
  const recipe = await world.json(["complete", "replace_text", "preview", "t"]);
  assert.deepEqual(recipe.value.values, ["true"]);
  assert.notEqual((await world.run(["complete", "no_such_recipe", "x", ""])).code, 0);
});
