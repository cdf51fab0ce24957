import assert from "node:assert/strict";
import { HostStream } from "../support/host_stream.ts";
import { type RawAnswer, RawHost } from "../support/mcp_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

type Json = Record<string, unknown>;

/** A legacy host that answers what it is asked on its standing stream. */
interface Host extends AsyncDisposable {
  headers: Record<string, string>;
  stream: HostStream;
  post(message: object): Promise<RawAnswer>;
  call(name: string, args?: object): Promise<string>;
  /** Waits for the nth request of a method and answers it. */
  answer(method: string, nth: number, result: object): Promise<Json>;
}

async function open(host: RawHost, capabilities: string): Promise<Host> {
  const { headers } = await host.initialize("2025-06-18", capabilities);
  const stream = await HostStream.standing(host, headers);
  const post = (message: object): Promise<RawAnswer> =>
    host.post(JSON.stringify({ jsonrpc: "2.0", ...message }), headers);
  let id = 0;
  return {
    headers,
    stream,
    post,
    call: async (name, args = {}) => {
      const { last, text } = await post({
        id: ++id,
        method: "tools/call",
        params: { name, arguments: args },
      });
      const content = (last.result as { content?: [{ text: string }] } | undefined)?.content;
      assert.ok(content, text);
      return content[0].text;
    },
    answer: async (method, nth, result) => {
      await stream.until(() => stream.of(method).length >= nth, method);
      const asked = stream.of(method)[nth - 1];
      await post({ id: asked?.id, result });
      return asked?.params ?? {};
    },
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  };
}

const speaker = (mcpx: object): Record<string, object> => ({
  speaker: { ...fixtureServer("speaker.mjs", { LOG: "$ROOT/log" }), mcpx: { prefix: "none", ...mcpx } },
});

/** Has the server ask for roots, and gives what it was answered. */
async function asksRoots(host: Host, id: string): Promise<() => Promise<Json>> {
  await host.call("say", { lines: [JSON.stringify({ jsonrpc: "2.0", id, method: "roots/list" })] });
  return () =>
    eventually(
      async () => (JSON.parse(await host.call("answers")) as Record<string, Json>)[id],
      "the answer",
    );
}

Deno.test("a server that one session has for itself is told that host's roots, asked once until they change", async () => {
  await using host = await RawHost.open(speaker({ scope: "session" }));
  await using a = await open(host, '{"roots":{"listChanged":true}}');
  await using b = await open(host, "{}");
  const mine = { roots: [{ uri: "file:///mine", name: "mine", "x-unknown": 1 }], _meta: { "x/y": 1 } };
  const first = await asksRoots(a, "r1");
  await a.answer("roots/list", 1, mine);
  assert.deepEqual(await first(), mine);
  assert.deepEqual(await (await asksRoots(a, "r2"))(), mine);
  assert.equal(a.stream.of("roots/list").length, 1);
  // Who has no roots to say gets what mcpx offers.
  const { roots } = await (await asksRoots(b, "r3"))() as { roots: [Json] };
  assert.match(String(roots[0].uri), /mcpx-mcp-/);
  const pid = await a.call("pid");
  await a.post({ method: "notifications/roots/list_changed" });
  const told = async (): Promise<string[]> =>
    (await host.file("log")).split("\n").filter((line) => line.includes("notifications/roots/list_changed"));
  await eventually(async () => (await told()).length > 0, "the server is told");
  assert.deepEqual((await told()).map((line) => line.split(" ")[0]), [pid]);
  const next = await asksRoots(a, "r4");
  await a.answer("roots/list", 2, { roots: [] });
  assert.deepEqual(await next(), { roots: [] });
});

Deno.test("a shared server is told the configuration's folder, whatever its hosts' roots are", async () => {
  await using host = await RawHost.open(speaker({}));
  await using a = await open(host, '{"roots":{}}');
  const { roots } = await (await asksRoots(a, "r1"))() as { roots: [Json] };
  assert.match(String(roots[0].uri), /mcpx-mcp-/);
  await a.post({ method: "notifications/roots/list_changed" });
  await a.call("pid");
  assert.deepEqual(a.stream.of("roots/list"), []);
  assert.doesNotMatch(await host.file("log"), /roots\/list_changed/);
});

Deno.test("a host whose answer to roots/list is an error, or none at all, is taken to have said none", async () => {
  await using host = await RawHost.open(speaker({ scope: "session" }));
  await using a = await open(host, '{"roots":{}}');
  const refused = await asksRoots(a, "r1");
  const { id } = await a.stream.until(({ method }) => method === "roots/list");
  await a.post({ id, error: { code: -32601, message: "no" } });
  assert.match(JSON.stringify(await refused()), /mcpx-mcp-/);
  const odd = await asksRoots(a, "r2");
  await a.answer("roots/list", 2, { roots: "none" });
  assert.match(JSON.stringify(await odd()), /mcpx-mcp-/);
});

Deno.test("the progress that a host makes on an answer reaches the server that asked, under its own token", async () => {
  const verbatim = (name: string): object => fixtureServer("verbatim.mjs", { LOG: `$ROOT/${name}` });
  await using host = await RawHost.open({ one: verbatim("one"), two: verbatim("two") });
  const { headers } = await host.initialize("2025-06-18", '{"elicitation":{}}');
  await host.post('{"jsonrpc":"2.0","id":0,"method":"tools/list"}', headers);
  const params = '{"message":"?","requestedSchema":{},"_meta":{"progressToken":7,"x":1}}';
  const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const asked = await Promise.all(["one", "two"].map(async (name, id) => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: id + 1,
      method: "tools/call",
      params: { name: `${name}_ask`, arguments: { method: "elicitation/create", params } },
    });
    const stream = new HostStream(
      await host.http({ method: "POST", body, headers: { ...headers, ...accept } }),
    );
    return { name, stream, question: await stream.until(({ method }) => method === "elicitation/create") };
  }));
  const tokens = asked.map(({ question }) => (question.params._meta as Json).progressToken);
  assert.equal(new Set(tokens).size, 2);
  assert.equal((asked[0]?.question.params._meta as Json).x, 1);
  const tell = (token: unknown, progress: number): Promise<RawAnswer> =>
    host.post(
      JSON.stringify({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: token, progress, "x-unknown": 1 },
      }),
      headers,
    );
  await tell("nobody's", 9);
  await tell({ odd: 1 }, 9);
  for (const [at, { name, stream, question }] of asked.entries()) {
    await tell(tokens[at], at);
    await host.post(
      JSON.stringify({ jsonrpc: "2.0", id: question.id, result: { action: "decline" } }),
      headers,
    );
    await stream.until(({ result }) => result !== undefined);
    const told = (await host.file(name)).split("\n").filter((line) =>
      line.includes("notifications/progress")
    );
    assert.deepEqual(told.map((line) => JSON.parse(line).params), [
      { progressToken: 7, progress: at, "x-unknown": 1 },
    ]);
    await stream[Symbol.asyncDispose]();
  }
});
