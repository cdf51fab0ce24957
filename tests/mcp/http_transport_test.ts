import assert from "node:assert/strict";
import { EventReader } from "../support/event_reader.ts";
import { MODERN } from "../support/mcp_host.ts";
import { ServedHost } from "../support/served_host.ts";
import { eventually, fixtureServer, World } from "../support/world.ts";

const SERVERS = {
  streaming: { ...fixtureServer("streaming.mjs", { LOG: "$ROOT/log" }), mcpx: { prefix: "none" } },
};
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping","x-unknown":{"a":1}}';
const NOTICE = '{"jsonrpc":"2.0","method":"notifications/initialized","x-unknown":1}';
const ANSWER = '{"jsonrpc":"2.0","id":"nobody-asked","result":{"x-unknown":1}}';
const LIST = '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"x-unknown":1}}';
const initialize = (version: string): string =>
  `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"${version}","capabilities":{"x":{}},"clientInfo":{"name":"raw","version":"1","x":1},"x":1}}`;

/** An answer as its bytes say. */
interface Raw {
  status: number;
  headers: Headers;
  body: string;
}

/** A request as it is written: nothing is added but the length of a body. */
interface RawRequest {
  method?: string;
  path?: string;
  /** Header lines; a name may come twice. */
  headers?: readonly (readonly [string, string])[];
  body?: string;
}

/** Sends one request over a connection of its own and reads the answer to its end. */
async function send(
  host: ServedHost,
  { method = "POST", path = "/mcp", headers = [], body }: RawRequest,
): Promise<Raw> {
  const { port } = new URL(host.url);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [
    ...(given.has("host") ? [] : [["Host", `127.0.0.1:${port}`]]),
    ...headers,
    ...(body === undefined ? [] : [["Content-Length", String(new TextEncoder().encode(body).length)]]),
    ["Connection", "close"],
  ].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await connection.write(new TextEncoder().encode(`${method} ${path} HTTP/1.1\r\n${lines}\r\n${body ?? ""}`));
  return parse(await new Response(connection.readable).text());
}

function parse(text: string): Raw {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Headers(lines.map((line): [string, string] => {
    const at = line.indexOf(":");
    return [line.slice(0, at), line.slice(at + 1).trim()];
  }));
  const body = rest.join("\r\n\r\n");
  return {
    status: Number(first.split(" ")[1]),
    headers,
    body: headers.get("transfer-encoding") === "chunked" ? dechunk(body) : body,
  };
}

function dechunk(text: string): string {
  let whole = "";
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\r\n", at);
    const size = parseInt(text.slice(at, end), 16);
    if (!(size > 0)) break;
    whole += text.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
  return whole;
}

const JSON_TYPE = ["Content-Type", "application/json"] as const;
const BOTH = ["Accept", "application/json, text/event-stream"] as const;
const EVENTS = ["Accept", "text/event-stream"] as const;

/** What one revision's page on transports says, as a request and what it is answered with. */
interface Rule {
  title: string;
  /** Revision and section. */
  section: string;
  /** The headers of a session of 2025-11-25 are `session`. */
  request(session: readonly (readonly [string, string])[]): RawRequest;
  status: number;
  headers?: Record<string, string | null>;
  body?: RegExp;
}

