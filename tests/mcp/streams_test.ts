import assert from "node:assert/strict";
import { EventReader, type RawEvent } from "../support/event_reader.ts";
import { MODERN, modernRequest } from "../support/mcp_host.ts";
import { ServedHost } from "../support/served_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

const SERVERS = {
  streaming: { ...fixtureServer("streaming.mjs", { LOG: "$ROOT/log" }), mcpx: { prefix: "none" } },
};
const ACCEPT = { accept: "application/json, text/event-stream", "content-type": "application/json" };

/** A session of a host whose requests are written by hand. */
class Session {
  readonly host: ServedHost;
  readonly headers: Record<string, string>;

  private constructor(host: ServedHost, headers: Record<string, string>) {
    this.host = host;
    this.headers = headers;
  }

  static async open(host: ServedHost, version = "2025-11-25", capabilities = "{}"): Promise<Session> {
    const { headers } = await host.initialize(version, capabilities);
    const session = new Session(host, headers);
    await session.host.post('{"jsonrpc":"2.0","id":"list","method":"tools/list","x-unknown":1}', headers);
    return session;
  }

  /** Sends a call whose connection `abort` breaks. */
  async call(id: unknown, name: string, args: object, abort?: AbortController): Promise<Response> {
    const params = { name, arguments: args, _meta: { progressToken: `p-${id}` }, vendor: [1] };
    return await this.host.http({
      method: "POST",
      headers: { ...ACCEPT, ...this.headers },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params, vendor: {} }),
      ...(abort ? { signal: abort.signal } : {}),
    });
  }

  async get(lastEventId?: string, abort?: AbortController): Promise<Response> {
    return await this.host.http({
      headers: {
        accept: "text/event-stream",
        ...this.headers,
        ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
      },
      ...(abort ? { signal: abort.signal } : {}),
    });
  }

  async answer(id: unknown, result: object): Promise<number> {
    return (await this.host.post(JSON.stringify({ jsonrpc: "2.0", id, result }), this.headers)).status;
  }

  gate(name: string): string {
    return `${this.host.root}/${name}`;
  }

  async open(name: string): Promise<void> {
    await Deno.writeTextFile(this.gate(name), "");
  }
}

/** Reads events until one is a message of that method, or of none where it is an answer. */
async function until(reader: EventReader, method: string | undefined): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  for (let event = await reader.next(); event; event = await reader.next()) {
    events.push(event);
    if (event.data && event.message.method === method) return events;
  }
  return events;
}

function steps(events: readonly RawEvent[]): unknown[] {
  return events.filter(({ data }) => data).map(({ message: { params, method, result } }) =>
    method === "notifications/progress"
      ? (params as { progress: number }).progress
      : method ?? (result ? "result" : "error")
  );
}

/** Begins a call, reads up to its progress, and breaks the connection. */
async function broken(
  session: Session,
  id: unknown,
  gate: string,
  { count = 2, bytes = 0 } = {},
): Promise<RawEvent[]> {
  const abort = new AbortController();
  const args = { file: session.gate(gate), steps: count, bytes };
  const response = await session.call(id, "gate", args, abort);
  const reader = new EventReader(response);
  const events: RawEvent[] = [];
  while (steps(events).length < count) {
    const event = await reader.next();
    if (!event) break;
    events.push(event);
  }
  abort.abort();
  await reader[Symbol.asyncDispose]();
  return events;
}

for (const version of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
  Deno.test(`${version}: a call whose stream broke goes on, and its host fetches what came after its last event`, async () => {
    await using host = await ServedHost.open(SERVERS);
    const session = await Session.open(host, version);
    const [first, ...more] = await broken(session, 1, "one");
    // An event without data, to resume from, is there from 2025-11-25 on.
    if (version >= "2025-11-25") {
      assert.equal(first?.data, "");
      assert.ok(first?.id);
    } else assert.equal(first?.message.method, "notifications/progress");
    const seen = [first, ...more].filter((event) => event !== undefined);
    assert.ok(seen.every(({ id }) => id), "every event has an id");
    assert.equal(host.active, 1, "the call goes on");

    await using reader = new EventReader(await session.get(seen.at(-1)?.id));
    await session.open("one");
    const rest = await reader.rest();
    assert.deepEqual(steps(rest), [3, "result"]);
    assert.equal(rest.at(-1)?.message.id, 1);
    const ids = [...seen, ...rest].map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, "no id comes twice");
    assert.doesNotMatch(await Deno.readTextFile(session.gate("log")), /notifications\/cancelled/);
  });
}

