import { type Effects, type Json, pause, type Place } from "./place.ts";

const BODY = JSON.stringify({ code: "return 1" });

/** The status of a request whose body stops half-way for a while. */
async function statusOfSlowBody(place: Place): Promise<number> {
  const { socket } = await place.world.daemon();
  using connection = await Deno.connect({ transport: "unix", path: socket });
  const head = "POST /v1/exec HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" +
    `content-length: ${BODY.length}\r\nconnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head + BODY.slice(0, 5)));
  await pause(700);
  // Where the answer is there already, nobody takes the rest.
  await connection.write(new TextEncoder().encode(BODY.slice(5))).catch(() => 0);
  const bytes = new Uint8Array(100);
  await connection.read(bytes);
  return Number(new TextDecoder().decode(bytes).split(" ")[1]);
}

/** What a call of half a second gives a host of 2025-11-25 on its first connection. */
async function firstConnection(place: Place): Promise<string> {
  const post = (body: Json, headers: Record<string, string> = {}): Promise<Response> =>
    place.world.http("/mcp", {
      method: "POST",
      headers: { accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    });
  const opened = await post({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  });
  const params = { name: "mcpx_call", arguments: { tool: "probe.wait", arguments: { ms: 500 } } };
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  return await (await post({ id: 2, method: "tools/call", params }, session)).text();
}

/** Settings of what goes over connections. */
export const STREAM_EFFECTS: Effects = {
  "http.bodyTimeout": { values: ["300ms", "30s"], sees: [408, 200], observe: statusOfSlowBody },
  "serve.pollAfter": {
    values: ["50ms", "0s"],
    sees: [[true, false], [false, true]],
    observe: async (place) => {
      const text = await firstConnection(place);
      return [text.includes("retry:"), text.includes('"result"')];
    },
  },
};