const LEGACY: Rule[] = [
  {
    title: "a notification is accepted with 202 and no body",
    section: "2025-11-25 transports, Sending Messages 4",
    request: (session) => ({ headers: [JSON_TYPE, BOTH, ...session], body: NOTICE }),
    status: 202,
    body: /^$/,
  },
  {
    title: "a response is accepted with 202 and no body, whoever asked",
    section: "2025-11-25 transports, Sending Messages 4",
    request: (session) => ({ headers: [JSON_TYPE, BOTH, ...session], body: ANSWER }),
    status: 202,
    body: /^$/,
  },
  {
    title: "a notification needs no acceptable answer",
    section: "2025-11-25 transports, Sending Messages 4",
    request: (session) => ({ headers: [JSON_TYPE, ["Accept", "text/html"], ...session], body: NOTICE }),
    status: 202,
  },
  {
    title: "a request is answered with JSON or events",
    section: "2025-11-25 transports, Sending Messages 5",
    request: (session) => ({ headers: [JSON_TYPE, BOTH, ...session], body: PING }),
    status: 200,
    headers: { "content-type": "application/json" },
    body: /"result":\{\}/,
  },
  {
    title: "a host that takes events alone is given events",
    section: "2025-11-25 transports, Sending Messages 2 and 5",
    request: (session) => ({ headers: [JSON_TYPE, EVENTS, ...session], body: PING }),
    status: 200,
    headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" },
    body: /^id: \S+\ndata:\n\nid: \S+\nevent: message\ndata: \{"jsonrpc":"2.0","id":1,"result":\{\}\}\n\n$/,
  },
  {
    title: "a host that takes JSON alone is given JSON",
    section: "2025-11-25 transports, Sending Messages 2 and 5",
    request: (session) => ({
      headers: [JSON_TYPE, ["Accept", "application/json;q=0.9, text/event-stream;q=0"], ...session],
      body: PING,
    }),
    status: 200,
    headers: { "content-type": "application/json" },
  },
  {
    title: "a host that refuses JSON is given events",
    section: "RFC 9110, 12.5.1",
    request: (session) => ({
      headers: [JSON_TYPE, ["Accept", "application/json;q=0, text/*;q=0.1"], ...session],
      body: PING,
    }),
    status: 200,
    headers: { "content-type": "text/event-stream" },
  },
  {
    title: "a host that takes neither is told so",
    section: "2025-11-25 transports, Sending Messages 2; RFC 9110, 15.5.7",
    request: (session) => ({
      headers: [JSON_TYPE, ["Accept", "text/html, image/*"], ...session],
      body: PING,
    }),
    status: 406,
    body: /"id":1,"error":\{"code":-32600/,
  },
  {
    title: "a wildcard takes both",
    section: "RFC 9110, 12.5.1",
    request: (session) => ({ headers: [JSON_TYPE, ["Accept", "*/*"], ...session], body: PING }),
    status: 200,
  },
  {
    title: "a request without Accept is served",
    section: "RFC 9110, 12.5.1",
    request: (session) => ({ headers: [JSON_TYPE, ...session], body: PING }),
    status: 200,
  },
  {
    title: "a type with parameters is the type",
    section: "RFC 9110, 8.3",
    request: (session) => ({
      headers: [["Content-Type", "Application/JSON; charset=utf-8"], BOTH, ...session],
      body: PING,
    }),
    status: 200,
  },
  ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"].map((type) => ({
    title: `a body of ${type}, as a page may send it unasked, is refused`,
    section: "2025-11-25 transports, Security Warning",
    request: (session: readonly (readonly [string, string])[]) => ({
      headers: [["Content-Type", type] as const, BOTH, ...session],
      body: PING,
    }),
    status: 415,
  })),
  {
    title: "a body without a type is refused",
    section: "2025-11-25 transports, Security Warning",
    request: (session) => ({ headers: [BOTH, ...session], body: PING }),
    status: 415,
  },
  {
    title: "a request without a session is refused",
    section: "2025-11-25 transports, Session Management 2",
    request: () => ({ headers: [JSON_TYPE, BOTH], body: LIST }),
    status: 400,
  },
  {
    title: "a GET without a session is refused",
    section: "2025-11-25 transports, Session Management 2",
    request: () => ({ method: "GET", headers: [EVENTS] }),
    status: 400,
  },
  {
    title: "a session that has ended is 404 to POST",
    section: "2025-11-25 transports, Session Management 3",
    request: () => ({ headers: [JSON_TYPE, BOTH, ["Mcp-Session-Id", "mcp-gone"]], body: LIST }),
    status: 404,
  },
  {
    title: "a session that has ended is 404 to GET",
    section: "2025-11-25 transports, Session Management 3",
    request: () => ({ method: "GET", headers: [EVENTS, ["Mcp-Session-Id", "mcp-gone"]] }),
    status: 404,
  },
  {
    title: "a session that has ended is 404 to DELETE",
    section: "2025-11-25 transports, Session Management 3",
    request: () => ({ method: "DELETE", headers: [["Mcp-Session-Id", "mcp-gone"]] }),
    status: 404,
  },
  {
    title: "a session's name that is no text of visible ASCII is one that nobody has",
    section: "2025-11-25 transports, Session Management 1",
    request: () => ({ headers: [JSON_TYPE, BOTH, ["Mcp-Session-Id", "a b\tc"]], body: LIST }),
    status: 404,
  },
  {
    title: "a GET that takes no events is told so",
    section: "2025-11-25 transports, Listening 2",
    request: (session) => ({ method: "GET", headers: [["Accept", "application/json"], ...session] }),
    status: 406,
  },
  {
    title: "without a version header the session's revision counts",
    section: "2025-11-25 transports, Protocol Version Header",
    request: (session) => ({
      headers: [JSON_TYPE, BOTH, ...session.filter(([name]) => name === "mcp-session-id")],
      body: PING,
    }),
    status: 200,
  },
  {
    title: "a version that nobody knows is refused",
    section: "2025-11-25 transports, Protocol Version Header",
    request: (session) => ({
      headers: [
        JSON_TYPE,
        BOTH,
        ...session.filter(([name]) => name === "mcp-session-id"),
        ["MCP-Protocol-Version", "2019-01-01"],
      ],
      body: PING,
    }),
    status: 400,
    body: /"supported":\["2025-11-25"/,
  },
  {
    title: "a version that nobody knows is refused on GET",
    section: "2025-11-25 transports, Protocol Version Header",
    request: (session) => ({
      method: "GET",
      headers: [
        EVENTS,
        ...session.filter(([name]) => name === "mcp-session-id"),
        ["MCP-Protocol-Version", "2024-10-07"],
      ],
    }),
    status: 400,
  },
  {
    title: "a version header that nobody knows is refused on initialize too",
    section: "2025-11-25 transports, Protocol Version Header",
    request: () => ({
      headers: [JSON_TYPE, BOTH, ["MCP-Protocol-Version", "nonsense"]],
      body: initialize("2025-11-25"),
    }),
    status: 400,
    headers: { "mcp-session-id": null },
  },
  ...["HEAD", "OPTIONS", "PUT", "PATCH"].map((method) => ({
    title: `${method} is not taken, and nothing is allowed to other origins`,
    section: "2025-11-25 transports, Streamable HTTP",
    request: (session: readonly (readonly [string, string])[]) => ({ method, headers: [EVENTS, ...session] }),
    status: 405,
    headers: { allow: "POST, GET, DELETE", "access-control-allow-origin": null },
  })),
];

