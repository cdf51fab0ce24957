import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { realServer, World } from "../tests/support/world.ts";
import { upstreamEntry } from "../tools/upstreams.ts";
import { median, print, report, sideBySide } from "./measure.ts";

const CALLS = 400;

/** A call through the daemon's socket against the same call on a direct connection. */
export async function run(): Promise<void> {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  await world.run(["ls"]);
  const { socket } = await world.daemon();
  using http = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: "node",
      args: [upstreamEntry("@modelcontextprotocol/server-everything")],
      stderr: "ignore",
    }),
  );
  const samples = await sideBySide(CALLS, {
    "direct connection with the SDK": () =>
      client.callTool({ name: "echo", arguments: { message: "hello" } }),
    "POST /v1/call on the daemon's socket": async () => {
      const response = await fetch("http://localhost/v1/call", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"tool":"everything.echo","arguments":{"message":"hello"}}',
        client: http,
      });
      await response.text();
    },
    "GET /v1/health on the daemon's socket": async () => {
      await (await fetch("http://localhost/v1/health", { client: http })).text();
    },
  });
  report(`One call, ${CALLS} times in turn`, samples);
  const [direct, through] = [...samples.values()].map(({ times }) => median(times));
  print(`\nAdded at the median: ${((through ?? NaN) - (direct ?? NaN)).toFixed(2)} ms`);
  await client.close();
}
