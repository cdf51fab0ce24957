import assert from "node:assert/strict";
import { MODERN, modernRequest } from "../support/mcp_host.ts";
import { eventually, fixtureServer, World } from "../support/world.ts";

/** `mcpx serve` as a host sees it: lines in, lines out. */
class Serve implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<void>;
  #closed = false;

  constructor(world: World, words: readonly string[] = []) {
    this.#child = world.spawn(["serve", "--serve-mode", "passthrough", ...words], { stdin: "" });
    this.#writer = this.#child.stdin.getWriter();
    this.#reading = this.#read();
  }

  async say(...lines: string[]): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")));
  }

  /** Waits for a line with this text. */
  async heard(text: string): Promise<string> {
    return await eventually(
      () => Promise.resolve(this.lines.find((line) => line.includes(text))),
      `a line with ${text}`,
    );
  }

  /** Sends a request and waits for its answer. */
  async ask(id: string, method: string, params = "{}"): Promise<string> {
    await this.say(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
    return await this.heard(`"id":${id},`);
  }

  async initialize(version: string): Promise<string> {
    const answer = await this.ask(
      '"init"',
      "initialize",
      `{"protocolVersion":"${version}","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}`,
    );
    await this.say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return answer;
  }

  /** Closes stdin and waits for the end. */
  async close(): Promise<number> {
    if (!this.#closed) await this.#writer.close();
    this.#closed = true;
    await this.#reading;
    await this.#child.stderr.cancel();
    return (await this.#child.status).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      this.lines.push(...lines);
    }
  }
}

const CONFIG = { mcpServers: { raw: { ...fixtureServer("verbatim.mjs", {}), mcpx: { prefix: "none" } } } };

/** A modern request as a line. */
function modern(id: string, method: string, params = "{}"): string {
  return modernRequest(method, params, { id })[0];
}

Deno.test("over stdio every revision with a handshake is negotiated, served, and ends with stdin", async (t) => {
  await using world = await World.open(CONFIG);
  for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    await t.step(version, async () => {
      await using serve = new Serve(world);
      assert.match(await serve.initialize(version), new RegExp(`"protocolVersion":"${version}"`));
      assert.match(await serve.ask("1", "tools/list"), /"name":"echo"/);
      assert.match(await serve.ask('"two"', "tools/call", '{"name":"echo"}'), /"n":9007199254740993/);
      assert.equal(await serve.ask("3", "ping"), '{"jsonrpc":"2.0","id":3,"result":{}}');
      assert.match(await serve.ask("4", "nope/nope"), /"code":-32601/);
      const completion = '{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""}}';
      assert.match(await serve.ask("6", "completion/complete", completion), /"values":\["alpha","beta"\]/);
      await serve.say("[" + '{"jsonrpc":"2.0","id":5,"method":"ping"}' + "]");
      const batch = await serve.heard(
        version === "2025-03-26" ? '[{"jsonrpc":"2.0","id":5' : "has no batches",
      );
      assert.equal(batch.startsWith("["), version === "2025-03-26");
      assert.equal(await serve.close(), 0);
    });
  }
});

Deno.test("an unknown revision is answered with the newest that has a handshake", async () => {
  await using world = await World.open(CONFIG);
  await using serve = new Serve(world);
  assert.match(await serve.initialize("1999-01-01"), /"protocolVersion":"2025-11-25"/);
});

