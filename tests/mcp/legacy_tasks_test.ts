import assert from "node:assert/strict";
import { MODERN, RawHost, resultText } from "../support/mcp_host.ts";
import { fixtureServer } from "../support/world.ts";

const TASK =
  '"taskId":"t1","status":"working","ttl":60000,"createdAt":"2026-01-01T00:00:00Z","x-unknown":[1]';
const PLAN = {
  "initialize":
    '{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"t","version":"1"}}',
  "tools/call echo": `{"task":{${TASK}},"x-unknown":2}`,
  "tasks/get": `{${TASK}}`,
  "tasks/result":
    '{"content":[{"type":"text","text":"done"}],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}}',
  "tasks/cancel": `{${TASK.replace("working", "cancelled")}}`,
};

Deno.test("the tasks of 2025-11-25 pass through whole, each to the server that it runs at, and are offered in no other revision", async () => {
  const raw = {
    ...fixtureServer("verbatim.mjs", { PLAN: "$ROOT/plan", LOG: "$ROOT/log" }),
    mcpx: { prefix: "none" },
  };
  await using host = await RawHost.open({ raw }, { files: { plan: JSON.stringify(PLAN) } });
  const { headers, answer } = await host.initialize("2025-11-25");
  const { capabilities } = answer.last.result as { capabilities: { tasks?: object } };
  assert.deepEqual(capabilities.tasks, { list: {}, cancel: {}, requests: { tools: { call: {} } } });
  const send = async (method: string, params: string): Promise<string> =>
    resultText(
      (await host.post(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`, headers)).messages
        .at(-1),
    );
  assert.equal(
    await send("tools/call", '{"name":"echo","task":{"ttl":60000,"x":1}}'),
    PLAN["tools/call echo"],
  );
  assert.ok((await host.file("log")).includes('"task":{"ttl":60000,"x":1}'));
  for (const method of ["tasks/get", "tasks/result", "tasks/cancel"] as const) {
    assert.equal(await send(method, '{"taskId":"t1"}'), PLAN[method]);
  }
  assert.equal(await send("tasks/list", "{}"), `{"tasks":[${PLAN["tasks/get"]}]}`);
  const unknown = await host.post(
    '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t2"}}',
    headers,
  );
  assert.equal((unknown.last.error as { code: number }).code, -32602);
  for (const version of ["2025-06-18", "2024-11-05"]) {
    const older = await host.initialize(version);
    assert.equal("tasks" in (older.answer.last.result as { capabilities: object }).capabilities, false);
    const refused = await host.post('{"jsonrpc":"2.0","id":1,"method":"tasks/list"}', older.headers);
    assert.equal((refused.last.error as { code: number }).code, -32601);
  }
  const { status } = await (await host.as(MODERN))("tasks/list");
  assert.equal(status, 404);
});
