import assert from "node:assert/strict";
import {
  event,
  json,
  openEvents,
  result,
  serveLegacy,
  serveModern,
} from "../fixtures/servers/http_server.ts";
import { HostStream, type StreamMessage } from "../support/host_stream.ts";
import { type RawAnswer, RawHost, readAnswer } from "../support/mcp_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

const MESSAGE = "notifications/message";
const UPDATED = "notifications/resources/updated";

/** A legacy host with its standing stream open. */
interface Listener extends AsyncDisposable {
  stream: HostStream;
  send(method: string, params: object): Promise<RawAnswer>;
  call(name: string, args?: object): Promise<string>;
}

async function listener(host: RawHost, capabilities = "{}", version = "2025-11-25"): Promise<Listener> {
  const { headers } = await host.initialize(version, capabilities);
  const stream = await HostStream.standing(host, headers);
  let id = 0;
  const send = (method: string, params: object): Promise<RawAnswer> =>
    host.post(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }), headers);
  return {
    stream,
    send,
    call: async (name, args = {}) => textOf(await send("tools/call", { name, arguments: args })),
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  };
}

function textOf({ last, text }: RawAnswer): string {
  const content = (last.result as { content?: [{ text: string }] } | undefined)?.content;
  assert.ok(content, text);
  return content[0].text;
}

function speaker(mcpx: object = {}, env: Record<string, string> = {}): Record<string, object> {
  return { speaker: { ...fixtureServer("speaker.mjs", env), mcpx: { prefix: "none", ...mcpx } } };
}

const line = (method: string, params: object): string => JSON.stringify({ jsonrpc: "2.0", method, params });
const says = (data: string) => ({ method, params }: StreamMessage): boolean =>
  method === MESSAGE && params.data === data;
const message = (data: string): string => line(MESSAGE, { level: "warning", data, "x-unknown": 1 });
const updated = (extra: object = {}): string => line(UPDATED, { uri: "note://one", ...extra });

Deno.test("what a session's own server says reaches that session alone, and a shared one is heard by all who share it", async () => {
  await using own = await RawHost.open(speaker({ scope: "session" }));
  await using a = await listener(own);
  await using b = await listener(own);
  await a.call("say", { lines: [message("for a")] });
  await b.call("say", { lines: [message("for b")] });
  await a.stream.until(says("for a"));
  await b.stream.until(says("for b"));
  assert.equal(a.stream.of(MESSAGE).length, 1);
  assert.equal(b.stream.of(MESSAGE).length, 1);
  assert.equal(a.stream.of(MESSAGE)[0]?.params["x-unknown"], 1);

  await using shared = await RawHost.open(speaker());
  await using c = await listener(shared);
  await using d = await listener(shared);
  await c.call("say", { lines: [message("for both")] });
  await Promise.all([c, d].map(({ stream }) => stream.until(says("for both"))));
});

Deno.test("a server that the caller's variables make another one is heard by its own callers alone", async () => {
  await using host = await RawHost.open({
    speaker: {
      ...fixtureServer("speaker.mjs", { TOKEN: "${TOKEN}" }),
      mcpx: { prefix: "none" },
    },
  });
  const as = (token: string): Record<string, string> => ({
    "x-mcpx-caller": JSON.stringify({ env: { TOKEN: token } }),
  });
  const open = async (token: string): Promise<[Record<string, string>, HostStream]> => {
    const answer = await host.post(
      '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}',
      as(token),
    );
    const headers = { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "", ...as(token) };
    return [headers, await HostStream.standing(host, headers)];
  };
  const [one, first] = await open("1");
  const [two, second] = await open("2");
  await using _first = first;
  await using _second = second;
  for (const [headers, data] of [[one, "for 1"], [two, "for 2"]] as const) {
    const params = { name: "say", arguments: { lines: [message(data)] } };
    await host.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }), headers);
  }
  await first.until(says("for 1"));
  await second.until(says("for 2"));
  assert.deepEqual([first, second].map((stream) => stream.of(MESSAGE).length), [1, 1]);
});

Deno.test("each watches the resource of the server that it calls", async () => {
  await using host = await RawHost.open(speaker({ scope: "session" }));
  await using a = await listener(host);
  await using b = await listener(host);
  for (const { send } of [a, b]) await send("resources/subscribe", { uri: "note://one" });
  await a.call("say", { lines: [updated({ of: "a" })] });
  await b.call("say", { lines: [updated({ of: "b" })] });
  await a.stream.until(({ params }) => params?.of === "a");
  await b.stream.until(({ params }) => params?.of === "b");
  assert.deepEqual([a, b].map(({ stream }) => stream.of(UPDATED).length), [1, 1]);
});

