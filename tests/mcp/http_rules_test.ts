import assert from "node:assert/strict";
import { MODERN, modernRequest, type RawAnswer, RawHost } from "../support/mcp_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

const PREFIX = "io.modelcontextprotocol/";
const raw = (env: Record<string, string> = {}): Record<string, object> => ({
  raw: { ...fixtureServer("verbatim.mjs", env), mcpx: { prefix: "none" } },
});

/** Each row: what the specification is about, the section, the request, and the status and code it has for it. */
interface Rule {
  title: string;
  section: string;
  send(host: RawHost, session: Record<string, string>): Promise<RawAnswer>;
  status: number;
  code?: number;
}

const ping = '{"jsonrpc":"2.0","id":9,"method":"ping"}';
const list = (params = "{}"): [string, Record<string, string>] => modernRequest("tools/list", params);
const envelope = (members: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${members}}}}`;
const headersOf = (method: string): Record<string, string> => ({
  "mcp-protocol-version": MODERN,
  "mcp-method": method,
});

const RULES: Rule[] = [
  // Any era.
  {
    title: "text that is no JSON",
    section: "JSON-RPC 2.0, 5.1",
    send: (h, s) => h.post("{nope", s),
    status: 400,
    code: -32700,
  },
  {
    title: "an empty body",
    section: "JSON-RPC 2.0, 5.1",
    send: (h, s) => h.post("", s),
    status: 400,
    code: -32700,
  },
  {
    title: "a body that is not declared as JSON",
    section: "transports, Sending Messages",
    send: (h, s) => h.post(ping, { ...s, "content-type": "text/plain" }),
    status: 415,
  },
  {
    title: "a method that HTTP has but this does not take",
    section: "transports",
    send: async (h) => {
      const response = await h.http({ method: "PUT" });
      return {
        status: response.status,
        headers: response.headers,
        text: await response.text(),
        messages: [],
        last: {},
      };
    },
    status: 405,
  },
  // Legacy.
  {
    title: "null",
    section: "2025-11-25 basic",
    send: (h, s) => h.post("null", s),
    status: 400,
    code: -32600,
  },
  {
    title: "a plain string",
    section: "2025-11-25 basic",
    send: (h, s) => h.post('"ping"', s),
    status: 400,
    code: -32600,
  },
  {
    title: "an id that is null",
    section: "2025-11-25 basic, Requests",
    send: (h, s) => h.post('{"jsonrpc":"2.0","id":null,"method":"ping"}', s),
    status: 400,
    code: -32600,
  },
  {
    title: "an id that is an object",
    section: "2025-11-25 basic, Requests",
    send: (h, s) => h.post('{"jsonrpc":"2.0","id":{},"method":"ping"}', s),
    status: 400,
    code: -32600,
  },
  {
    title: "a message without its version",
    section: "JSON-RPC 2.0, 4",
    send: (h, s) => h.post('{"id":1,"method":"ping"}', s),
    status: 400,
    code: -32600,
  },
  {
    title: "params that are a list",
    section: "2025-11-25 basic, Requests",
    send: (h, s) => h.post('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', s),
    status: 400,
    code: -32602,
  },
  {
    title: "a method that does not exist",
    section: "2025-11-25 basic",
    send: (h, s) => h.post('{"jsonrpc":"2.0","id":1,"method":"tools/destroy"}', s),
    status: 200,
    code: -32601,
  },
  {
    title: "a method that is called like a member of every object",
    section: "2025-11-25 basic",
    send: (h, s) => h.post('{"jsonrpc":"2.0","id":1,"method":"toString"}', s),
    status: 200,
    code: -32601,
  },
  {
    title: "a batch where the revision has none",
    section: "2025-06-18 changelog 1",
    send: (h, s) => h.post(`[${ping}]`, s),
    status: 400,
    code: -32600,
  },
  {
    title: "a request without a session",
    section: "2025-11-25 transports, Session Management 2",
    send: (h) => h.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'),
    status: 400,
    code: -32600,
  },
  {
    title: "a session that does not exist",
    section: "2025-11-25 transports, Session Management 3",
    send: (h) => h.post(ping, { "mcp-session-id": "nobody" }),
    status: 404,
    code: -32600,
  },
  {
    title: "a version header that is not the session's",
    section: "2025-11-25 transports, Protocol Version Header",
    send: (h, s) => h.post(ping, { ...s, "mcp-protocol-version": "2024-11-05" }),
    status: 400,
    code: -32600,
  },
  {
    title: "a version header that nobody knows",
    section: "2025-11-25 transports, Protocol Version Header",
    send: (h, s) => h.post(ping, { ...s, "mcp-protocol-version": "1999-01-01" }),
    status: 400,
    code: -32600,
  },
  {
    title: "a second initialize in a session",
    section: "2025-11-25 lifecycle",
    send: (h, s) =>
      h.post(
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}}}',
        s,
      ),
    status: 400,
    code: -32600,
  },
  {
    title: "initialize without a version",
    section: "2025-11-25 lifecycle",
    send: (h) =>
      h.post('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"clientInfo":{}}}'),
    status: 400,
    code: -32602,
  },
  {
    title: "a cursor that was never given out",
    section: "2025-11-25 pagination, Error Handling",
    send: (h, s) =>
      h.post('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"bm9uZQ=="}}', s),
    status: 200,
    code: -32602,
  },
  {
    title: "a cursor that is a number",
    section: "2025-11-25 pagination, Error Handling",
    send: (h, s) => h.post('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":1}}', s),
    status: 200,
    code: -32602,
  },
  {
    title: "a tool that does not exist",
    section: "2025-11-25 tools, Error Handling",
    send: (h, s) => h.post('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}', s),
    status: 200,
    code: -32602,
  },
  {
    title: "a prompt that does not exist",
    section: "2025-11-25 prompts, Error Handling",
    send: (h, s) => h.post('{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"nope"}}', s),
    status: 200,
    code: -32602,
  },
  {
    title: "a resource of a namespace that does not exist",
    section: "2025-11-25 resources, Error Handling",
    send: (h, s) => h.post('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":5}}', s),
    status: 200,
    code: -32602,
  },
  {
    title: "a log level that does not exist",
    section: "2025-11-25 logging, Error Handling",
    send: (h, s) =>
      h.post('{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}', s),
    status: 200,
    code: -32602,
  },
  {
    title: "server/discover in a session",
    section: "2025-11-25: no such method",
    send: (h, s) => h.post('{"jsonrpc":"2.0","id":1,"method":"server/discover"}', s),
    status: 200,
    code: -32601,
  },
  // Modern.
  {
    title: "a modern request without _meta",
    section: "2026-07-28 basic, Request envelope",
    send: (h) =>
      h.post('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}', headersOf("tools/list")),
    status: 400,
    code: -32602,
  },
  {
    title: "an envelope without capabilities",
    section: "2026-07-28 basic, Request envelope",
    send: (h) => h.post(envelope(`"${PREFIX}protocolVersion":"${MODERN}"`), headersOf("tools/list")),
    status: 400,
    code: -32602,
  },
  {
    title: "an unknown version",
    section: "2026-07-28 versioning",
    send: (h) =>
      h.post(envelope(`"${PREFIX}protocolVersion":"2099-01-01","${PREFIX}clientCapabilities":{}`), {
        ...headersOf("tools/list"),
        "mcp-protocol-version": "2099-01-01",
      }),
    status: 400,
    code: -32022,
  },
  {
    title: "a missing version header",
    section: "2026-07-28 streamable-http, Standard Headers",
    send: (h) => {
      const [body, { "mcp-protocol-version": _left, ...headers }] = list();
      return h.post(body, headers);
    },
    status: 400,
    code: -32020,
  },
  {
    title: "a version header that lies",
    section: "2026-07-28 streamable-http, Standard Headers",
    send: (h) => h.post(list()[0], { ...list()[1], "mcp-protocol-version": "2025-11-25" }),
    status: 400,
    code: -32020,
  },
  {
    title: "a method header that lies",
    section: "2026-07-28 streamable-http, Standard Headers",
    send: (h) => h.post(list()[0], { ...list()[1], "mcp-method": "tools/call" }),
    status: 400,
    code: -32020,
  },
  {
    title: "a name header that lies",
    section: "2026-07-28 streamable-http, Standard Headers",
    send: (h) => {
      const [body, headers] = modernRequest("tools/call", '{"name":"echo"}');
      return h.post(body, { ...headers, "mcp-name": "other" });
    },
    status: 400,
    code: -32020,
  },
  {
    title: "a name header whose base64 is broken",
    section: "2026-07-28 streamable-http, Value Encoding",
    send: (h) => {
      const [body, headers] = modernRequest("tools/call", '{"name":"echo"}');
      return h.post(body, { ...headers, "mcp-name": "=?base64?!?=" });
    },
    status: 400,
    code: -32020,
  },
  {
    title: "a method that the era does not have",
    section: "2026-07-28 streamable-http, Status codes",
    send: (h) => h.post(...modernRequest("ping")),
    status: 404,
    code: -32601,
  },
  {
    title: "initialize in the modern era",
    section: "2026-07-28 changelog",
    send: (h) => h.post(...modernRequest("initialize")),
    status: 404,
    code: -32601,
  },
  {
    title: "a modern batch",
    section: "2026-07-28 basic",
    send: (h) => h.post(`[${list()[0]}]`, list()[1]),
    status: 400,
    code: -32600,
  },
  {
    title: "an answer to a request that was never made",
    section: "2026-07-28 mrtr",
    send: (h) => h.post('{"jsonrpc":"2.0","id":1,"result":{}}', headersOf("x")),
    status: 400,
    code: -32600,
  },
  {
    title: "a modern GET",
    section: "2026-07-28 streamable-http",
    send: async (h) => {
      const { status, headers } = await h.http({ headers: { "mcp-protocol-version": MODERN } });
      return { status, headers, text: "", messages: [], last: {} };
    },
    status: 405,
  },
  {
    title: "a subscription without its filter",
    section: "2026-07-28 subscriptions",
    send: (h) => h.post(...modernRequest("subscriptions/listen")),
    status: 200,
    code: -32602,
  },
];

Deno.test("every malformed request gets the status and code that the specification gives it, and the next one works", async (t) => {
  await using host = await RawHost.open(raw());
  const { headers } = await host.initialize("2025-11-25");
  for (const { title, section, send, status, code } of RULES) {
    await t.step(`${title} (${section})`, async () => {
      const answer = await send(host, headers);
      const error = answer.last.error as { code?: number; data?: unknown } | undefined;
      assert.deepEqual({ status: answer.status, code: error?.code }, { status, code: code ?? error?.code });
      if (code === -32022) assert.deepEqual(error?.data, { supported: [MODERN], requested: "2099-01-01" });
      assert.equal((await host.post(ping, headers)).text, '{"jsonrpc":"2.0","id":9,"result":{}}');
      assert.equal((await host.post(...list())).status, 200);
    });
  }
});

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

Deno.test("batches of 2025-03-26 are answered as one list, notifications and answers with 202", async () => {
  await using host = await RawHost.open(raw());
  const { headers } = await host.initialize("2025-03-26");
  const batch = await host.post(
    `[${ping},{"jsonrpc":"2.0","method":"notifications/progress"},{"jsonrpc":"2.0","id":"x","method":"nope"},7]`,
    headers,
  );
  const answers = JSON.parse(batch.text) as { id: unknown; error?: { code: number } }[];
  assert.deepEqual(
    answers.map(({ id, error }) => [id, error?.code]).sort((a, b) =>
      String(a[0]).localeCompare(String(b[0]))
    ),
    [[9, undefined], [null, -32600], ["x", -32601]],
  );
  const silent = await host.post('[{"jsonrpc":"2.0","method":"notifications/initialized"}]', headers);
  assert.deepEqual([silent.status, silent.text], [202, ""]);
  assert.equal((await host.post("[]", headers)).status, 400);
});

Deno.test("a notification is answered with 202 and nothing else, in both eras", async () => {
  await using host = await RawHost.open(raw());
  const { headers } = await host.initialize("2025-11-25");
  const legacy = await host.post('{"jsonrpc":"2.0","method":"notifications/whatever"}', headers);
  assert.deepEqual([legacy.status, legacy.text], [202, ""]);
  const modern = await host.post(
    '{"jsonrpc":"2.0","method":"notifications/whatever"}',
    headersOf("notifications/whatever"),
  );
  assert.deepEqual([modern.status, modern.text], [202, ""]);
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

Deno.test("a cancelled legacy request has no answer, the server is told, and the session goes on", async () => {
  await using host = await RawHost.open(raw({ LOG: "$ROOT/log" }));
  const { headers } = await host.initialize("2025-11-25");
  await host.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers);
  const hanging = host.post(
    '{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"hang"}}',
    headers,
  );
  await eventually(
    async () => (await host.file("log")).includes('"name":"hang"'),
    "the call is at the server",
  );
  const { status } = await host.post(
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"h","reason":"no more"}}',
    headers,
  );
  assert.equal(status, 202);
  assert.deepEqual((await hanging).messages, []);
  await eventually(
    async () => (await host.file("log")).includes("notifications/cancelled"),
    "the server is told",
  );
  assert.equal((await host.post(ping, headers)).status, 200);
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
