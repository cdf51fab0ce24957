import assert from "node:assert/strict";
import { MODERN, modernRequest, type RawAnswer, RawHost } from "../support/mcp_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];
const META = "io.modelcontextprotocol/";

type Send = (method: string, params?: string, id?: string) => Promise<RawAnswer>;

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

for (const version of VERSIONS) {
  Deno.test(`every capability that is declared in ${version} is delivered`, async () => {
    await using host = await RawHost.open({
      raw: { ...fixtureServer("verbatim.mjs", {}), mcpx: { prefix: "none" } },
    });
    let headers: Record<string, string> = {};
    let capabilities: Record<string, Record<string, unknown>>;
    let send: Send;
    if (version === MODERN) {
      send = await host.as(version);
      capabilities =
        ((await send("server/discover")).last.result as { capabilities: typeof capabilities }).capabilities;
    } else {
      const opened = await host.initialize(version);
      headers = opened.headers;
      capabilities = (opened.answer.last.result as { capabilities: typeof capabilities }).capabilities;
      send = (method, params = "{}", id = "1") =>
        host.post(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`, headers);
    }
    const exercised: string[] = [];
    const works = async (name: string, check: () => Promise<void>): Promise<void> => {
      await check();
      exercised.push(name);
    };
    const filter =
      '{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["note://one"]}';
    await send("tools/list");
    await using events = await listen(host, version, headers, filter);
    await works("tools", async () => {
      assert.match((await send("tools/list")).text, /"name":"echo"/);
      assert.match((await send("tools/call", '{"name":"echo"}')).text, /hologram/);
    });
    await works(
      "prompts",
      async () => assert.match((await send("prompts/get", '{"name":"greet"}')).text, /"messages"/),
    );
    await works("resources", async () => {
      assert.match((await send("resources/read", '{"uri":"note://one"}')).text, /"contents"/);
    });
    if (capabilities.resources?.subscribe) {
      await works("resources.subscribe", async () => {
        if (version !== MODERN) await send("resources/subscribe", '{"uri":"note://one"}');
        await send("tools/call", '{"name":"tell"}');
        await events.until("notifications/resources/updated");
      });
    }
    await works("tools.listChanged", async () => {
      await send("tools/call", '{"name":"change"}');
      await events.until("notifications/tools/list_changed");
      assert.match((await send("tools/list")).text, /"name":"new\d+"/);
    });
    // The other two lists change with the configuration.
    for (const kind of ["prompts", "resources"]) {
      await works(`${kind}.listChanged`, async () => {
        await host.engine.reload();
        await events.until(`notifications/${kind}/list_changed`);
      });
    }
    await works("logging", async () => {
      if (version === MODERN) {
        const quiet = await send("tools/call", '{"name":"say"}');
        assert.doesNotMatch(quiet.text, /notifications\/message/);
        const [body, modern] = modernRequest("tools/call", '{"name":"say"}', {
          meta: `,"${META}logLevel":"error"`,
        });
        assert.doesNotMatch((await host.post(body, modern)).text, /notifications\/message/);
        const [loud, more] = modernRequest("tools/call", '{"name":"say"}', {
          meta: `,"${META}logLevel":"debug"`,
        });
        assert.match((await host.post(loud, more)).text, /notifications\/message/);
      } else {
        assert.equal((await send("logging/setLevel", '{"level":"error"}')).text.includes('error":{'), false);
        assert.doesNotMatch((await send("tools/call", '{"name":"say"}')).text, /notifications\/message/);
        await send("logging/setLevel", '{"level":"debug"}');
        assert.match((await send("tools/call", '{"name":"say"}')).text, /notifications\/message/);
      }
    });
    if (capabilities.completions) {
      await works("completions", async () => {
        const params = '{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""}}';
        assert.match((await send("completion/complete", params)).text, /alpha/);
      });
    }
    const declared = Object.entries(capabilities).flatMap(([name, members]) => [
      name,
      ...Object.keys(members).map((member) => `${name}.${member}`),
    ]);
    assert.deepEqual(declared.sort(), exercised.sort());
    if (version === MODERN) {
      // Every message of a subscription names it.
      const told = events.text.split("\n").filter((line) => line.startsWith("data: "));
      for (const line of told) assert.match(line, /"io\.modelcontextprotocol\/subscriptionId":"sub"/);
      assert.match(told[0] ?? "", /acknowledged/);
    }
  });
}

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
