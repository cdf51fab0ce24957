import assert from "node:assert/strict";
import type { Api, ApiRequest } from "../../lib/cli/api.ts";
import { bridgeStdio } from "../../lib/cli/serve_bridge.ts";
import { modernRequest, RawHost } from "../support/mcp_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

/** A connection to the daemon in this process that lets a request wait on its way. */
function connection(host: RawHost, onItsWay: (request: ApiRequest) => Promise<void>): Api {
  return {
    request: async (request, signal) => {
      await onItsWay(request);
      const { method, headers, body } = request;
      const response = await host.http({
        method,
        signal,
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body }),
      });
      return {
        status: response.status,
        headers: new Map(response.headers),
        body: (response.body ?? new Blob([]).stream()).pipeThrough(new TransformStream(), { signal }),
      };
    },
    close: () => {},
  };
}

const INITIALIZE =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}';
const HANG = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}';
const MODERN_HANG = modernRequest("tools/call", '{"name":"hang"}', { id: "1" })[0];

for (const [era, opening, call] of [["legacy", [INITIALIZE], HANG], ["modern", [], MODERN_HANG]] as const) {
  Deno.test(`a cancellation that reaches the daemon before the ${era} request that it cancels cancels it`, async () => {
    await using host = await RawHost.open({
      raw: { ...fixtureServer("verbatim.mjs", { LOG: "$ROOT/log" }), mcpx: { prefix: "none" } },
    });
    const onItsWay = Promise.withResolvers<void>();
    const overtaken = Promise.withResolvers<void>();
    const lines: string[] = [];
    const encoder = new TextEncoder();
    await bridgeStdio({
      input: ReadableStream.from((async function* (): AsyncGenerator<Uint8Array> {
        for (const line of [...opening, call]) yield encoder.encode(`${line}\n`);
        await onItsWay.promise;
        yield encoder.encode(
          '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n' +
            '{"jsonrpc":"2.0","id":2,"method":"ping"}\n',
        );
        // Only when the cancellation has arrived does the request go on.
        await eventually(
          () => Promise.resolve(lines.some((line) => line.includes('"id":2'))),
          "the ping is answered",
        );
        overtaken.resolve();
      })()),
      write: (line) => Promise.resolve(void lines.push(line)),
      connect: () =>
        Promise.resolve(connection(host, async ({ body = "" }) => {
          if (!body.includes('"hang"')) return;
          onItsWay.resolve();
          await overtaken.promise;
        })),
      headers: {},
      maxLine: () => Promise.resolve(1024 * 1024),
      settleMs: 5000,
      signal: new AbortController().signal,
      note: () => {},
    });
    assert.equal(lines.some((line) => line.includes('"id":1')), false);
    const log = await host.file("log").catch(() => "");
    assert.equal(log.includes('"name":"hang"'), false, "the server never heard of it");
  });
}