Deno.test("a result that came while nobody listened is replayed and the stream closed; after it there is nothing, and 405 says so", async () => {
  await using host = await ServedHost.open(SERVERS);
  const session = await Session.open(host);
  const seen = await broken(session, "r", "gate");
  await session.open("gate");
  await eventually(() => Promise.resolve(host.active === 0), "the call is over");
  const primed = seen[0]?.id;
  assert.deepEqual(steps(await new EventReader(await session.get(primed)).rest()), [1, 2, 3, "result"]);
  // As often as the host wants.
  const rest = await new EventReader(await session.get(seen[1]?.id)).rest();
  assert.deepEqual(steps(rest), [2, 3, "result"]);
  const over = await session.get(rest.at(-1)?.id);
  assert.deepEqual([over.status, over.headers.get("allow")], [405, "POST, DELETE"]);
  await over.body?.cancel();
});

Deno.test("resuming replays one stream and no other, and every message goes out on one stream only", async () => {
  await using host = await ServedHost.open(SERVERS);
  const session = await Session.open(host);
  await using standing = new EventReader(await session.get());
  assert.equal((await standing.next())?.data, "");
  const [a, b] = [await broken(session, "a", "a"), await broken(session, "b", "b", { count: 3 })];
  await session.open("a");
  await session.open("b");
  const [restA, restB] = await Promise.all(
    [a, b].map(async (events) => await new EventReader(await session.get(events.at(-1)?.id)).rest()),
  );
  assert.deepEqual([steps(restA ?? []), steps(restB ?? [])], [[3, "result"], [4, "result"]]);
  assert.deepEqual([restA?.at(-1)?.message.id, restB?.at(-1)?.message.id], ["a", "b"]);
  const ids = [...a, ...b, ...restA ?? [], ...restB ?? []].map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

Deno.test("the stream of a session's own is resumed too, and what came meanwhile is replayed on it", async () => {
  await using host = await ServedHost.open(SERVERS);
  const session = await Session.open(host);
  const abort = new AbortController();
  const first = new EventReader(await session.get(undefined, abort));
  const primed = await first.next();
  assert.deepEqual([primed?.data, typeof primed?.id], ["", "string"]);
  abort.abort();
  await first[Symbol.asyncDispose]();
  await Deno.writeTextFile(`${host.root}/.mcpx.json`, '{"mcpServers":{}}');
  await host.engine.reload();
  await using again = new EventReader(await session.get(primed?.id));
  const told = await again.next();
  assert.match(String(told?.message.method), /list_changed$/);
  await using third = new EventReader(await session.get(primed?.id));
  assert.equal((await third.next())?.id, told?.id, "what was sent once can be had again");
  // The earlier connection has ended: nothing new comes on two of them.
  await again.rest();
});

Deno.test("an event that no stream of the session gave out is refused, and a revision without streams to resume says so", async () => {
  await using host = await ServedHost.open(SERVERS);
  const [one, two] = [await Session.open(host), await Session.open(host)];
  const seen = await broken(one, 1, "gate");
  const beyond = seen[0]?.id?.replace(/\d+$/, "4000") ?? "";
  for (const id of ["1", "x", "0-0-0", "\u00e9", "a".repeat(5000), beyond]) {
    const response = await one.get(id);
    assert.equal(response.status, 400, id);
    assert.match(await response.text(), /"code":-32600/);
  }
  const foreign = await two.get(seen[0]?.id);
  assert.equal(foreign.status, 400);
  await foreign.body?.cancel();
  const modern = await host.http({
    headers: {
      accept: "text/event-stream",
      "mcp-protocol-version": MODERN,
      "last-event-id": seen[0]?.id ?? "",
    },
  });
  assert.equal(modern.status, 405);
  await modern.body?.cancel();
  await one.open("gate");
});

const ASKS = '{"elicitation":{}}';

Deno.test("a question on a stream that broke reaches the host when it comes back, and its answer reaches the server", async () => {
  await using host = await ServedHost.open(SERVERS);
  const session = await Session.open(host, "2025-11-25", ASKS);
  const abort = new AbortController();
  const reader = new EventReader(await session.call(1, "ask", { message: "Who?" }, abort));
  const events = await until(reader, "elicitation/create");
  const asked = events.at(-1)?.message;
  abort.abort();
  await reader[Symbol.asyncDispose]();
  await using back = new EventReader(await session.get(events[0]?.id));
  const again = (await until(back, "elicitation/create")).at(-1)?.message;
  assert.deepEqual(again, asked, "it is the same question");
  assert.equal(
    await session.answer(asked?.id, { action: "accept", content: { name: "Ada" }, vendor: 1 }),
    202,
  );
  const [result] = await back.rest();
  assert.match(JSON.stringify(result?.message.result), /Ada/);
});

Deno.test("a question on a stream that nobody comes back to ends with its time, and the result waits", async () => {
  await using host = await ServedHost.open(SERVERS, { "elicit.ttl": 300 });
  const session = await Session.open(host, "2025-11-25", ASKS);
  const abort = new AbortController();
  const reader = new EventReader(await session.call(1, "ask", { message: "Who?" }, abort));
  const [primed] = await until(reader, "elicitation/create");
  abort.abort();
  await reader[Symbol.asyncDispose]();
  await eventually(() => Promise.resolve(host.active === 0), "the question has ended");
  const rest = await new EventReader(await session.get(primed?.id)).rest();
  assert.equal(rest.at(-1)?.message.id, 1);
  assert.match(JSON.stringify(rest.at(-1)?.message), /cancel/);
});

Deno.test("with serve.pollAfter the connection of a long call is ended with `retry`, as often as it takes, and the result is fetched", async () => {
  await using host = await ServedHost.open(SERVERS, { "serve.pollAfter": 50 });
  const session = await Session.open(host);
  let reader = new EventReader(await session.call(1, "gate", { file: session.gate("gate") }));
  let last: string | undefined;
  const told: unknown[] = [];
  for (let polls = 1;; polls++) {
    const events = await reader.rest();
    told.push(...steps(events));
    last = events.findLast(({ id }) => id)?.id ?? last;
    if (told.includes("result")) break;
    assert.match(events.at(-1)?.retry ?? "", /^\d+$/);
    if (polls === 3) await session.open("gate");
    reader = new EventReader(await session.get(last));
  }
  assert.deepEqual(told, [1, 2, "result"]);
  // A revision that knows nothing of coming back keeps its connection.
  const old = await Session.open(host, "2025-06-18");
  assert.deepEqual(
    steps(await new EventReader(await old.call(1, "gate", { file: old.gate("gate") })).rest()),
    [
      1,
      2,
      "result",
    ],
  );
});

Deno.test("a cancelled call's stream ends without an answer, and there is nothing to come back for", async () => {
  await using host = await ServedHost.open(SERVERS);
  const session = await Session.open(host);
  const reader = new EventReader(await session.call("c", "gate", { file: session.gate("never") }));
  const first = await reader.next();
  await session.host.post(
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}',
    session.headers,
  );
  assert.ok(!steps(await reader.rest()).includes("result"));
  const seen = await new EventReader(await session.get(first?.id)).rest();
  const over = await session.get(seen.at(-1)?.id ?? first?.id);
  assert.equal(over.status, 405);
  await over.body?.cancel();
});

/** Bytes of what a stream still gives, taken as they come. */
async function sizeOf(response: Response): Promise<{ size: number; end: string }> {
  let size = 0;
  let end = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    end = (end + decoder.decode(chunk, { stream: true })).slice(-2000);
  }
  return { size, end };
}

