import assert from "node:assert/strict";
import { connectUpstream } from "../../../lib/mcp/mod.ts";
import { type Message, serveFixture } from "../../fixtures/servers/http_server.ts";
import { connectOptions } from "../../fixtures/servers/raw_server.ts";

const VERSION = "2025-03-26";
const NOTICE: Message = {
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: 1 },
};
const answerTo = (id: unknown, result: object): Message => ({ jsonrpc: "2.0", id, result });

Deno.test("a server of 2025-03-26 may answer in batches over HTTP: as JSON, and as events with requests of its own between", async () => {
  await using fixture = serveFixture(({ method, message }) => {
    if (method !== "POST") return new Response(null, { status: 405 });
    const { id } = message;
    switch (message.method) {
      case "initialize":
        return Response.json([
          NOTICE,
          answerTo(id, {
            protocolVersion: VERSION,
            capabilities: { tools: {} },
            serverInfo: { name: "raw", version: "1" },
          }),
        ]);
      case "tools/call": {
        const ping = { jsonrpc: "2.0", id: "p", method: "ping" };
        const result = answerTo(id, { content: [{ type: "text", text: "in a list" }] });
        const parts = [[NOTICE, ping], [NOTICE, result]].map((part) => `data: ${JSON.stringify(part)}\n\n`);
        return new Response(parts.join(""), { headers: { "content-type": "text/event-stream" } });
      }
      case undefined:
      case "notifications/initialized":
        return new Response(null, { status: 202 });
      default:
        return Response.json([
          { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } },
        ]);
    }
  });
  const target = { kind: "http", url: fixture.url, headers: {}, transport: "auto" } as const;
  const logs: unknown[] = [];
  const server = await connectUpstream(target, connectOptions({ protocol: "legacy" }));
  try {
    assert.equal(server.protocolVersion, VERSION);
    const result = await server.request("tools/call", { name: "t" }, { onLog: (entry) => logs.push(entry) });
    assert.deepEqual(result, { content: [{ type: "text", text: "in a list" }] });
    assert.equal(logs.length, 2);
    const answer = await fixture.arrived(({ message }) => message.id === "p" && message.method === undefined);
    assert.deepEqual(answer.message.result, {});
  } finally {
    await server.close();
  }
});
