import assert from "node:assert/strict";
import { bridgeStdio } from "../../lib/cli/serve_bridge.ts";
import { HttpConnection } from "../../lib/cli/transport.ts";
import { ServedHost } from "../support/served_host.ts";
import { fixtureServer } from "../support/world.ts";

type Json = Record<string, unknown>;

Deno.test("mcpx serve goes on with a call whose connection to the daemon breaks half-way, and with what comes after it", async () => {
  await using host = await ServedHost.open({
    streaming: { ...fixtureServer("streaming.mjs", { LOG: "$ROOT/log" }), mcpx: { prefix: "none" } },
  });
  const port = Number(new URL(host.wireUrl).port);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const send = (message: Json): Promise<void> =>
    writer.write(encoder.encode(JSON.stringify({ jsonrpc: "2.0", ...message, "x-unknown": 1 }) + "\n"));
  const lines: Json[] = [];
  let told = Promise.withResolvers<void>();
  const until = async (wanted: (line: Json) => boolean): Promise<Json> => {
    for (;;) {
      const found = lines.find(wanted);
      if (found) return found;
      told = Promise.withResolvers<void>();
      await told.promise;
    }
  };
  const bridged = bridgeStdio({
    input: readable,
    write: (line) => {
      lines.push(JSON.parse(line));
      told.resolve();
      return Promise.resolve();
    },
    connect: () => HttpConnection.open({ kind: "tcp", hostname: "127.0.0.1", port }),
    headers: {},
    maxLine: () => Promise.resolve(2 ** 20),
    signal: new AbortController().signal,
    note: () => undefined,
  });
  const clientInfo = { name: "raw", version: "1" };
  await send({
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  });
  await until(({ id }) => id === 0);
  await send({ id: 1, method: "tools/list" });
  await until(({ id }) => id === 1);
  const args = { file: `${host.root}/gate`, steps: 2 };
  await send({
    id: 2,
    method: "tools/call",
    params: { name: "gate", arguments: args, _meta: { progressToken: 2 } },
  });
  const isStep = (step: number) => ({ params }: Json): boolean =>
    (params as Json | undefined)?.progress === step;
  await until(isStep(2));
  host.cut();
  await Deno.writeTextFile(args.file, "");
  assert.match(JSON.stringify((await until(({ id }) => id === 2)).result), /through the gate/);
  assert.deepEqual(lines.map(({ params }) => (params as Json | undefined)?.progress).filter(Boolean), [
    1,
    2,
    3,
  ]);
  await send({ id: 3, method: "ping" });
  assert.deepEqual((await until(({ id }) => id === 3)).result, {});
  await writer.close();
  await bridged;
});