const MODERN_RULES: Rule[] = [
  ...["GET", "DELETE"].map((method) => ({
    title: `${method} is not allowed`,
    section: "2026-07-28 streamable-http, Earlier Streamable HTTP Revisions",
    request: () => ({ method, headers: [EVENTS, ["MCP-Protocol-Version", MODERN] as const] }),
    status: 405,
    headers: { allow: "POST" },
  })),
  ...["GET", "DELETE"].map((method) => ({
    title: `${method} is not allowed, in whatever session`,
    section: "2026-07-28 streamable-http, Earlier Streamable HTTP Revisions",
    request: ([session]: readonly (readonly [string, string])[]) => ({
      method,
      headers: [EVENTS, ["MCP-Protocol-Version", MODERN] as const, ...(session ? [session] : [])],
    }),
    status: 405,
    headers: { allow: "POST" },
  })),
  {
    title: "a session's name and an event's id are ignored, and no session is given",
    section: "2026-07-28 streamable-http, Earlier Streamable HTTP Revisions",
    request: () => ({
      ...modern("tools/list"),
      headers: [...modern("tools/list").headers, ["Mcp-Session-Id", "mcp-gone"], ["Last-Event-ID", "1"]],
    }),
    status: 200,
    headers: { "mcp-session-id": null },
  },
  {
    title: "header names are compared without their case",
    section: "2026-07-28 streamable-http, Case Sensitivity",
    request: () => ({
      ...modern("tools/list"),
      headers: modern("tools/list").headers.map(([name, value]) => [name.toUpperCase(), value]),
    }),
    status: 200,
  },
  {
    title: "header values are compared with their case",
    section: "2026-07-28 streamable-http, Case Sensitivity",
    request: () => ({
      ...modern("tools/list"),
      headers: modern("tools/list").headers.map(([name, value]) => [
        name,
        name === "Mcp-Method" ? value.toUpperCase() : value,
      ]),
    }),
    status: 400,
    body: /-32020/,
  },
  {
    title: "a stream of events has no ids, and says that no proxy may hold it back",
    section: "2026-07-28 streamable-http, Receiving Messages",
    request: () => ({
      ...modern("tools/list"),
      headers: [...modern("tools/list").headers.slice(2), JSON_TYPE, EVENTS],
    }),
    status: 200,
    headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" },
    body: /^: \n\nevent: message\ndata: \{"jsonrpc":"2.0","id":1,"result":/,
  },
  {
    title: "a host that takes neither JSON nor events is told so",
    section: "2026-07-28 streamable-http, Sending Messages 2",
    request: () => ({
      ...modern("tools/list"),
      headers: [...modern("tools/list").headers.slice(2), JSON_TYPE, ["Accept", "text/html"]],
    }),
    status: 406,
  },
  {
    title: "a batch is not taken",
    section: "2026-07-28 streamable-http, Sending Messages 4",
    request: () => ({ ...modern("tools/list"), body: `[${modern("tools/list").body}]` }),
    status: 400,
  },
];

function modern(method: string): { headers: (readonly [string, string])[]; body: string } {
  const meta =
    `"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/clientCapabilities":{}`;
  return {
    headers: [JSON_TYPE, BOTH, ["MCP-Protocol-Version", MODERN], ["Mcp-Method", method]],
    body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"_meta":{${meta}},"x-unknown":1}}`,
  };
}

/** Who may speak to it: the same for every path. `$PORT` is its own. */
const GUARD: [title: string, headers: (readonly [string, string])[], status: number][] = [
  ["no Origin", [], 200],
  ["an Origin of this machine", [["Origin", "http://localhost:$PORT"]], 200],
  ["an Origin of this machine by number", [["Origin", "https://127.0.0.1:1"]], 200],
  ["an Origin of this machine in version 6", [["Origin", "http://[::1]:$PORT"]], 200],
  ["an Origin in capitals", [["Origin", "HTTP://LOCALHOST:$PORT"]], 200],
  ["a foreign Origin", [["Origin", "http://evil.example"]], 403],
  ["an Origin that begins well", [["Origin", "http://localhost.evil.example"]], 403],
  ["an Origin that ends well", [["Origin", "http://evil.example/#localhost"]], 403],
  ["an Origin with a user", [["Origin", "http://localhost@evil.example"]], 403],
  ["an Origin that is null", [["Origin", "null"]], 403],
  ["an Origin that is empty", [["Origin", ""]], 403],
  ["an Origin of another scheme", [["Origin", "file://localhost"]], 403],
  ["two Origins", [["Origin", "http://localhost"], ["Origin", "http://evil.example"]], 403],
  ["a Host without a port", [["Host", "127.0.0.1"]], 200],
  ["a Host by name", [["Host", "localhost:$PORT"]], 200],
  ["a Host in capitals", [["Host", "LocalHost:$PORT"]], 200],
  ["a Host in version 6", [["Host", "[::1]:$PORT"]], 200],
  ["another address of the loop", [["Host", "127.8.9.1:$PORT"]], 200],
  ["a foreign Host", [["Host", "evil.example"]], 403],
  ["a Host that begins well", [["Host", "127.0.0.1.evil.example:$PORT"]], 403],
  ["a Host that ends well", [["Host", "evil-localhost"]], 403],
  ["a Host with a dot at its end", [["Host", "localhost.:$PORT"]], 403],
  ["a Host that is a whole address", [["Host", "0.0.0.0:$PORT"]], 403],
  ["a Host with a user", [["Host", "localhost@evil.example"]], 403],
];

Deno.test("the rules of the transport pages hold, revision by revision", async (t) => {
  await using host = await ServedHost.open(SERVERS);
  const begun = await send(host, { headers: [JSON_TYPE, BOTH], body: initialize("2025-11-25") });
  const session = begun.headers.get("mcp-session-id") ?? "";
  assert.match(session, /^[\x21-\x7e]{30,}$/, "a session's name is long and visible ASCII");
  const headers = [["mcp-session-id", session], ["mcp-protocol-version", "2025-11-25"]] as const;
  for (const rule of [...LEGACY, ...MODERN_RULES]) {
    await t.step(`${rule.title} (${rule.section})`, async () => {
      const answer = await send(host, rule.request(headers));
      assert.equal(answer.status, rule.status, answer.body);
      for (const [name, value] of Object.entries(rule.headers ?? {})) {
        assert.equal(answer.headers.get(name), value, name);
      }
      if (rule.body) assert.match(answer.body, rule.body);
    });
  }
});

for (const path of ["/mcp", "/v1/search?query=x", "/sse/mcp-gone"]) {
  Deno.test(`${path} is served to this machine's own pages and names, and to no others`, async () => {
    await using host = await ServedHost.open(SERVERS);
    const { port } = new URL(host.url);
    for (const [title, headers, status] of GUARD) {
      const own = headers.map(([name, value]) => [name, value.replace("$PORT", port)] as const);
      const request = path.startsWith("/v1")
        ? { method: "GET", path, headers: own }
        : { path, headers: [JSON_TYPE, BOTH, ...own], body: PING };
      const allowed = path.startsWith("/sse") ? 404 : 200;
      assert.equal((await send(host, request)).status, status === 200 ? allowed : status, title);
    }
  });
}

