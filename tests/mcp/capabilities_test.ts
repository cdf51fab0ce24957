import assert from "node:assert/strict";
import { MODERN, modernRequest, type RawAnswer, RawHost } from "../support/mcp_host.ts";
import { type Capabilities, walkCapabilities, type WalkingHost } from "../support/capability_walk.ts";
import { ServeProcess } from "../support/serve_process.ts";
import { eventually, fixtureServer, World } from "../support/world.ts";

const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];
const META = "io.modelcontextprotocol/";

/** A stream that is read as it comes. */
class Events implements AsyncDisposable {
  text = "";
  readonly #reader: ReadableStreamDefaultReader<string> | undefined;

  constructor(response: Response) {
    this.#reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Reads until the text has come. */
  async until(wanted: string): Promise<void> {
    while (!this.text.includes(wanted)) {
      const read = await this.#reader?.read();
      if (!read || read.done) throw new Error(`the stream ended before ${wanted}: ${this.text}`);
      this.text += read.value;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader?.cancel();
  }
}

/** The stream on which a host of a revision hears of changes. */
async function listen(
  host: RawHost,
  version: string,
  headers: Record<string, string>,
  filter: string,
): Promise<Events> {
  if (version !== MODERN) {
    return new Events(await host.http({ headers: { ...headers, accept: "text/event-stream" } }));
  }
  const [body, modern] = modernRequest("subscriptions/listen", `{"notifications":${filter}}`, {
    id: '"sub"',
  });
  const events = new Events(
    await host.http({
      method: "POST",
      body,
      headers: {
        ...modern,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    }),
  );
  await events.until("notifications/subscriptions/acknowledged");
  return events;
}

const CONFIG = { raw: { ...fixtureServer("verbatim.mjs", {}), mcpx: { prefix: "none" } } };

/** A host over HTTP. */
class HttpWalker implements WalkingHost {
  readonly version: string;
  readonly #host: RawHost;
  #headers: Record<string, string> = {};
  #events: Events | undefined;

  constructor(host: RawHost, version: string) {
    this.#host = host;
    this.version = version;
  }

  async begin(): Promise<Capabilities> {
    if (this.version === MODERN) return capabilitiesIn(await this.send("server/discover"));
    const { headers, answer } = await this.#host.initialize(this.version);
    this.#headers = headers;
    return capabilitiesIn(answer.text);
  }

  async send(method: string, given?: string, logLevel?: string): Promise<string> {
    const params = given ?? "{}";
    const meta = logLevel === undefined ? "" : `,"${META}logLevel":"${logLevel}"`;
    const [body, headers] = this.version === MODERN
      ? modernRequest(method, params, { meta })
      : [`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`, this.#headers];
    return (await this.#host.post(body, headers)).text;
  }

  async listen(filter: string): Promise<void> {
    this.#events = await listen(this.#host, this.version, this.#headers, filter);
  }

  async heard(text: string): Promise<void> {
    await this.#events?.until(text);
  }

  told(): string[] {
    return this.#events?.text.split("\n").filter((line) => line.startsWith("data: ")) ?? [];
  }

  async reload(): Promise<void> {
    await this.#host.engine.reload();
  }

  async end(): Promise<void> {
    await this.#events?.[Symbol.asyncDispose]();
  }
}

/** A host over stdio, where everything comes on one channel. */
class StdioWalker implements WalkingHost {
  readonly version: string;
  readonly #world: World;
  readonly #serve: ServeProcess;
  #nextId = 1;

  constructor(world: World, serve: ServeProcess, version: string) {
    this.#world = world;
    this.#serve = serve;
    this.version = version;
  }

  async begin(): Promise<Capabilities> {
    const answer = this.version === MODERN
      ? await this.send("server/discover")
      : await this.#serve.initialize(this.version);
    return capabilitiesIn(answer);
  }

  async send(method: string, given?: string, logLevel?: string): Promise<string> {
    const params = given ?? "{}";
    const id = String(this.#nextId++);
    const meta = logLevel === undefined ? "" : `,"${META}logLevel":"${logLevel}"`;
    const from = this.#serve.lines.length;
    await this.#serve.say(
      this.version === MODERN
        ? modernRequest(method, params, { id, meta })[0]
        : `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`,
    );
    await this.#serve.heard(`"id":${id},`, from);
    return this.#serve.lines.slice(from).filter((line) => !line.includes("notifications/tools/")).join("\n");
  }

  async listen(filter: string): Promise<void> {
    if (this.version !== MODERN) return;
    const [line] = modernRequest("subscriptions/listen", `{"notifications":${filter}}`, { id: '"sub"' });
    await this.#serve.say(line);
    await this.#serve.heard("notifications/subscriptions/acknowledged");
  }

  async heard(text: string): Promise<void> {
    await this.#serve.heard(text);
  }

  told(): string[] {
    return this.#serve.lines.filter((line) =>
      /"method":"notifications\/(subscriptions|resources|tools|prompts)\//.test(line)
    );
  }

  async reload(): Promise<void> {
    assert.equal((await this.#world.http("/v1/reload", { method: "POST", body: "{}" })).status, 200);
  }
}

function capabilitiesIn(answer: string): Capabilities {
  return (JSON.parse(answer) as { result: { capabilities: Capabilities } }).result.capabilities;
}

for (const version of VERSIONS) {
  Deno.test(`every capability that is declared in ${version} is delivered over HTTP`, async () => {
    await using host = await RawHost.open(CONFIG);
    const walker = new HttpWalker(host, version);
    try {
      await walkCapabilities(walker);
    } finally {
      await walker.end();
    }
  });
}

Deno.test("every capability that is declared over stdio is delivered there, in every revision", async (t) => {
  await using world = await World.open({ mcpServers: CONFIG });
  for (const version of VERSIONS) {
    await t.step(version, async () => {
      await using serve = new ServeProcess(world);
      await walkCapabilities(new StdioWalker(world, serve, version));
    });
  }
});

Deno.test("what cannot be watched is missing from a subscription's acknowledgement, and only what was asked for is told", async () => {
  await using host = await RawHost.open({ raw: fixtureServer("verbatim.mjs", {}) });
  const send = await host.as(MODERN);
  await send("tools/list");
  await using events = await listen(
    host,
    MODERN,
    {},
    '{"promptsListChanged":true,"resourceSubscriptions":["mcpx://raw/note://one","mcpx://nobody/x"]}',
  );
  assert.match(
    events.text,
    /"notifications":\{"promptsListChanged":true,"resourceSubscriptions":\["mcpx:\/\/raw\/note:\/\/one"\]\}/,
  );
  await send("tools/call", '{"name":"raw_change"}');
  await send("tools/call", '{"name":"raw_tell"}');
  await events.until('"uri":"mcpx://raw/note://one"');
  assert.doesNotMatch(events.text, /tools\/list_changed/);
});

Deno.test("a subscription ends with an empty result that names it when the daemon stops", async () => {
  const host = await RawHost.open({ raw: fixtureServer("verbatim.mjs", {}) });
  const events = await listen(host, MODERN, {}, '{"toolsListChanged":true}');
  const ended = events.until('"result":{"resultType":"complete"');
  await host[Symbol.asyncDispose]();
  await ended;
  await events[Symbol.asyncDispose]();
});

Deno.test("an unsubscribed resource is told of no more, and its instance is let go", async () => {
  await using host = await RawHost.open({
    raw: { ...fixtureServer("verbatim.mjs", { LOG: "$ROOT/log" }), mcpx: { prefix: "none" } },
  });
  const { headers } = await host.initialize("2025-11-25");
  const send = (method: string, params: string): Promise<RawAnswer> =>
    host.post(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`, headers);
  await send("resources/subscribe", '{"uri":"note://one"}');
  const isIdle = (): boolean => host.engine.pool.status()[0]?.idleSince !== undefined;
  assert.equal(isIdle(), false);
  await send("resources/unsubscribe", '{"uri":"note://one"}');
  await eventually(() => Promise.resolve(isIdle()), "the instance is kept no longer");
  assert.match(await host.file("log"), /resources\/unsubscribe/);
});

Deno.test("a host is told of changes in what it sees, and of no others", async () => {
  await using host = await RawHost.open({
    raw: { ...fixtureServer("verbatim.mjs", {}), mcpx: { groups: ["one"] } },
  });
  const open = async (settings: Record<string, unknown>): Promise<Events> => {
    const header = { "x-mcpx-settings": JSON.stringify(settings) };
    const [body, headers] = modernRequest(
      "subscriptions/listen",
      '{"notifications":{"toolsListChanged":true,"promptsListChanged":true}}',
    );
    const all = { ...headers, ...header, "content-type": "application/json", accept: "text/event-stream" };
    const events = new Events(await host.http({ method: "POST", body, headers: all }));
    await events.until("acknowledged");
    return events;
  };
  const send = await host.as(MODERN);
  await send("tools/list");
  await using told = await open({});
  await using code = await open({ "serve.mode": ["code"] });
  await using other = await open({ "servers.groups": ["two"] });
  await send("tools/call", '{"name":"raw_change"}');
  await told.until("tools/list_changed");
  host.engine.notices.publish({ type: "lists", servers: [], tools: true, prompts: false, resources: false });
  host.engine.notices.publish({ type: "lists", servers: [], tools: false, prompts: true, resources: false });
  for (const events of [code, other]) {
    await events.until("prompts/list_changed");
    assert.equal(events.text.split("tools/list_changed").length - 1, 1);
  }
});
