import assert from "node:assert/strict";
import { DaemonHost } from "../support/daemon_host.ts";
import { MODERN, modernRequest } from "../support/mcp_host.ts";
import { StdioHost } from "../support/stdio_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

const SERVERS = {
  mcpServers: {
    asker: fixtureServer("asker.mjs", { LOG: "$ROOT/log" }),
    raw: fixtureServer("verbatim.mjs", { LOG: "$ROOT/raw" }),
  },
  serve: { mode: ["passthrough"] },
};
const SLOW = { name: "asker_slow", arguments: { ms: 600 } };
const HANGS = { name: "raw_hang", arguments: {} };

/** Waits until a server has got a call. */
async function called(host: DaemonHost, file: string): Promise<void> {
  await eventually(async () => (await host.file(file)).includes('"tools/call"'), "the server is called");
}

Deno.test("a host on stdio gets what was under way when the daemon was told to stop", async () => {
  await using host = await DaemonHost.open(SERVERS);
  await using stdio = await StdioHost.open(host.world);
  const answer = stdio.request("tools/call", SLOW);
  await called(host, "log");
  assert.equal((await host.world.run(["stop"])).code, 0);
  assert.match(JSON.stringify(await answer), /"content"/);
});

for (const version of ["2025-11-25", MODERN]) {
  Deno.test(`a host of ${version} over HTTP gets it too, and its streams end`, async () => {
    await using host = await DaemonHost.open(SERVERS);
    const headers = version === MODERN ? {} : (await host.initialize(version)).headers;
    const standing = version === MODERN
      ? host.post(...modernRequest("subscriptions/listen", '{"notifications":{}}', { id: "9" }))
      : host.http({ headers: { ...headers, accept: "text/event-stream" } }).then((response) =>
        response.text()
      );
    const answer = version === MODERN
      ? host.post(...modernRequest("tools/call", JSON.stringify(SLOW)))
      : host.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${JSON.stringify(SLOW)}}`, headers);
    await called(host, "log");
    assert.equal((await host.world.run(["stop"])).code, 0);
    assert.match((await answer).text, /"content"/);
    await standing;
  });
}

Deno.test("what takes longer than a daemon waits is answered with an error", async () => {
  await using host = await DaemonHost.open(SERVERS);
  await using stdio = await StdioHost.open(host.world);
  const answer = stdio.request("tools/call", HANGS).catch((error: Error) => error.message);
  const { headers } = await host.initialize("2025-06-18");
  const overHttp = host.post(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${JSON.stringify(HANGS)}}`,
    headers,
  );
  await eventually(
    async () => (await host.file("raw")).split('"tools/call"').length === 3,
    "both are called",
  );
  assert.equal((await host.world.run(["stop"])).code, 0);
  for (const text of [JSON.stringify(await answer), (await overHttp).text]) {
    assert.match(text, /outcome is unknown|daemon/, text);
  }
});