Deno.test("a session begun by a host that takes events alone is begun in events", async () => {
  await using host = await ServedHost.open(SERVERS);
  const { status, headers, body } = await send(host, {
    headers: [JSON_TYPE, EVENTS],
    body: initialize("2025-06-18"),
  });
  assert.equal(status, 200);
  assert.match(headers.get("mcp-session-id") ?? "", /^mcp-/);
  assert.match(
    body,
    /^event: message\ndata: \{"jsonrpc":"2.0","id":0,"result":\{"protocolVersion":"2025-06-18"/,
  );
});

/** A host of the transport of 2024-11-05, in raw text. */
class SseHost implements AsyncDisposable {
  readonly host: ServedHost;
  readonly reader: EventReader;
  readonly endpoint: string;
  readonly #abort: AbortController;

  private constructor(host: ServedHost, { reader, endpoint, abort }: {
    reader: EventReader;
    endpoint: string;
    abort: AbortController;
  }) {
    this.host = host;
    this.reader = reader;
    this.endpoint = endpoint;
    this.#abort = abort;
  }

  static async open(host: ServedHost): Promise<SseHost> {
    const abort = new AbortController();
    const response = await fetch(`${host.url}/sse`, {
      headers: { accept: "text/event-stream" },
      signal: abort.signal,
    });
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    const reader = new EventReader(response);
    // The first event; its data is no message.
    const { event, data = "" } = await reader.next() ?? {};
    assert.equal(event, "endpoint");
    assert.match(data, /^\/sse\/mcp-[0-9a-f-]{36}$/);
    return new SseHost(host, { reader, endpoint: data, abort });
  }

  async post(body: string, headers: Record<string, string> = {}): Promise<number> {
    const response = await fetch(new URL(this.endpoint, this.host.url), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    const text = await response.text();
    if (response.status === 202) assert.equal(text, "");
    return response.status;
  }

  /** Sends a request and reads up to its answer. */
  async request(id: number, method: string, params: object = {}): Promise<Record<string, unknown>[]> {
    assert.equal(
      await this.post(JSON.stringify({ jsonrpc: "2.0", id, method, params, "x-unknown": 1 })),
      202,
    );
    const messages: Record<string, unknown>[] = [];
    for (let event = await this.reader.next(); event; event = await this.reader.next()) {
      assert.deepEqual([event.event, event.id], ["message", undefined]);
      messages.push(event.message);
      if (event.message.id === id && event.message.method === undefined) break;
    }
    return messages;
  }

  async initialize(protocolVersion: string): Promise<Record<string, unknown>> {
    const params = {
      protocolVersion,
      capabilities: { elicitation: {} },
      clientInfo: { name: "raw", version: "1" },
    };
    const answer = await this.request(0, "initialize", params);
    assert.equal(await this.post(NOTICE), 202);
    return answer.at(-1) ?? {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.reader[Symbol.asyncDispose]();
  }
}

for (const version of ["2024-11-05", "2025-06-18", "2025-11-25"]) {
  Deno.test(`over HTTP+SSE a host of ${version} is served whole, each message once and in order`, async () => {
    await using host = await ServedHost.open(SERVERS);
    await using client = await SseHost.open(host);
    const { result } = await client.initialize(version);
    assert.equal((result as { protocolVersion: string }).protocolVersion, version);
    assert.equal((await client.request(1, "tools/list")).at(-1)?.id, 1);
    await Deno.writeTextFile(`${host.root}/gate`, "");
    const told = await client.request(2, "tools/call", {
      name: "gate",
      arguments: { file: `${host.root}/gate`, steps: 3 },
      _meta: { progressToken: "p" },
    });
    assert.deepEqual(
      told.map(({ method, params }) => method && (params as { progress: number }).progress),
      [1, 2, 3, 4, undefined],
    );
    // An error is an answer as well, and a method that no revision has is one.
    const [nothing] = await client.request(3, "tools/destroy");
    assert.equal((nothing?.error as { code: number }).code, -32601);
    if (version === "2024-11-05") return;
    const ask = { name: "ask", arguments: { message: "Who?" } };
    assert.equal(
      await client.post(JSON.stringify({ jsonrpc: "2.0", id: 4, method: "tools/call", params: ask })),
      202,
    );
    const question = (await client.reader.next())?.message;
    assert.equal(question?.method, "elicitation/create");
    const answer = {
      jsonrpc: "2.0",
      id: question?.id,
      result: { action: "accept", content: { name: "Ada" } },
    };
    assert.equal(await client.post(JSON.stringify(answer)), 202);
    assert.match(JSON.stringify((await client.reader.next())?.message.result), /Ada/);
  });
}

Deno.test("over HTTP+SSE a session lasts as long as its stream: what runs in it ends, and its address is gone", async () => {
  await using host = await ServedHost.open(SERVERS);
  const client = await SseHost.open(host);
  await client.initialize("2024-11-05");
  const args = { file: `${host.root}/never`, steps: 1 };
  const params = { name: "gate", arguments: args, _meta: { progressToken: 1 } };
  assert.equal(
    await client.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })),
    202,
  );
  assert.equal((await client.reader.next())?.message.method, "notifications/progress");
  await client[Symbol.asyncDispose]();
  await eventually(
    async () => (await Deno.readTextFile(`${host.root}/log`)).includes("notifications/cancelled"),
    "the server is told",
  );
  assert.equal(await client.post(PING), 404);
});

Deno.test("over HTTP+SSE what is wrong is refused, and the next message works", async () => {
  await using host = await ServedHost.open(SERVERS);
  await using client = await SseHost.open(host);
  const id = client.endpoint.replace("/sse/", "");
  // Before the session has begun there is nothing but a ping.
  assert.deepEqual((await client.request(7, "ping")).at(-1)?.result, {});
  assert.equal(((await client.request(8, "tools/list"))[0]?.error as { code: number }).code, -32600);
  const [refused] = await client.request(9, "initialize", { protocolVersion: 5 });
  assert.equal((refused?.error as { code: number }).code, -32602);
  // Two at once begin one session.
  const both = await Promise.all([
    client.post(initialize("2024-11-05").replace('"id":0', '"id":"a"')),
    client.post(initialize("2024-11-05").replace('"id":0', '"id":"b"')),
  ]);
  assert.deepEqual(both, [202, 202]);
  const begun = [(await client.reader.next())?.message, (await client.reader.next())?.message];
  assert.deepEqual(begun.map((one) => one?.error === undefined).sort(), [false, true]);
  const [again] = await client.request(10, "initialize", JSON.parse(initialize("2024-11-05")).params);
  assert.equal((again?.error as { code: number }).code, -32600);
  const rows: [title: string, request: RawRequest, status: number][] = [
    ["no JSON", { headers: [JSON_TYPE], body: "{nope" }, 400],
    ["an empty body", { headers: [JSON_TYPE], body: "" }, 400],
    ["no message", { headers: [JSON_TYPE], body: "7" }, 400],
    ["a batch", { headers: [JSON_TYPE], body: `[${PING}]` }, 400],
    ["text", { headers: [["Content-Type", "text/plain"]], body: PING }, 415],
    ["a version that nobody knows", {
      headers: [JSON_TYPE, ["MCP-Protocol-Version", "1999-01-01"]],
      body: PING,
    }, 400],
    ["GET to the address for messages", { method: "GET", headers: [EVENTS] }, 405],
    ["DELETE", { method: "DELETE" }, 405],
    ["POST to the stream's address", { path: "/sse", headers: [JSON_TYPE], body: PING }, 405],
    ["a stream that nobody takes", { method: "GET", path: "/sse", headers: [["Accept", "text/html"]] }, 406],
    ["HEAD, which begins no session", { method: "HEAD", path: "/sse", headers: [EVENTS] }, 405],
    ["another session's address", { path: "/sse/mcp-x", headers: [JSON_TYPE], body: PING }, 404],
    ["the session at the other transport", {
      path: "/mcp",
      headers: [JSON_TYPE, BOTH, ["Mcp-Session-Id", id]],
      body: PING,
    }, 404],
    ["a foreign page", { headers: [JSON_TYPE, ["Origin", "http://evil.example"]], body: PING }, 403],
  ];
  for (const [title, request, status] of rows) {
    assert.equal((await send(host, { path: client.endpoint, ...request })).status, status, title);
    assert.deepEqual((await client.request(1, "ping")).at(-1)?.result, {}, title);
  }
});

Deno.test("over HTTP+SSE a host that never reads makes nothing grow, and others are served", async () => {
  await using host = await ServedHost.open(SERVERS);
  await using deaf = await SseHost.open(host);
  await deaf.initialize("2025-11-25");
  await deaf.request(1, "tools/list");
  const params = { name: "flood", arguments: { count: 2000, bytes: 20_000 } };
  await deaf.post(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params }));
  await eventually(() => Promise.resolve(host.active === 0), "the server is done, whoever reads");
  await using other = await SseHost.open(host);
  await other.initialize("2024-11-05");
  let bytes = 0;
  for (let event = await deaf.reader.next(); event; event = await deaf.reader.next()) {
    bytes += event.data?.length ?? 0;
    if (event.message.id === 2) break;
  }
  // What a socket holds comes on top of what is kept.
  assert.ok(bytes < 20 * 1024 ** 2, `${bytes} bytes of 40 MB`);
});