Deno.test("a host that never reads makes nothing grow while a server floods, and gets the result when it comes back", async () => {
  await using host = await ServedHost.open(SERVERS);
  const session = await Session.open(host);
  const params = { name: "flood", arguments: { count: 2000, bytes: 20_000 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: "f", method: "tools/call", params });
  const { port } = new URL(host.url);
  const deaf = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const head = Object.entries({
    host: `127.0.0.1:${port}`,
    "content-length": body.length,
    ...ACCEPT,
    ...session.headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await deaf.write(new TextEncoder().encode(`POST /mcp HTTP/1.1\r\n${head}\r\n${body}`));
  await eventually(() => Promise.resolve(host.active > 0), "the call is under way");
  await eventually(() => Promise.resolve(host.active === 0), "the server is done, whoever reads");
  const bytes = new Uint8Array(2000);
  await deaf.read(bytes);
  deaf.close();
  const primed = /^id: (\S+)$/m.exec(new TextDecoder().decode(bytes))?.[1];
  const { size, end } = await sizeOf(await session.get(primed));
  assert.ok(size < 5 * 1024 ** 2, `${size} bytes were kept of 40 MB`);
  assert.ok(size > 1024 ** 2, `${size} bytes were kept`);
  assert.match(end, /"id":"f","result":.*flooded 2000/);
});

Deno.test("an answer that is larger than what is kept comes whole over an open connection, and as an error to who comes back for it", async () => {
  await using host = await ServedHost.open(SERVERS);
  const session = await Session.open(host);
  const args = { bytes: 6 * 1024 ** 2 };
  const open = await sizeOf(await session.call("open", "large", args));
  assert.ok(open.size > args.bytes);
  const seen = await broken(session, "lost", "gate", { bytes: args.bytes });
  await session.open("gate");
  await eventually(() => Promise.resolve(host.active === 0), "the call is over");
  const rest = await new EventReader(await session.get(seen.at(-1)?.id)).rest();
  const { id, error } = rest.at(-1)?.message as { id: unknown; error: { code: number } };
  assert.deepEqual([steps(rest), id, error.code], [["error"], "lost", -32603]);
});

Deno.test("a modern host that reads late is kept no more than that for, and gets the result", async () => {
  await using host = await ServedHost.open(SERVERS);
  const level = ',"io.modelcontextprotocol/logLevel":"debug"';
  const [list, listHeaders] = modernRequest("tools/list");
  await host.post(list, listHeaders);
  const [body, headers] = modernRequest(
    "tools/call",
    '{"name":"flood","arguments":{"count":2000,"bytes":20000}}',
    {
      meta: level,
    },
  );
  const response = await host.http({ method: "POST", headers: { ...ACCEPT, ...headers }, body });
  await eventually(() => Promise.resolve(host.active === 0), "the server is done, whoever reads");
  const { size, end } = await sizeOf(response);
  // What the sockets hold comes on top of what is kept.
  assert.ok(size < 20 * 1024 ** 2, `${size} bytes of 40 MB`);
  assert.match(end, /flooded 2000/);
});

Deno.test("many hosts at once break and resume, and each gets its own", async () => {
  await using host = await ServedHost.open(SERVERS);
  const sessions = await Promise.all(Array.from({ length: 12 }, () => Session.open(host)));
  const seen = await Promise.all(
    sessions.flatMap((session, at) => [1, "1"].map((id) => broken(session, id, `g${at}`))),
  );
  await Promise.all(sessions.map((session, at) => session.open(`g${at}`)));
  const results = await Promise.all(seen.map(async (events, at) => {
    const session = sessions[Math.floor(at / 2)];
    const response = await session?.get(events.at(-1)?.id);
    return (await new EventReader(response ?? new Response()).rest()).at(-1)?.message.id;
  }));
  assert.deepEqual(results, sessions.flatMap(() => [1, "1"]));
});

Deno.test("a thousand sessions that begin and are left take the place of idle ones: a call that runs is answered", async () => {
  await using host = await ServedHost.open(SERVERS);
  const [idle, running] = [await Session.open(host), await Session.open(host)];
  const answer = running.call("long", "gate", { file: running.gate("long"), steps: 0 });
  await eventually(() => Promise.resolve(host.active === 1), "the call is under way");
  for (let n = 0; n < 10; n++) {
    await Promise.all(Array.from({ length: 100 }, () => host.initialize("2025-11-25")));
  }
  assert.equal(await idle.answer("none", {}), 404, "the longest unused one is gone");
  await running.open("long");
  assert.deepEqual(steps(await new EventReader(await answer).rest()), [1, "result"]);
});

Deno.test("after more answers than are kept a session is still told what changes", async () => {
  await using host = await ServedHost.open(SERVERS);
  const session = await Session.open(host);
  await using standing = new EventReader(await session.get());
  assert.equal((await standing.next())?.data, "");
  for (let n = 0; n < 1100; n++) {
    const response = await host.http({
      method: "POST",
      headers: { ...ACCEPT, ...session.headers, accept: "text/event-stream" },
      body: `{"jsonrpc":"2.0","id":${n},"method":"ping"}`,
    });
    assert.match(await response.text(), /^id: \S+\ndata:\n\nid: \S+\nevent: message\ndata: .*"result":\{\}/);
  }
  await Deno.writeTextFile(`${host.root}/.mcpx.json`, '{"mcpServers":{}}');
  await host.engine.reload();
  assert.match(String((await standing.next())?.message.method), /list_changed$/);
});
