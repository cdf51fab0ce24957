import assert from "node:assert/strict";
import { MODERN, modernRequest } from "../../support/mcp_host.ts";
import { ServeProcess } from "../../support/serve_process.ts";
import { eventually, fixtureServer, World } from "../../support/world.ts";
import { has, isMessage, type Requirement, requirements } from "./requirement.ts";

type Json = Record<string, unknown>;
type Row = Requirement<Stdio>;

const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const META = "io.modelcontextprotocol/";
const PING = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
const modern = (id: string, method: string, params = "{}"): string =>
  modernRequest(method, params, { id })[0];
const call = (id: string, name: string, args = "{}"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
const cancel = (id: string): string =>
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"no more"}}`;

/** One world, one process of each revision with a handshake, one for both eras, and one that never shook hands. */
class Stdio implements AsyncDisposable {
  readonly world: World;
  readonly legacy: ReadonlyMap<string, ServeProcess>;
  readonly both: ServeProcess;
  readonly bare: ServeProcess;
  #nextId = 100;

  private constructor(world: World, legacy: ReadonlyMap<string, ServeProcess>) {
    this.world = world;
    this.legacy = legacy;
    this.both = new ServeProcess(world);
    this.bare = new ServeProcess(world);
  }

  static async open(): Promise<Stdio> {
    const world = await World.open({});
    const env = { LOG: `${world.root}/raw.log` };
    await world.configure({
      mcpServers: { raw: { ...fixtureServer("scripted.mjs", env), mcpx: { prefix: "none" } } },
    });
    const own = `${world.env.HOME}/.config/mcpx`;
    await Deno.mkdir(own, { recursive: true });
    await Deno.writeTextFile(`${own}/config.json`, '{"http":{"maxBody":"12MiB"}}');
    await world.run(["ls"]);
    const legacy = new Map(LEGACY.map((version) => [version, new ServeProcess(world)]));
    for (const [version, process] of legacy) await process.initialize(version);
    return new Stdio(world, legacy);
  }

  /** The newest revision with a handshake. */
  get newest(): ServeProcess {
    return this.of("2025-11-25");
  }

  of(version: string): ServeProcess {
    const process = this.legacy.get(version);
    if (!process) throw new Error(`no process of ${version}`);
    return process;
  }

  /** An id that was not used yet. */
  id(): string {
    return String(this.#nextId++);
  }

  /** The lines that the server has got of a call with these arguments. */
  async received(text: string): Promise<string> {
    return await eventually(
      async () =>
        (await Deno.readTextFile(`${this.world.root}/raw.log`).catch(() => "")).split("\n").find((line) =>
          line.includes(text)
        ),
      `the server gets ${text}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const process of [...this.legacy.values(), this.both, this.bare]) await process.close();
    await this.world[Symbol.asyncDispose]();
  }
}

/** Sends text and gives what came back until the answer with this id. */
async function exchange(
  process: ServeProcess,
  bytes: string | Uint8Array,
  wanted: string,
): Promise<string[]> {
  const from = process.lines.length;
  await process.write(bytes);
  await process.heard(wanted, from);
  return process.lines.slice(from);
}