/** Sends a head, then the pieces of a body as they are given, and reads the answer. */
async function trickle(host: ServedHost, path: string, pieces: AsyncIterable<string>): Promise<Raw> {
  const { port } = new URL(host.url);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const encoder = new TextEncoder();
  await connection.write(encoder.encode(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
  ));
  const answer = readOne(connection);
  let over = false;
  void answer.finally(() => over = true);
  for await (const piece of pieces) {
    if (over) break;
    await connection.write(encoder.encode(piece));
  }
  return parse(await answer);
}

/** Reads one answer with a body of a given length; the connection stays. */
async function readOne(connection: Deno.Conn): Promise<string> {
  const decoder = new TextDecoder();
  const bytes = new Uint8Array(4096);
  let text = "";
  for (;;) {
    const count = await connection.read(bytes);
    if (count === null) return text;
    text += decoder.decode(bytes.subarray(0, count), { stream: true });
    const { headers, body } = parse(text);
    if (text.includes("\r\n\r\n") && body.length >= Number(headers.get("content-length"))) return text;
  }
}

async function* drops(): AsyncGenerator<string> {
  for (let at = 0; at < 500; at++) {
    yield " ";
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, 20);
    await promise;
  }
}

async function* half(): AsyncGenerator<string> {
  yield '{"jsonrpc":';
}