for (const era of ["legacy", "modern"]) {
  Deno.test(`a watch outlives its ${era} server's death, and says once that it may have missed something`, async () => {
    await using host = await RawHost.open(speaker({}, { ERA: era, LOG: "$ROOT/log" }));
    await using a = await listener(host);
    await a.send("resources/subscribe", { uri: "note://one" });
    await using modern = await HostStream.listen(host, '{"resourceSubscriptions":["note://one"]}');
    await modern.until(({ method }) => method === "notifications/subscriptions/acknowledged");
    const before = Number(await a.call("pid"));
    Deno.kill(before, "SIGKILL");
    await Promise.all([a.stream, modern].map((stream) => stream.until(({ method }) => method === UPDATED)));
    const after = Number(await a.call("pid"));
    assert.notEqual(after, before);
    await a.call("say", { lines: [updated({ of: "the next" })] });
    for (const stream of [a.stream, modern]) {
      await stream.until(({ params }) => params?.of === "the next");
      assert.equal(stream.of(UPDATED).length, 2);
      assert.equal(stream.of(UPDATED)[0]?.params.uri, "note://one");
    }
    const begun = era === "legacy"
      ? '"method":"resources/subscribe"'
      : '"resourceSubscriptions":["note://one"]';
    const lines = (await host.file("log")).split("\n").filter((one) => one.includes(begun));
    assert.deepEqual(lines.map((one) => Number(one.split(" ")[0])), [before, after]);
    await a.send("resources/unsubscribe", { uri: "note://one" });
    await modern[Symbol.asyncDispose]();
  });
}

Deno.test("a server that serves one caller at a time can be watched and called", async () => {
  await using host = await RawHost.open(speaker({ sharing: "exclusive" }));
  await using a = await listener(host);
  await a.send("resources/subscribe", { uri: "note://one" });
  await a.call("say", { lines: [updated()] });
  await a.stream.until(({ method }) => method === UPDATED);
});

Deno.test("a watch goes on in the next session when a server over HTTP has forgotten the last", async () => {
  const streams: ReturnType<typeof openEvents>[] = [];
  const capabilities = { resources: { subscribe: true }, logging: {} };
  const fixture = serveLegacy((request) => {
    const { message, method } = request;
    if (message.method === "resources/list") {
      return json(result(message, { resources: [{ uri: "note://one", name: "one" }] }));
    }
    if (message.method === "resources/templates/list") {
      return json(result(message, { resourceTemplates: [] }));
    }
    if (method !== "GET") return undefined;
    const stream = openEvents(event(undefined, { retry: 5 }));
    streams.push(stream);
    return stream.response;
  }, { capabilities });
  await using served = fixture;
  await using host = await RawHost.open({ far: { url: served.url, mcpx: { prefix: "none" } } });
  await using a = await listener(host);
  await a.send("logging/setLevel", { level: "error" });
  await a.send("resources/subscribe", { uri: "note://one" });
  await served.arrived(({ method }) => method === "GET");
  fixture.forget();
  streams[0]?.end();
  await a.stream.until(({ method }) => method === UPDATED);
  for (const method of ["resources/subscribe", "logging/setLevel"]) {
    const asked = served.received.filter(({ message }) => message.method === method);
    const sessions = asked.map(({ headers }) => headers.get("mcp-session-id"));
    assert.deepEqual(sessions, ["session-1", "session-2"], method);
  }
  await served.arrived(({ method, headers }) =>
    method === "GET" && headers.get("mcp-session-id") === "session-2"
  );
  streams.at(-1)?.push(event(JSON.parse(updated({ of: "the next" }))));
  await a.stream.until(({ params }) => params?.of === "the next");
  for (const stream of streams) stream.end();
  await a.send("resources/unsubscribe", { uri: "note://one" });
});

Deno.test("a subscription that a server's end of a stream cut begins again, and one that is not honoured is told as such", async () => {
  const streams: ReturnType<typeof openEvents>[] = [];
  const capabilities = { resources: {} };
  const fixture = serveModern(({ message }) => {
    if (message.method === "resources/list") {
      const resources = [{ uri: "note://one", name: "one" }, { uri: "note://two", name: "two" }];
      return json(result(message, { resultType: "complete", resources, ttlMs: 0, cacheScope: "private" }));
    }
    if (message.method !== "subscriptions/listen") return undefined;
    const { resourceSubscriptions } = message.params.notifications;
    const isHonoured = resourceSubscriptions?.[0] === "note://one";
    const stream = openEvents(event({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: {
        notifications: isHonoured ? { resourceSubscriptions } : {},
        _meta: { "io.modelcontextprotocol/subscriptionId": message.id },
      },
    }));
    if (isHonoured) streams.push(stream);
    return stream.response;
  }, capabilities);
  await using served = fixture;
  await using host = await RawHost.open({ far: { url: served.url, mcpx: { prefix: "none" } } });
  await using listening = await HostStream.listen(
    host,
    '{"resourceSubscriptions":["note://one","note://two","note://one"]}',
  );
  const { params } = await listening.until(({ method }) => method?.endsWith("acknowledged") ?? false);
  assert.deepEqual(params.notifications, { resourceSubscriptions: ["note://one"] });
  streams[0]?.end();
  await listening.until(({ method }) => method === UPDATED);
  assert.equal(streams.length, 2);
  streams[1]?.push(event(JSON.parse(updated({ of: "the next" }))));
  await listening.until(({ params }) => params?.of === "the next");
  const { last } = await (await host.as("2025-06-18"))("resources/subscribe", '{"uri":"note://two"}');
  assert.match(JSON.stringify(last.error), /does not tell of it/);
  await listening[Symbol.asyncDispose]();
});

