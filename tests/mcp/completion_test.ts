import assert from "node:assert/strict";
import { MODERN, RawHost, resultText } from "../support/mcp_host.ts";
import { fixtureServer, realServer, World } from "../support/world.ts";

const verbatim = (env: Record<string, string> = {}): object =>
  fixtureServer("verbatim.mjs", { LOG: "$ROOT/log", ...env });

const GREET = '{"ref":{"type":"ref/prompt","name":"raw_greet"},"argument":{"name":"who","value":""}}';

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
      (await (await host.as("2025-11-25"))("completion/complete", GREET)).messages.at(-1),
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

Deno.test("CMP-10: a server that was never read is read first", async () => {
  await using host = await RawHost.open({ raw: verbatim() }, { settings: { "serve.mode": ["code"] } });
  const { last } = await (await host.as(MODERN))("completion/complete", GREET);
  const { completion } = last.result as { completion: { values: string[] } };
  assert.deepEqual(completion.values, ["alpha", "beta"]);
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
