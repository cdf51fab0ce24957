import assert from "node:assert/strict";
import { MODERN, modernRequest, type RawAnswer, RawHost } from "../support/mcp_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

const raw = (env: Record<string, string> = {}): Record<string, object> => ({
  raw: { ...fixtureServer("verbatim.mjs", env), mcpx: { prefix: "none" } },
});

const ping = '{"jsonrpc":"2.0","id":9,"method":"ping"}';
const list = (params = "{}"): [string, Record<string, string>] => modernRequest("tools/list", params);
Deno.test("a body above the limit is refused with 413 before it is kept", async () => {
  await using host = await RawHost.open(raw(), { settings: { "http.maxBody": 1000 } });
  const { headers } = await host.initialize("2025-11-25");
  const { status } = await host.post(
    `{"jsonrpc":"2.0","id":1,"method":"ping","x":"${"x".repeat(2000)}"}`,
    headers,
  );
  assert.equal(status, 413);
  assert.equal((await host.post(ping, headers)).status, 200);
});

Deno.test("two hosts with the same id each get their own answer, and huge ids come back with all digits", async () => {
  await using host = await RawHost.open(raw());
  const one = await host.initialize("2025-11-25");
  const two = await host.initialize("2025-06-18");
  const call = (name: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}"}}`;
  const [slow, fast] = await Promise.all([
    host.post(call("say"), one.headers),
    host.post(call("echo"), two.headers),
  ]);
  assert.match(slow?.messages.at(-1) ?? "", /"content":\[\]/);
  assert.match(fast?.text ?? "", /hologram/);
  const huge = await host.post('{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', one.headers);
  assert.equal(huge.text, '{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}');
});

Deno.test("a session ends with DELETE, its id is never taken again, and what ran in it is cancelled", async () => {
  await using host = await RawHost.open(raw({ LOG: "$ROOT/log" }));
  const { headers } = await host.initialize("2025-11-25");
  await host.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers);
  const hanging = host.post(
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hang"}}',
    headers,
  );
  await eventually(
    async () => (await host.file("log")).includes('"name":"hang"'),
    "the call is at the server",
  );
  assert.equal((await host.http({ method: "DELETE", headers })).status, 204);
  assert.deepEqual((await hanging).messages, []);
  await eventually(
    async () => (await host.file("log")).includes("notifications/cancelled"),
    "the server is told",
  );
  assert.equal((await host.post(ping, headers)).status, 404);
  assert.equal((await host.http({ method: "DELETE", headers })).status, 404);
  assert.equal((await host.http({ headers: { ...headers, accept: "text/event-stream" } })).status, 404);
  assert.notEqual((await host.initialize("2025-11-25")).headers["mcp-session-id"], headers["mcp-session-id"]);
});

Deno.test("closing a modern request cancels it at the server", async () => {
  await using host = await RawHost.open(raw({ LOG: "$ROOT/log" }));
  await host.post(...list());
  const abort = new AbortController();
  const hanging = host.post(...modernRequest("tools/call", '{"name":"hang"}'), abort.signal).catch(() =>
    undefined
  );
  await eventually(
    async () => (await host.file("log")).includes('"name":"hang"'),
    "the call is at the server",
  );
  abort.abort();
  await hanging;
  await eventually(
    async () => (await host.file("log")).includes("notifications/cancelled"),
    "the server is told",
  );
});

Deno.test("an unused session expires, and one with an open stream does not", async () => {
  await using host = await RawHost.open(raw(), { settings: { "serve.sessionTimeout": 300 } });
  const idle = await host.initialize("2025-11-25");
  const open = await host.initialize("2025-11-25");
  const stream = await host.http({ headers: { ...open.headers, accept: "text/event-stream" } });
  const opened = performance.now();
  await eventually(() => Promise.resolve(performance.now() - opened > 400), "its time is over");
  assert.equal((await host.post(ping, idle.headers)).status, 404);
  assert.equal((await host.post(ping, open.headers)).status, 200);
  await stream.body?.cancel();
});

Deno.test("lists come in pages of serve.pageSize, to the end and without loss, in both eras", async () => {
  await using host = await RawHost.open(raw(), { settings: { "serve.pageSize": 4 } });
  for (const version of ["2025-11-25", MODERN]) {
    const send = await host.as(version);
    const names: string[] = [];
    let params = "{}";
    for (let pages = 0; pages < 10; pages++) {
      const { result } = (await send("tools/list", params)).last as {
        result: { tools: { name: string }[]; nextCursor?: string };
      };
      names.push(...result.tools.map(({ name }) => name));
      if (result.nextCursor === undefined) break;
      params = JSON.stringify({ cursor: result.nextCursor });
    }
    assert.deepEqual(names, ["echo", "ask", "say", "tell", "change", "hang"]);
    const { error } = (await send("prompts/list", params)).last as { error: { code: number } };
    assert.equal(error.code, -32602, "a cursor of one list is none of another");
  }
});

Deno.test("a host that takes no event stream is declared nothing that would need one, and is served all the same", async () => {
  await using host = await RawHost.open(raw());
  const accept = { accept: "application/json" };
  const answer = await host.post(
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}}}',
    accept,
  );
  const { capabilities } = answer.last.result as { capabilities: object };
  assert.deepEqual(capabilities, { tools: {}, prompts: {}, resources: {}, completions: {} });
  const session = { ...accept, "mcp-session-id": answer.headers.get("mcp-session-id") ?? "" };
  const said = await host.post(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say"}}',
    session,
  );
  assert.deepEqual([said.headers.get("content-type"), said.messages.length], ["application/json", 1]);
  const [body, headers] = modernRequest("server/discover");
  const found = (await host.post(body, { ...headers, ...accept })).last.result as { capabilities: object };
  assert.deepEqual(found.capabilities, { tools: {}, prompts: {}, resources: {}, completions: {} });
});

Deno.test("a method that the server behind does not have is 404 to a modern host, and a result's errors are 200", async () => {
  const plan = {
    "prompts/get": '{"error":{"code":-32601,"message":"Method not found"}}',
    "resources/read": '{"error":{"code":-32002,"message":"gone","data":{"uri":"note://one"}}}',
  };
  await using host = await RawHost.open(raw({ PLAN: "$ROOT/plan" }), {
    files: { plan: JSON.stringify(plan) },
  });
  const send = await host.as(MODERN);
  const codeOf = (
    answer: RawAnswer,
  ): unknown => [answer.status, (answer.last.error as { code: number }).code];
  assert.deepEqual(codeOf(await send("prompts/get", '{"name":"greet"}')), [404, -32601]);
  // A missing resource has a code of its own before 2026-07-28 alone.
  assert.deepEqual(codeOf(await send("resources/read", '{"uri":"note://one"}')), [200, -32602]);
  const legacy = await host.as("2025-11-25");
  assert.deepEqual(codeOf(await legacy("resources/read", '{"uri":"note://one"}')), [200, -32002]);
});