Deno.test("the end of a page that was to be opened is told to the host that was asked to, once, and to no other", async () => {
  const COMPLETE = "notifications/elicitation/complete";
  await using host = await RawHost.open(speaker());
  await using a = await listener(host, '{"elicitation":{"form":{},"url":{}}}');
  await using b = await listener(host, '{"elicitation":{"form":{},"url":{}}}');
  const params = { mode: "url", message: "Sign in.", url: "https://example.org/", elicitationId: "e1" };
  const page = JSON.stringify({ jsonrpc: "2.0", id: "q1", method: "elicitation/create", params });
  await a.call("before", { lines: [page] });
  const ends = ["e2", "e1", "e1"].map((elicitationId) => line(COMPLETE, { elicitationId, "x-unknown": 1 }));
  await a.call("say", { lines: [...ends, message("last")] });
  await Promise.all([a, b].map(({ stream }) => stream.until(says("last"))));
  assert.deepEqual(a.stream.of(COMPLETE).map((one) => one.params), [{ elicitationId: "e1", "x-unknown": 1 }]);
  assert.deepEqual(b.stream.of(COMPLETE), []);
});

Deno.test("a message that comes while two of a host's requests are open comes once, and before the answer it came before", async () => {
  await using host = await RawHost.open({
    raw: { ...fixtureServer("verbatim.mjs"), mcpx: { prefix: "none" } },
  });
  const { headers } = await host.initialize("2025-06-18");
  await using standing = await HostStream.standing(host, headers);
  const call = (id: number, name: string): string =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, _meta: { progressToken: id } },
    });
  const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const opening = host.http({ method: "POST", body: call(1, "hang"), headers: { ...headers, ...accept } });
  const said = await host.post(call(2, "say"), headers);
  await host.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', headers);
  const hanging = await readAnswer(await opening);
  const messages = said.messages.map((text) => JSON.parse(text) as StreamMessage);
  const others = hanging.messages.map((text) => JSON.parse(text) as StreamMessage);
  const all = [...messages, ...others, ...standing.messages];
  assert.equal(all.filter(({ method }) => method === MESSAGE).length, 1);
  const progress = all.filter(({ method }) => method === "notifications/progress");
  assert.deepEqual(progress.map(({ params }) => params.progressToken), [2]);
  assert.deepEqual(messages.map(({ method, id }) => method ?? id), ["notifications/progress", MESSAGE, 2]);
});

Deno.test("two hundred notices of a changed list within a second are few towards hosts", async () => {
  await using host = await RawHost.open({
    raw: { ...fixtureServer("verbatim.mjs", { LOG: "$ROOT/log" }), mcpx: { prefix: "none" } },
  });
  await using a = await listener(host);
  await using modern = await HostStream.listen(host, '{"toolsListChanged":true,"promptsListChanged":true}');
  await Promise.all(Array.from({ length: 200 }, () => a.call("change").catch(() => "")));
  const isLast = ({ method }: StreamMessage): boolean => method === "notifications/tools/list_changed";
  await Promise.all([a.stream, modern].map((stream) => stream.until(isLast)));
  const readings = async (): Promise<number> =>
    (await host.file("log")).split("\n").filter((one) => one.includes('"method":"tools/list"')).length;
  await eventually(async () => await readings() >= 3, "what was gathered is read");
  await a.send("tools/list", {});
  const count = a.stream.of("notifications/tools/list_changed").length;
  assert.ok(count >= 1 && count <= 3, `${count} notices`);
  assert.ok(await readings() <= 5);
  assert.deepEqual(a.stream.of("notifications/prompts/list_changed"), []);
  assert.deepEqual(modern.of("notifications/prompts/list_changed"), []);
});

Deno.test("in code mode a host hears nothing of what servers say", async () => {
  await using host = await RawHost.open(speaker(), { settings: { "serve.mode": ["code"] } });
  await using a = await listener(host);
  await a.send("tools/call", {
    name: "mcpx_call",
    arguments: { tool: "speaker.say", arguments: { lines: [message("x"), updated()] } },
  });
  host.engine.notices.publish({ type: "lists", servers: [], tools: true, prompts: false, resources: false });
  await a.stream.until(({ method }) => method === "notifications/tools/list_changed");
  assert.deepEqual(a.stream.messages.map(({ method }) => method), ["notifications/tools/list_changed"]);
});
