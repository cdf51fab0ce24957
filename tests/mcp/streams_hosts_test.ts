import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { ServedHost } from "../support/served_host.ts";
import { fixtureServer } from "../support/world.ts";

const SERVERS = {
  streaming: { ...fixtureServer("streaming.mjs", { LOG: "$ROOT/log" }), mcpx: { prefix: "none" } },
};
const INFO = { name: "host", version: "1" };
const RECONNECT = {
  initialReconnectionDelay: 20,
  maxReconnectionDelay: 100,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 10,
};

/** A call through a host of the SDK's; every connection over the wire breaks once progress has come. */
async function resume(
  host: ServedHost,
  call: (
    params: { name: string; arguments: Record<string, unknown> },
    onprogress: () => void,
  ) => Promise<unknown>,
): Promise<void> {
  const file = `${host.root}/gate`;
  const told = Promise.withResolvers<void>();
  const result = call({ name: "gate", arguments: { file, steps: 2 } }, () => told.resolve());
  await told.promise;
  host.cut();
  await Deno.writeTextFile(file, "");
  assert.match(JSON.stringify(await result), /through the gate/);
  assert.doesNotMatch(await Deno.readTextFile(`${host.root}/log`), /notifications\/cancelled/);
}

Deno.test("the SDK's first generation resumes a call whose connection breaks half-way", async () => {
  await using host = await ServedHost.open(SERVERS);
  const client = new ClientV1(INFO, { capabilities: {} });
  const url = new URL(`${host.wireUrl}/mcp`);
  const transport = new TransportV1(url, { reconnectionOptions: RECONNECT });
  await client.connect(transport);
  await client.listTools();
  await resume(host, (params, onprogress) => client.callTool(params, undefined, { onprogress }));
  await transport.terminateSession();
  await client.close();
});

Deno.test("the SDK's second generation resumes a call whose connection breaks half-way", async () => {
  await using host = await ServedHost.open(SERVERS);
  const client = new Client(INFO, { capabilities: {} });
  const url = new URL(`${host.wireUrl}/mcp`);
  const transport = new StreamableHTTPClientTransport(url, { reconnectionOptions: RECONNECT });
  await client.connect(transport);
  await client.listTools();
  await resume(host, (params, onprogress) => client.callTool(params, { onprogress }));
  await transport.terminateSession();
  await client.close();
});

Deno.test("the SDK's first generation stops coming back to a stream that ended with an error", async () => {
  await using host = await ServedHost.open(SERVERS);
  let gets = 0;
  const client = new ClientV1(INFO, { capabilities: {} });
  const over = Promise.withResolvers<void>();
  const transport = new TransportV1(new URL(`${host.url}/mcp`), {
    reconnectionOptions: RECONNECT,
    fetch: async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const response = await fetch(url, init);
      if (init?.method === "GET" && new Headers(init.headers).has("last-event-id")) {
        gets++;
        if (response.status === 405) over.resolve();
      }
      return response;
    },
  });
  await client.connect(transport);
  await client.listTools();
  const args = { name: "gate", arguments: { file: `${host.root}/gate`, steps: 1, fails: true } };
  const call = client.callTool(args, undefined, {
    onprogress: () => Deno.writeTextFileSync(`${host.root}/gate`, ""),
  });
  await assert.rejects(call, { code: -32001 });
  await over.promise;
  assert.equal(gets, 1);
  await transport.terminateSession();
  await client.close();
});

Deno.test("the SDK's client of 2024-11-05's transport lists, calls, is told of progress, asked and told of changes", async () => {
  await using host = await ServedHost.open(SERVERS);
  const client = new ClientV1(INFO, { capabilities: { elicitation: {} } });
  client.setRequestHandler(
    ElicitRequestSchema,
    () => ({ action: "accept" as const, content: { name: "Ada" } }),
  );
  await client.connect(new SSEClientTransport(new URL(`${host.url}/sse`)));
  assert.equal(client.getServerVersion()?.name, "mcpx");
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }: { name: string }) => name).sort(), ["ask", "flood", "gate", "large"]);
  await resume(host, (params, onprogress) => client.callTool(params, undefined, { onprogress }));
  const asked = await client.callTool({ name: "ask", arguments: { message: "Who?" } });
  assert.match(JSON.stringify(asked), /Ada/);
  const changed = Promise.withResolvers<void>();
  client.fallbackNotificationHandler = ({ method }: { method: string }): Promise<void> => {
    if (method === "notifications/tools/list_changed") changed.resolve();
    return Promise.resolve();
  };
  await Deno.writeTextFile(`${host.root}/.mcpx.json`, '{"mcpServers":{}}');
  await host.engine.reload();
  await changed.promise;
  assert.deepEqual((await client.listTools()).tools, []);
  await client.close();
});
