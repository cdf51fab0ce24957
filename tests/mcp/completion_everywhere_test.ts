import assert from "node:assert/strict";
import { DaemonHost } from "../support/daemon_host.ts";
import { MODERN, modernRequest } from "../support/mcp_host.ts";
import { eventually, fixtureServer, realServer, type World } from "../support/world.ts";

const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];
const VALUES = Array.from({ length: 250 }, (_, at) => `v${at}`);

type Json = Record<string, unknown>;

interface Completion {
  values: string[];
  total?: number;
  hasMore?: boolean;
}

/** A host of one revision on one transport. */
interface Host {
  version: string;
  send(method: string, params?: string): Promise<Json>;
}

const answering = (answer: string, env: Record<string, string> = {}): object =>
  fixtureServer("verbatim.mjs", { PLAN: JSON.stringify({ "completion/complete": answer }), ...env });

const SERVERS: Record<string, object> = {
  everything: realServer("@modelcontextprotocol/server-everything"),
  raw: fixtureServer("verbatim.mjs", { LOG: "$ROOT/raw" }),
  modern: fixtureServer("verbatim.mjs", { ERA: "modern" }),
  old: fixtureServer("verbatim.mjs", { VERSION: "2024-11-05", LOG: "$ROOT/old" }),
  refusing: answering('{"error":{"code":-32601,"message":"no"}}', {
    VERSION: "2024-11-05",
    LOG: "$ROOT/refusing",
  }),
  undeclared: fixtureServer("verbatim.mjs", { NOCOMPLETE: "1", LOG: "$ROOT/undeclared" }),
  many: answering(JSON.stringify({ completion: { values: VALUES, hasMore: false } })),
  counted: answering('{"completion":{"values":["a"],"total":4000,"hasMore":true}}'),
  asking: answering('{"resultType":"input_required","inputRequests":{},"requestState":"s"}', {
    ERA: "modern",
  }),
};

/** What every host sees, whatever its revision and transport. */
interface Scene {
  daemon: DaemonHost;
  host: Host;
  /** A namespace that nobody else uses. */
  fresh: string;
  /** Completes an argument, and gives the result. */
  complete(ref: Json, argument?: Json, rest?: Json): Promise<Json & { completion: Completion }>;
  /** The code of the error that a request is answered with. */
  codeOf(params: Json): Promise<unknown>;
  /** What a server got of completion/complete. */
  asked(server: string): Promise<string[]>;
}

const prompt = (name: string, more: Json = {}): Json => ({ type: "ref/prompt", name, ...more });
const resource = (uri: string): Json => ({ type: "ref/resource", uri });
const WHO = { name: "who", value: "" };
const MADE_UP = { "dev.mcpx/source": "cache" };

