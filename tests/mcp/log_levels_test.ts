import assert from "node:assert/strict";
import { modernRequest, type RawAnswer, RawHost } from "../support/mcp_host.ts";
import { HostStream } from "../support/host_stream.ts";
import { eventually, fixtureServer } from "../support/world.ts";

const NOTICE = "notifications/message";
const LEVELS = ["debug", "info", "warning", "error"];

function speaker(mcpx: object = {}, env: Record<string, string> = {}): Record<string, object> {
  const server = fixtureServer("speaker.mjs", { LOG: "$ROOT/log", ...env });
  return { speaker: { ...server, mcpx: { prefix: "none", ...mcpx } } };
}

interface Session {
  headers: Record<string, string>;
  send(method: string, params: object): Promise<RawAnswer>;
  level(level: string): Promise<void>;
  say(...levels: string[]): Promise<void>;
  end(): Promise<void>;
}

async function session(host: RawHost): Promise<Session> {
  const { headers } = await host.initialize("2025-06-18");
  let id = 0;
  const send = (method: string, params: object): Promise<RawAnswer> =>
    host.post(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }), headers);
  return {
    headers,
    send,
    level: async (level) => assert.deepEqual((await send("logging/setLevel", { level })).last.result, {}),
    say: async (...levels) => {
      const lines = levels.map((level) =>
        JSON.stringify({ jsonrpc: "2.0", method: NOTICE, params: { level, data: level } })
      );
      await send("tools/call", { name: "say", arguments: { lines } });
    },
    end: async () => {
      await (await host.http({ method: "DELETE", headers })).body?.cancel();
    },
  };
}

/** The levels that the server was told, in order, each with whether it was the first process or a later one. */
async function told(host: RawHost): Promise<string[]> {
  const text = await host.file("log").catch(() => "");
  return [...text.matchAll(/"method":"logging\/setLevel","params":\{"level":"(\w+)"/g)].map(([, level]) =>
    level ?? ""
  );
}

Deno.test("a shared server says as much as the most curious of its hosts wants, and each hears its own level", async () => {
  await using host = await RawHost.open(speaker());
  const a = await session(host);
  await a.say();
  assert.deepEqual(await told(host), []);
  await a.level("error");
  await eventually(async () => (await told(host)).length === 1, "the server is told");
  const b = await session(host);
  // Who has not said a word hears what is usual.
  await eventually(async () => (await told(host)).at(-1) === "info", "the newcomer counts");
  await b.level("debug");
  await eventually(async () => (await told(host)).at(-1) === "debug", "the most curious wins");
  await a.level("warning");
  await using hearsA = await HostStream.standing(host, a.headers);
  await using hearsB = await HostStream.standing(host, b.headers);
  await a.say(...LEVELS);
  const last = ({ params }: { params?: Record<string, unknown> }): boolean => params?.data === "error";
  await Promise.all([hearsA, hearsB].map((stream) => stream.until(last)));
  assert.deepEqual(hearsA.of(NOTICE).map(({ params }) => params.data), ["warning", "error"]);
  assert.deepEqual(hearsB.of(NOTICE).map(({ params }) => params.data), LEVELS);
  await b.end();
  await eventually(async () => (await told(host)).at(-1) === "warning", "who has gone wants nothing");
  assert.deepEqual(await told(host), ["error", "info", "debug", "warning"]);
  await a.end();
  await eventually(async () => (await told(host)).at(-1) === "info", "what is usual");
});

Deno.test("an instance that starts later is told before its first call, and another scope's is its own host's", async () => {
  await using host = await RawHost.open(speaker({ scope: "session" }));
  const [a, b] = [await session(host), await session(host)];
  await a.level("debug");
  await b.level("error");
  for (const { send } of [a, b]) {
    const { last } = await send("tools/call", { name: "log", arguments: {} });
    const lines = JSON.parse((last.result as { content: [{ text: string }] }).content[0].text) as string[];
    const methods = lines.map((line) => JSON.parse(line)).filter(({ id }) => id !== undefined);
    const [at, call] = ["logging/setLevel", "tools/call"].map((name) =>
      methods.findIndex(({ method }) => method === name)
    );
    assert.ok(at !== undefined && call !== undefined && at >= 0 && at < call, lines.join("\n"));
    assert.equal(methods[at]?.params.level, send === a.send ? "debug" : "error");
    assert.equal(methods.filter(({ method }) => method === "logging/setLevel").length, 1);
  }
  const [pid] = (await host.file("log")).split(" ");
  Deno.kill(Number(pid), "SIGKILL");
  await eventually(() => Promise.resolve(host.engine.pool.status().length === 1), "it is gone");
  await a.say();
  await eventually(async () => (await told(host)).length === 3, "the next instance is told too");
});

Deno.test("a server without the capability is not asked, and a host in code mode asks none", async () => {
  await using plain = await RawHost.open(speaker({}, { NOLOGGING: "1" }));
  const a = await session(plain);
  await a.say();
  await a.level("debug");
  await a.say();
  assert.deepEqual(await told(plain), []);
  await using code = await RawHost.open(speaker(), { settings: { "serve.mode": ["code"] } });
  const b = await session(code);
  await b.level("debug");
  await b.send("tools/call", { name: "mcpx_call", arguments: { tool: "speaker.pid" } });
  assert.deepEqual(await told(code), []);
});

Deno.test("a modern host's request has a legacy server say as much as it wants, for as long as it runs", async () => {
  await using host = await RawHost.open(speaker());
  const [body, headers] = modernRequest(
    "tools/call",
    `{"name":"before","arguments":{"lines":${
      JSON.stringify(LEVELS.map((level) =>
        JSON.stringify({ jsonrpc: "2.0", method: NOTICE, params: { level, data: level } })
      ))
    }}}`,
    { meta: ',"io.modelcontextprotocol/logLevel":"debug"' },
  );
  const { messages } = await host.post(body, headers);
  assert.deepEqual(messages.slice(0, -1).map((text) => JSON.parse(text).params.data), LEVELS);
  await eventually(async () => (await told(host)).length === 2, "it is told what is usual again");
  assert.deepEqual(await told(host), ["debug", "info"]);
  const [silent, silentHeaders] = modernRequest("tools/call", '{"name":"pid"}');
  assert.equal((await host.post(silent, silentHeaders)).messages.length, 1);
  assert.deepEqual(await told(host), ["debug", "info"]);
});