const FRAMING: Row[] = [
  ...LEGACY.map((version): Row => ({
    section: `${version} basic/lifecycle, Version Negotiation`,
    says: "the revision is answered with itself",
    check: async (stdio) => {
      const process = stdio.of(version);
      has(JSON.parse(process.lines[0] ?? ""), { id: "init", result: { protocolVersion: version } });
      has(JSON.parse(await process.ask(stdio.id(), "tools/list")), { result: { tools: /"name":"give"/ } });
    },
  })),
  ...LEGACY.map((version): Row => ({
    section: version === "2025-03-26" ? "2025-03-26 basic/transports, stdio" : `${version} basic/transports`,
    says: version === "2025-03-26"
      ? "a batch is answered by one line with a list, without the members that want no answer"
      : "the revision has no batches: one is refused in one line, and the next line is served",
    check: async (stdio) => {
      const process = stdio.of(version);
      const [one, two, after] = [stdio.id(), stdio.id(), stdio.id()];
      const batch = `[${PING(one)},{"jsonrpc":"2.0","method":"notifications/whatever"},${PING(two)}]`;
      const wanted = version === "2025-03-26" ? `"id":${two}` : "-32600";
      const [line = "", ...more] = await exchange(process, `${batch}\n`, wanted);
      assert.deepEqual(more, []);
      if (version === "2025-03-26") {
        has((JSON.parse(line) as Json[]).map(({ id }) => id).sort(), [Number(one), Number(two)].sort());
      } else {
        has(JSON.parse(line), { error: { code: -32600 } });
      }
      assert.equal(await process.ask(after, "ping"), `{"jsonrpc":"2.0","id":${after},"result":{}}`);
    },
  })),
  {
    section: "2025-03-26 basic/transports, stdio",
    says: "a batch of notifications alone gets no line, an empty or broken one an error",
    check: async (stdio) => {
      const process = stdio.of("2025-03-26");
      const id = stdio.id();
      await process.say('[{"jsonrpc":"2.0","method":"notifications/whatever"}]');
      const [empty] = await exchange(process, "[]\n", "-32600");
      has(JSON.parse(empty ?? ""), { error: { code: -32600 } });
      const [bad] = await exchange(process, `[7,${PING(id)}]\n`, `"id":${id}`);
      has((JSON.parse(bad ?? "") as Json[]).find(({ error }) => error !== undefined), {
        error: { code: -32600 },
      });
    },
  },
  {
    section: "basic/transports, stdio",
    says: "messages are delimited by newlines: many in one piece are all served",
    check: async (stdio) => {
      const process = stdio.newest;
      const ids = Array.from({ length: 400 }, () => stdio.id());
      const from = process.lines.length;
      await process.say(...ids.map(PING));
      for (const id of ids) await process.heard(`"id":${id},`, from);
      assert.equal(process.lines.length - from, ids.length);
    },
  },
  {
    section: "basic/transports, stdio",
    says: "one message in many pieces is one message, whatever bytes the pieces end at",
    check: async (stdio) => {
      const id = stdio.id();
      const bytes = new TextEncoder().encode(call(id, "give", '{"which":"é😀\\u0000"}') + "\n");
      const process = stdio.newest;
      const from = process.lines.length;
      for (const byte of bytes) await process.write(new Uint8Array([byte]));
      await process.heard(`"id":${id},`, from);
      await stdio.received("é😀");
    },
  },
  {
    section: "basic/transports, stdio",
    says: "a carriage return before the newline, and lines without anything, are tolerated",
    check: async (stdio) => {
      const id = stdio.id();
      const lines = await exchange(stdio.newest, `\r\n\n  \n${PING(id)}\r\n`, `"id":${id},`);
      assert.deepEqual(lines, [`{"jsonrpc":"2.0","id":${id},"result":{}}`]);
    },
  },
  {
    section: "basic/transports, stdio",
    says: "a message of eight mebibytes is carried to the server and back, in one line",
    check: async (stdio) => {
      const id = stdio.id();
      const text = "x".repeat(8 * 1024 * 1024);
      const result = JSON.stringify(JSON.stringify({ content: [{ type: "text", text }] }));
      const [line = ""] = await exchange(
        stdio.newest,
        `${call(id, "give", `{"result":${result}}`)}\n`,
        `"id":${id},`,
      );
      assert.ok(line.length > text.length && line.includes(text));
    },
  },
  {
    section: "basic/transports, stdio",
    says: "a line beyond http.maxBody is refused with its id, and the next one is served",
    check: async (stdio) => {
      const [id, after] = [stdio.id(), stdio.id()];
      const filler = "x".repeat(13 * 1024 * 1024);
      const lines = await exchange(
        stdio.newest,
        `${call(id, "give", `{"a":"${filler}"}`)}\n${PING(after)}\n`,
        `"id":${after},`,
      );
      has(JSON.parse(lines[0] ?? ""), {
        id: Number(id),
        error: { code: -32600, message: /http\.maxBody \(12582912 bytes\)/ },
      });
    },
  },
  {
    section: "basic/transports, stdio",
    says: "messages must not have newlines in them: what a server prettified is one line to the host",
    check: async (stdio) => {
      const id = stdio.id();
      const result = JSON.stringify('{"content":[{"type":"text","text":"a\\nb\\u2028c"}]}');
      const [line = ""] = await exchange(
        stdio.newest,
        `${call(id, "give", `{"result":${result}}`)}\n`,
        `"id":${id},`,
      );
      has(JSON.parse(line), { result: { content: [{ text: "a\nb\u2028c" }] } });
    },
  },
  {
    section: "basic/transports: messages are UTF-8",
    says:
      "a line that is no UTF-8, no JSON or no message is answered with an error, and the next one is served",
    check: async (stdio) => {
      const process = stdio.newest;
      for (
        const [bytes, code] of [
          [new Uint8Array([0x22, 0xff, 0xfe, 0x22, 10]), -32700],
          ["{nope\n", -32700],
          ["\u0000\n", -32700],
          ["7\n", -32600],
          ["null\n", -32600],
          ['"ping"\n', -32600],
          ["{}\n", -32600],
          ['{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600],
          ['{"jsonrpc":"2.0","id":{},"method":"ping"}\n', -32600],
          ['{"jsonrpc":"1.0","id":1,"method":"ping"}\n', -32600],
          ['{"jsonrpc":"2.0","id":"m","method":7}\n', -32600],
        ] as const
      ) {
        const [line = ""] = await exchange(process, bytes, `"code":${code}`);
        has(JSON.parse(line), { error: { code } });
        const id = stdio.id();
        assert.equal(await process.ask(id, "ping"), `{"jsonrpc":"2.0","id":${id},"result":{}}`);
      }
    },
  },
  {
    section: "basic, Notifications",
    says: "notifications and stray responses get no line",
    check: async (stdio) => {
      const id = stdio.id();
      const lines = await exchange(
        stdio.newest,
        [
          '{"jsonrpc":"2.0","method":"notifications/whatever"}',
          '{"jsonrpc":"2.0","method":"notifications/initialized"}',
          '{"jsonrpc":"2.0","id":"nobody","result":{}}',
          cancel('"nobody"'),
          '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
          PING(id),
          "",
        ].join("\n"),
        `"id":${id},`,
      );
      assert.equal(lines.length, 1, lines.join("\n"));
    },
  },
];

const REQUESTS: Row[] = [
  {
    section: "basic/utilities/ping",
    says: "a ping is answered before initialize",
    check: async ({ bare }) =>
      assert.equal(await bare.ask('"early"', "ping"), '{"jsonrpc":"2.0","id":"early","result":{}}'),
  },
  {
    section: "basic/lifecycle, Initialization",
    says: "nothing else is served before initialize without an envelope",
    check: async ({ bare }) =>
      has(JSON.parse(await bare.ask('"list"', "tools/list")), { error: { code: -32600 } }),
  },
  {
    section: "basic/lifecycle, Initialization",
    says: "initialize is not taken twice, and the session goes on",
    check: async (stdio) => {
      const again = await stdio.newest.ask(
        '"again"',
        "initialize",
        '{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{}}',
      );
      has(JSON.parse(again), { error: { code: -32600 } });
      const id = stdio.id();
      has(JSON.parse(await stdio.newest.ask(id, "tools/list")), { result: {} });
    },
  },
  ...LEGACY.map((version): Row => ({
    section: `${version} basic/utilities/cancellation`,
    says: "a cancelled request gets no line, the server is told, and other requests go on meanwhile",
    check: async (stdio) => {
      const process = stdio.of(version);
      const [id, other, after] = [stdio.id(), stdio.id(), stdio.id()];
      const from = process.lines.length;
      await process.say(call(id, "late", `{"which":"${version}"}`));
      const sent = JSON.parse(await stdio.received(`{"which":"${version}"}`)) as Json;
      await process.ask(other, "tools/call", '{"name":"give"}');
      await process.say(cancel(id));
      await stdio.received(`"method":"notifications/cancelled","params":{"requestId":${String(sent.id)},`);
      await process.ask(after, "tools/call", '{"name":"give"}');
      assert.equal(process.lines.slice(from).some((line) => line.includes(`"id":${id},`)), false);
    },
  })),
  {
    section: "basic/utilities/cancellation, Timing Considerations",
    says: "a cancellation right behind its request cancels it, however the two travel",
    check: async (stdio) => {
      const process = stdio.newest;
      const from = process.lines.length;
      const ids = Array.from({ length: 40 }, () => stdio.id());
      await process.say(...ids.flatMap((id) => [call(id, "hang"), cancel(id)]));
      const after = stdio.id();
      await process.ask(after, "ping");
      // Whatever was not cancelled would still run: the process could not end in good order.
      assert.equal(process.lines.length - from, 1);
      await eventually(async () => {
        const { active } = await (await stdio.world.http("/v1/status")).json() as { active: number };
        return active === 1; // the question itself
      }, "nothing runs any more");
    },
  },
  {
    section: "basic/utilities/progress",
    says: "progress comes before its answer, in its request's own token, and stops with it",
    check: async (stdio) => {
      const id = stdio.id();
      const lines = await exchange(
        stdio.newest,
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"progress","arguments":{"values":[1,2],"after":[9]},"_meta":{"progressToken":"p"}}}\n`,
        `"id":${id},`,
      );
      const told = lines.filter((line) => line.includes("notifications/progress"));
      has(told.map((line) => JSON.parse(line) as Json), [
        { params: { progressToken: "p", progress: 1 } },
        { params: { progressToken: "p", progress: 2 } },
      ]);
      assert.ok(lines.at(-1)?.includes(`"id":${id},`));
    },
  },
];

const ERAS: Row[] = [
  {
    section: `${MODERN} basic/versioning, Backward Compatibility`,
    says: "server/discover is answered, and initialize after it all the same",
    check: async ({ both }) => {
      await both.say(modern('"probe"', "server/discover"));
      has(JSON.parse(await both.heard('"id":"probe",')), { result: { supportedVersions: [MODERN] } });
      has(JSON.parse(await both.initialize("2025-06-18")), { result: { protocolVersion: "2025-06-18" } });
      has(JSON.parse(await both.ask('"l"', "tools/list")), { result: { resultType: undefined } });
    },
  },
  {
    section: `${MODERN} basic/versioning, Backward Compatibility`,
    says: "after initialize a request with an envelope is served statelessly, beside those of the session",
    check: async ({ both }) => {
      await both.say(modern('"m"', "tools/list"), PING('"p"'), modern('"mp"', "ping"));
      has(JSON.parse(await both.heard('"id":"m",')), { result: { resultType: "complete" } });
      has(JSON.parse(await both.heard('"id":"p",')), { result: {} });
      has(JSON.parse(await both.heard('"id":"mp",')), { error: { code: -32601 } });
    },
  },
  ...["2099-01-01", "2025-11-25", "２０２６"].map((version): Row => ({
    section: `${MODERN} basic/versioning, Protocol Version Negotiation`,
    says: `a version that is not served without a handshake is -32022, with those that are: ${version}`,
    check: async ({ both, bare }) => {
      for (const process of [both, bare]) {
        const id = JSON.stringify(`v ${version}`);
        await process.say(modern(id, "tools/list").replace(MODERN, version));
        has(JSON.parse(await process.heard(`"id":${id},`)), {
          error: { code: -32022, data: { supported: [MODERN], requested: version } },
        });
      }
    },
  })),
  {
    section: `${MODERN} transports/stdio`,
    says: "the modern era is served by a process that never shook hands, also a second message at once",
    check: async ({ bare }) => {
      await bare.say(modern('"1"', "tools/list"), modern('"2"', "tools/call", '{"name":"give"}'));
      has(JSON.parse(await bare.heard('"id":"1",')), { result: { resultType: "complete" } });
      has(JSON.parse(await bare.heard('"id":"2",')), { result: { resultType: "complete" } });
    },
  },
  {
    section: `${MODERN} transports/stdio, Cancellation`,
    says: "a cancelled request gets no further message, and the server is told",
    check: async (stdio) => {
      const { bare } = stdio;
      await bare.say(modern('"late"', "tools/call", '{"name":"late","arguments":{"which":"modern"}}'));
      const sent = JSON.parse(await stdio.received('{"which":"modern"}')) as Json;
      await bare.say(cancel('"late"'));
      await stdio.received(`"method":"notifications/cancelled","params":{"requestId":${String(sent.id)},`);
      await bare.say(modern('"after"', "tools/call", '{"name":"give"}'));
      await bare.heard('"id":"after",');
      assert.equal(bare.lines.some((line) => line.includes('"id":"late"')), false);
    },
  },
  {
    section: `${MODERN} transports/stdio, Receiving Messages`,
    says: "several subscriptions share the channel, each message names its own, and cancelling ends one",
    check: async ({ bare }) => {
      const listen = (id: string): string =>
        modern(id, "subscriptions/listen", '{"notifications":{"resourceSubscriptions":["note://one"]}}');
      await bare.say(listen('"s1"'), listen('"s2"'));
      for (const id of ["s1", "s2"]) await bare.heard(`"${META}subscriptionId":"${id}"`);
      const updated = JSON.stringify(
        '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note://one"}}',
      );
      const tell = (id: string): string =>
        modern(id, "tools/call", `{"name":"say","arguments":{"lines":[${updated}]}}`);
      const told = (id: string): number =>
        bare.lines.filter((line) =>
          line.includes("resources/updated") && line.includes(`"${META}subscriptionId":"${id}"`)
        ).length;
      await bare.say(tell('"t1"'));
      await eventually(() => Promise.resolve(told("s1") === 1 && told("s2") === 1), "both are told");
      await bare.say(cancel('"s1"'), tell('"t2"'));
      await eventually(() => Promise.resolve(told("s2") === 2), "the other one is told");
      assert.equal(told("s1"), 1);
      await bare.say(cancel('"s2"'));
    },
  },
  {
    section: `${MODERN} transports/stdio, Receiving Messages`,
    says: "no requests are written: what a server asks becomes the result",
    check: async ({ bare }) => {
      const line =
        '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}';
      const params = JSON.stringify({ name: "say", arguments: { lines: [line], answers: 1 } });
      await bare.say(
        modernRequest("tools/call", params, { id: '"ask"', capabilities: '{"elicitation":{}}' })[0],
      );
      has(JSON.parse(await bare.heard('"id":"ask",')), { result: { resultType: "input_required" } });
    },
  },
];

/** The last rows: they end the processes. */
const ENDS: Row[] = [
  {
    section: "basic/transports, stdio",
    says: "nothing was written to stdout that is no message, and each in one line",
    check: ({ legacy, both, bare }) => {
      for (const { lines } of [...legacy.values(), both, bare]) {
        for (const line of lines) isMessage(line);
      }
    },
  },
  {
    section: "basic/lifecycle, Shutdown",
    says: "a closed stdin ends the process in good order, after the answers that are due",
    check: async (stdio) => {
      const process = stdio.of("2024-11-05");
      const id = stdio.id();
      await process.say(call(id, "give"));
      assert.equal(await process.close(), 0);
      has(JSON.parse(process.lines.at(-1) ?? ""), { id: Number(id), result: {} });
      assert.equal(await stdio.bare.close(), 0);
    },
  },
  {
    section: "basic/lifecycle, Shutdown",
    says: "SIGTERM ends it at once, also while a request runs, which the server is told",
    check: async (stdio) => {
      const process = new ServeProcess(stdio.world);
      await process.initialize("2025-06-18");
      await process.say(call("1", "hang", '{"which":"at the end"}'));
      const sent = JSON.parse(await stdio.received('{"which":"at the end"}')) as Json;
      const status = await process.kill("SIGTERM");
      assert.equal(status.signal, null);
      await stdio.received(`"method":"notifications/cancelled","params":{"requestId":${String(sent.id)},`);
    },
  },
];

requirements("the stdio transport", () => Stdio.open(), [
  { of: "a server", rows: [...FRAMING, ...REQUESTS, ...ERAS, ...ENDS] },
]);