/** The points of completion, by their ids. */
const POINTS: { id: string; says: string; check(scene: Scene): Promise<void> }[] = [
  {
    id: "CMP-01",
    says: "answered, and declared where the revision can; a server that cannot declare it is tried once",
    check: async ({ host, complete, asked }) => {
      const opening = host.version === MODERN
        ? await host.send("server/discover")
        : await host.send("initialize");
      const { capabilities } = opening.result as { capabilities: Json };
      assert.equal(capabilities.completions !== undefined, host.version !== "2024-11-05");
      assert.deepEqual((await complete(prompt("raw_greet"))).completion.values, ["alpha", "beta"]);
      assert.deepEqual((await complete(prompt("old_greet"))).completion.values, ["alpha", "beta"]);
      for (let time = 0; time < 2; time++) {
        const { completion, _meta } = await complete(prompt("refusing_greet"));
        assert.deepEqual([completion, _meta], [{ values: [], total: 0, hasMore: false }, MADE_UP]);
      }
      assert.equal((await asked("refusing")).length, 1);
    },
  },
  {
    id: "CMP-02",
    says: "a server that did not declare it is not asked",
    check: async ({ complete, asked }) => {
      const { completion, _meta } = await complete(prompt("undeclared_greet"));
      assert.deepEqual([completion, _meta], [{ values: [], total: 0, hasMore: false }, MADE_UP]);
      assert.equal((await asked("undeclared")).length, 0);
    },
  },
  {
    id: "CMP-03",
    says: "references are prompts and resources; anything else is -32602",
    check: async ({ complete, codeOf }) => {
      await complete(resource("mcpx://raw/note://{id}"), { name: "id", value: "" });
      await complete(resource("mcpx://raw/note://one"), { name: "id", value: "" });
      const wrong = [
        { type: "ref/tool", name: "raw_echo" },
        prompt("raw_nope"),
        { type: "ref/prompt" },
        resource("mcpx://nobody/x"),
        7,
        null,
      ];
      for (const ref of wrong) {
        assert.equal(await codeOf({ ref, argument: WHO }), -32602, JSON.stringify(ref));
      }
      const ref = prompt("raw_greet");
      for (
        const params of [{ argument: WHO }, { ref }, { ref, argument: { name: "who" } }, { ref, argument: 1 }]
      ) {
        assert.equal(await codeOf(params), -32602, JSON.stringify(params));
      }
    },
  },
  {
    id: "CMP-04",
    says: "title and unknown members of the reference travel",
    check: async ({ complete, asked }) => {
      await complete(prompt("raw_greet", { title: "T", x: [1] }), { ...WHO, x: 2 }, { "x-more": { y: 1 } });
      assert.match(
        (await asked("raw")).at(-1) ?? "",
        /"x-more":\{"y":1\},"ref":\{"type":"ref\/prompt","name":"greet","title":"T","x":\[1\]\},"argument":\{"name":"who","value":"","x":2\}/,
      );
    },
  },
  {
    id: "CMP-05",
    says: "the values chosen for other arguments travel, and decide",
    check: async ({ complete, asked }) => {
      const ref = prompt("everything_completable-prompt");
      const argument = { name: "name", value: "" };
      const context = (department: string): Json => ({ context: { arguments: { department }, x: 1 } });
      const engineers = (await complete(ref, argument, context("Engineering"))).completion.values;
      const sellers = (await complete(ref, argument, context("Sales"))).completion.values;
      assert.deepEqual(engineers, ["Alice", "Bob", "Charlie"]);
      assert.notDeepEqual(sellers, engineers);
      await complete(prompt("raw_greet"), WHO, context("Sales"));
      assert.match(
        (await asked("raw")).at(-1) ?? "",
        /"context":\{"arguments":\{"department":"Sales"\},"x":1\}/,
      );
    },
  },
  {
    id: "CMP-06",
    says: "never more than 100 values",
    check: async ({ complete }) => {
      const { completion } = await complete(prompt("many_greet"));
      assert.deepEqual(completion, { values: VALUES.slice(0, 100), hasMore: true, total: 250 });
    },
  },
  {
    id: "CMP-07",
    says: "the server's own total and hasMore stand, and are counted where mcpx answers",
    check: async ({ complete }) => {
      const { completion } = await complete(prompt("counted_greet"));
      assert.deepEqual(completion, { values: ["a"], total: 4000, hasMore: true });
      const own = await complete(prompt("undeclared_greet"), { name: "kind", value: "f" });
      assert.deepEqual(own.completion, {
        values: ["formal", "friendly", "frosty"],
        total: 3,
        hasMore: false,
      });
    },
  },
  {
    id: "CMP-08",
    says: "no cache hints, no questions, and resultType where the revision has it",
    check: async ({ host, complete }) => {
      for (const name of ["modern_greet", "asking_greet", "raw_greet", "undeclared_greet"]) {
        const result = await complete(prompt(name));
        assert.ok(Array.isArray(result.completion.values));
        for (const member of ["ttlMs", "cacheScope", "inputRequests", "requestState"]) {
          assert.equal(member in result, false, member);
        }
        assert.equal(result.resultType, host.version === MODERN ? "complete" : undefined);
      }
    },
  },
  {
    id: "CMP-09",
    says: "somebody else's argument is never answered with names of mcpx's own",
    check: async ({ complete }) => {
      for (
        const [ref, argument] of [
          [prompt("undeclared_greet"), WHO],
          [prompt("undeclared_greet"), { name: "tool", value: "mcpx" }],
          [resource("mcpx://undeclared/note://{id}"), { name: "tool", value: "" }],
        ] as const
      ) {
        assert.deepEqual((await complete(ref, argument)).completion.values, []);
      }
    },
  },
  {
    id: "CMP-10",
    says:
      "the server that owns the reference is asked under its own names, read first where it has to be; else values come from what it lists",
    check: async ({ daemon, fresh, complete, codeOf, asked }) => {
      await complete(resource("mcpx://raw/note://{id}"), { name: "id", value: "" });
      assert.match((await asked("raw")).at(-1) ?? "", /"uri":"note:\/\/\{id\}"/);
      const listed = async (value: string): Promise<string[]> =>
        (await complete(resource("mcpx://undeclared/note://{id}"), { name: "id", value })).completion.values;
      assert.deepEqual(await listed(""), ["one", "two"]);
      assert.deepEqual(await listed("t"), ["two"]);
      const servers = { ...SERVERS, [fresh]: fixtureServer("verbatim.mjs") };
      await daemon.configure({ mcpServers: servers, serve: { mode: ["passthrough"] } });
      const ref = prompt(`${fresh}_greet`);
      await eventually(
        async () => await codeOf({ ref, argument: WHO }) === undefined,
        "the new server is there, and was read for the question",
      );
      assert.deepEqual((await complete(ref)).completion.values, ["alpha", "beta"]);
    },
  },
  {
    id: "CMP-11",
    says: "a host that never sends it loses nothing",
    check: async ({ host }) => {
      for (const method of ["tools/list", "prompts/list", "resources/list"]) {
        assert.ok((await host.send(method)).result, method);
      }
    },
  },
];

