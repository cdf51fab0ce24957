import assert from "node:assert/strict";
import { eventually, realServer, World } from "../support/world.ts";

/** One HTTP request written by hand, since clients do not let foreign hosts and origins be sent. */
async function send(
  port: number,
  headers: Record<string, string>,
  { body = PING, path = "/mcp" } = {},
): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const all = {
    host: `127.0.0.1:${port}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const text =
    `POST ${path} HTTP/1.1\r\n${head}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
  await connection.write(new TextEncoder().encode(text));
  return await new Response(connection.readable).text();
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const CALL =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mcpx_call","arguments":{"tool":"everything.echo"}}}';

Deno.test("over TCP /mcp and /sse want the token, a local host and no foreign origin, and JSON; nothing is called otherwise", async () => {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  const daemon = world.spawn(["daemon", "--http-listen", "127.0.0.1:0"]);
  try {
    const { url = "", token = "" } = await eventually(async () => {
      const record = await world.daemon().catch(() => undefined);
      return record?.url === undefined ? undefined : record;
    }, "the daemon listens");
    const port = Number(new URL(url).port);
    const bearer = { authorization: `Bearer ${token}` };
    const rows: [title: string, headers: Record<string, string>, status: number][] = [
      ["no token", {}, 401],
      ["another token", { authorization: "Bearer x" }, 401],
      ["a foreign host", { ...bearer, host: "evil.example" }, 403],
      ["a foreign host that begins well", { ...bearer, host: `127.0.0.1.evil.example:${port}` }, 403],
      ["a foreign origin", { ...bearer, origin: "http://evil.example" }, 403],
      ["an origin that is null", { ...bearer, origin: "null" }, 403],
      ["text/plain", { ...bearer, "content-type": "text/plain" }, 415],
      ["localhost", { ...bearer, host: `localhost:${port}`, origin: `http://localhost:${port}` }, 200],
      ["[::1]", { ...bearer, host: `[::1]:${port}` }, 200],
    ];
    for (const [title, headers, status] of rows) {
      const answer = await send(port, headers);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), title);
      assert.equal(/^www-authenticate: Bearer\r$/im.test(answer), status === 401, title);
      const onSse = await send(port, headers, { path: "/sse/mcp-nobody" });
      assert.match(
        onSse,
        new RegExp(`^HTTP/1\\.1 ${status === 200 ? 404 : status} `),
        `${title}, over HTTP+SSE`,
      );
      if (status !== 200) {
        assert.match(await send(port, headers, { body: CALL }), new RegExp(`^HTTP/1\\.1 ${status} `), title);
      }
    }
    assert.deepEqual((await world.json(["status"])).value.instances, []);
  } finally {
    daemon.kill("SIGTERM");
    await daemon.output();
  }
});