for (const path of ["/v1/exec", "/mcp", "/sse/x"]) {
  Deno.test(`${path}: a body that does not arrive in time is answered with 408 and how to wait longer, stalled or in drops`, async () => {
    await using host = await ServedHost.open(SERVERS, { "http.bodyTimeout": 200 });
    for (const pieces of [half(), drops()]) {
      const { status, headers, body } = await trickle(host, path, pieces);
      assert.deepEqual([status, headers.get("connection")], [408, "close"]);
      assert.match(body, /Cannot take the body: it did not arrive within http\.bodyTimeout \(200 ms\)\./);
      assert.match(body, /mcpx settings set http\.bodyTimeout 2m/);
    }
    assert.equal((await send(host, { headers: [JSON_TYPE, BOTH], body: PING })).status, 200);
  });
}

Deno.test("hosts that go away in the middle of a body, and a flood of unfinished heads, leave nothing in the log and the daemon up", async () => {
  await using world = await World.open({ mcpServers: {} });
  // A daemon that may hold few files: connections can use them up.
  world.program = ["sh", "-c", 'ulimit -n 150; exec "$@"', "sh", ...world.program];
  const daemon = world.spawn(["daemon", "--http-listen", "127.0.0.1:0", "--http-auth", "none"]);
  let log = "";
  const logging = (async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of daemon.stderr) log += decoder.decode(chunk, { stream: true });
  })();
  try {
    const { url = "", pid } = await eventually(async () => {
      const record = await world.daemon().catch(() => undefined);
      return record?.url === undefined ? undefined : record;
    }, "the daemon listens");
    const port = Number(new URL(url).port);
    const head = new TextEncoder().encode(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    for (let at = 0; at < 50; at++) {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await connection.write(head);
    }
    const open: Deno.Conn[] = [];
    for (let at = 0; at < 300; at++) {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
      if (!connection) break;
      open.push(connection);
      await connection.write(head.subarray(0, 30)).catch(() => 0); // refused, where no file is left
    }
    await eventually(() => Promise.resolve(log.includes("Cannot accept connections")), "no files are left");
    for (const connection of open) connection.close();
    const status = await eventually(async () => {
      const { code, stdout } = await world.run(["status", "--json"]);
      return code === 0 ? JSON.parse(stdout) : undefined;
    }, "the daemon answers again");
    assert.equal((status as { pid: number }).pid, pid);
    assert.equal((await world.http("/v1/health")).status, 200);
    await eventually(async () => {
      const answer = await fetch(`${url}/v1/health`).catch(() => undefined);
      await answer?.body?.cancel();
      return answer?.status === 200;
    }, "TCP is served again");
  } finally {
    daemon.kill("SIGTERM");
    await daemon.status;
  }
  await daemon.stdout.cancel();
  await logging;
  const lines = log.split("\n").filter((line) => line !== "" && !line.includes('"info"'));
  assert.deepEqual(lines.filter((line) => !line.includes("Cannot accept connections for a moment")), []);
});
