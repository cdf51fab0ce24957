import assert from "node:assert/strict";
import { connectOptions } from "../../tests/fixtures/servers/raw_server.ts";
import { McpxError } from "../errors/mod.ts";
import { connectUpstream, type UpstreamConnection, type UpstreamTarget } from "./mod.ts";

/** Answers tools/call with `arguments.rest`, the raw members beside the id, and after that with a result that is too late. */
const SERVER = `
  const write = (text) => process.stdout.write(text + "\\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const answer = (rest) => write('{"jsonrpc":"2.0","id":' + id + rest + '}');
    if (method === "initialize") {
      answer(',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"b","version":"1"}}');
    } else if (method === "tools/call") {
      answer(params.arguments.rest);
      answer(',"result":{"late":true}');
    } else if (id !== undefined) answer(',"error":"no such method"');
  });`;

async function withServer(
  use: (server: UpstreamConnection, notes: string[]) => Promise<void>,
): Promise<void> {
  const target: UpstreamTarget = {
    kind: "stdio",
    command: "node",
    args: ["-e", SERVER],
    env: { PATH: Deno.env.get("PATH") ?? "" },
  };
  const notes: string[] = [];
  const server = await connectUpstream(target, connectOptions({ onNote: (note) => notes.push(note) }));
  try {
    await use(server, notes);
  } finally {
    await server.close();
  }
}

Deno.test("an answer that is neither a result nor an error ends its request at once, and says what came", () =>
  withServer(async (server, notes) => {
    for (
      const [rest, says] of [
        ["", /it has neither a result nor an error/],
        [',"error":null', /its error is null, and it has no result/],
        [
          ',"result":{"a":1},"error":{"code":1,"message":"no"}',
          /a result and an error too, .*"message":"no"/,
        ],
        [',"error":"boom"', /says nothing, and is "boom"/],
        [',"error":[]', /says nothing, and is \[\]/],
        [',"error":false', /says nothing, and is false/],
        [',"error":{}', /says nothing, and is \{\}/],
        [',"error":{"code":"E","message":"It is full."}', /the code "E", and says: It is full\./],
        [',"error":{"message":"It is full."}', /the code missing, and says: It is full\./],
        [',"result":"text"', /no object, and is "text"/],
        [',"result":[1]', /no object, and is \[1\]/],
        [`,"result":${"[".repeat(20_000)}${"]".repeat(20_000)}`, /no object, and is \[\[\[/],
      ] as const
    ) {
      notes.length = 0;
      const started = performance.now();
      const failing = server.request("tools/call", { name: "t", arguments: { rest } });
      await assert.rejects(failing, (error) => {
        assert.ok(error instanceof McpxError);
        assert.equal(error.code, "upstream-protocol");
        assert.match(error.message, says);
        return true;
      });
      assert.ok(performance.now() - started < 2000);
    }
    assert.deepEqual(
      await server.request("tools/call", { name: "t", arguments: { rest: ',"result":{"a":1}' } }),
      {
        a: 1,
      },
    );
  }));

Deno.test("a null beside a result or an error is no second answer, and what comes later is dropped", () =>
  withServer(async (server, notes) => {
    const call = (rest: string): Promise<unknown> =>
      server.request("tools/call", { name: "t", arguments: { rest } });
    assert.deepEqual(await call(',"result":{"a":1},"error":null'), { a: 1 });
    await assert.rejects(call(',"result":null,"error":{"code":-1,"message":"no"}'), { message: "no" });
    assert.deepEqual(await call(',"result":{"b":1}'), { b: 1 });
    assert.match(notes.join(), /A late answer to request \d+ was dropped/);
  }));