Deno.test("over stdio the modern era is served without a handshake, and an unknown version is -32022 on the open connection", async () => {
  await using world = await World.open(CONFIG);
  await using serve = new Serve(world);
  await serve.say(modern("1", "server/discover"));
  assert.match(await serve.heard('"id":1,'), new RegExp(`"supportedVersions":\\["${MODERN}"\\]`));
  await serve.say(modern("2", "tools/call", '{"name":"echo"}'));
  assert.match(await serve.heard('"id":2,'), /"n":9007199254740993/);
  await serve.say(modern("3", "tools/list").replace(MODERN, "2099-01-01"));
  assert.match(
    await serve.heard('"id":3,'),
    /"code":-32022.*"supported":\["2026-07-28"\],"requested":"2099-01-01"/,
  );
  await serve.say(modern("4", "subscriptions/listen", '{"notifications":{"toolsListChanged":true}}'));
  await serve.heard("notifications/subscriptions/acknowledged");
  await serve.say(modern("5", "tools/call", '{"name":"change"}'));
  assert.match(
    await serve.heard("notifications/tools/list_changed"),
    /"io.modelcontextprotocol\/subscriptionId":4/,
  );
  await serve.say(modern("6", "ping"));
  assert.match(await serve.heard('"id":6,'), /"code":-32601/);
  const completion = '{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""}}';
  await serve.say(modern("7", "completion/complete", completion));
  assert.match(await serve.heard('"id":7,'), /"values":\["alpha","beta"\]/);
});

Deno.test("broken lines over stdio are answered, notifications are not, and the next request works", async () => {
  await using world = await World.open(CONFIG);
  await using serve = new Serve(world);
  await serve.initialize("2025-11-25");
  await serve.say(
    "{nope",
    "",
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","method":"notifications/whatever"}',
  );
  await serve.heard('"code":-32700');
  assert.equal(await serve.ask("9", "ping"), '{"jsonrpc":"2.0","id":9,"result":{}}');
  const odd = serve.lines.filter((line) =>
    !line.includes('"id":"init"') && !line.includes('"id":9') && !line.includes("-32700")
  );
  assert.deepEqual(odd.filter((line) => !line.includes("-32600")), []);
});

Deno.test("requests over stdio run side by side, and a cancelled one is given up at the server", async () => {
  const log = await Deno.makeTempFile();
  try {
    await using world = await World.open({
      mcpServers: { raw: { ...fixtureServer("verbatim.mjs", { LOG: log }), mcpx: { prefix: "none" } } },
    });
    await using serve = new Serve(world);
    await serve.initialize("2025-11-25");
    await serve.ask("1", "tools/list");
    await serve.say('{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"hang"}}');
    assert.match(await serve.ask("2", "tools/call", '{"name":"echo"}'), /hologram/);
    await serve.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"h"}}');
    await eventually(
      async () => (await Deno.readTextFile(log)).includes("notifications/cancelled"),
      "the server is told",
    );
    assert.equal(serve.lines.some((line) => line.includes('"id":"h"')), false);
    assert.equal(await serve.ask("3", "ping"), '{"jsonrpc":"2.0","id":3,"result":{}}');
  } finally {
    await Deno.remove(log);
  }
});

Deno.test("a host's connection outlives the daemon: the next request is served by another one", async () => {
  await using world = await World.open(CONFIG);
  await using serve = new Serve(world);
  await serve.initialize("2025-11-25");
  assert.match(await serve.ask("1", "tools/call", '{"name":"echo"}'), /hologram/);
  const { pid } = await world.daemon();
  assert.equal((await world.run(["stop"])).code, 0);
  await eventually(
    async () => !(await Deno.stat(`/proc/${pid}`).then(() => true, () => false)),
    "the daemon is gone",
  );
  assert.match(await serve.ask("2", "tools/call", '{"name":"echo"}'), /hologram/);
  assert.notEqual((await world.daemon()).pid, pid);
});

Deno.test("nothing but the protocol is on stdout, whatever the servers write", async () => {
  await using world = await World.open({
    mcpServers: {
      noisy: fixtureServer("raw.mjs", { MODE: "noise,flood" }),
      missing: { command: "/nonexistent" },
    },
  });
  await using serve = new Serve(world);
  await serve.initialize("2025-06-18");
  assert.match(await serve.ask("1", "tools/list"), /noisy_echo/);
  for (const line of serve.lines) assert.equal((JSON.parse(line) as { jsonrpc: string }).jsonrpc, "2.0");
});