Deno.test("completion is right in every revision, over HTTP and stdio, point by point", async (t) => {
  await using daemon = await DaemonHost.open({ mcpServers: SERVERS, serve: { mode: ["passthrough"] } });
  for (const version of VERSIONS) {
    for (const [transport, open] of [["HTTP", overHttp], ["stdio", overStdio]] as const) {
      await using host = await open(daemon, version);
      const scene = sceneOf(daemon, host, `fresh${version.replaceAll("-", "")}${transport.toLowerCase()}`);
      for (const { id, says, check } of POINTS) {
        await t.step(`${id} in ${version} over ${transport}: ${says}`, () => check(scene));
      }
    }
  }
});

function sceneOf(daemon: DaemonHost, host: Host, fresh: string): Scene {
  const send = (params: Json): Promise<Json> => host.send("completion/complete", JSON.stringify(params));
  return {
    daemon,
    host,
    fresh,
    complete: async (ref, argument = WHO, rest = {}) => {
      const { result, error } = await send({ ref, argument, ...rest });
      assert.equal(error, undefined, JSON.stringify(error));
      return result as Json & { completion: Completion };
    },
    codeOf: async (params) => ((await send(params)).error as { code: unknown } | undefined)?.code,
    asked: async (server) => {
      const lines = (await daemon.file(server)).split("\n");
      return lines.filter((line) => line.includes('"method":"completion/complete"'));
    },
  };
}

const CLIENT = '"capabilities":{},"clientInfo":{"name":"raw","version":"1"}';

async function overHttp(daemon: DaemonHost, version: string): Promise<Host & AsyncDisposable> {
  const send = await daemon.as(version);
  const opening = version === MODERN ? undefined : (await daemon.initialize(version)).answer.last;
  return {
    version,
    send: async (method, params) =>
      method === "initialize" && opening ? opening : (await send(method, params)).last,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function overStdio({ world }: DaemonHost, version: string): Promise<Host & AsyncDisposable> {
  const lines = new Lines(world);
  const opening = version === MODERN
    ? undefined
    : await lines.request("initialize", `{"protocolVersion":"${version}",${CLIENT}}`);
  return {
    version,
    send: (method, params = "{}") => {
      if (method === "initialize" && opening) return Promise.resolve(opening);
      const { params: own } = version === MODERN
        ? JSON.parse(modernRequest(method, params)[0]) as { params: Json }
        : { params: JSON.parse(params) };
      return lines.request(method, JSON.stringify(own));
    },
    [Symbol.asyncDispose]: () => lines.close(),
  };
}

/** `mcpx serve`, asked one line at a time. */
class Lines {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<string>;
  #rest = "";
  #next = 1;

  constructor(world: World) {
    this.#child = world.spawn(["serve"], { stdin: "" });
    this.#writer = this.#child.stdin.getWriter();
    this.#reader = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  async request(method: string, params: string): Promise<Json> {
    const id = this.#next++;
    const line = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`;
    await this.#writer.write(new TextEncoder().encode(line));
    for (;;) {
      const message = JSON.parse(await this.#line()) as Json;
      if (message.id === id) return message;
    }
  }

  async close(): Promise<void> {
    await this.#writer.close();
    while (!(await this.#reader.read()).done);
    await this.#child.stderr.cancel();
    await this.#child.status;
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end >= 0) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 1);
        return line;
      }
      const { done, value } = await this.#reader.read();
      if (done) throw new Error("mcpx serve has ended");
      this.#rest += value;
    }
  }
}
