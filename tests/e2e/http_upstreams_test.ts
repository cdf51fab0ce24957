import assert from "node:assert/strict";
import { upstreamEntry } from "../../tools/upstreams.ts";
import { World } from "../support/world.ts";

/** A port that was free a moment ago: the server takes its port from a variable only. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Starts server-everything over HTTP and waits until it says that it listens. */
async function serveEverything(mode: "streamableHttp" | "sse"): Promise<{ port: number } & AsyncDisposable> {
  const port = freePort();
  const child = new Deno.Command("node", {
    args: [upstreamEntry("@modelcontextprotocol/server-everything"), mode],
    env: { PORT: String(port) },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  for (let said = ""; !/running|listening/i.test(said);) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`server-everything ended: ${said}`);
    said += value;
  }
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    port,
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGKILL");
      await child.status;
      await drained;
    },
  };
}

for (
  const [mode, path, transport] of [["streamableHttp", "mcp", "auto"], ["sse", "sse", "auto"], [
    "sse",
    "sse",
    "sse",
  ]] as const
) {
  Deno.test(`a real server over HTTP (${mode}, transport ${transport}) is listed and called`, async () => {
    await using server = await serveEverything(mode);
    await using world = await World.open({
      mcpServers: { remote: { url: `http://127.0.0.1:${server.port}/${path}`, transport } },
    });
    const { value } = await world.json(["ls"]);
    const [line] = value.servers as { state: string; tools: number; error?: unknown }[];
    assert.equal(line?.error, undefined);
    assert.ok((line?.tools ?? 0) > 10);
    const calls = await Promise.all(
      ["one", "two", "three"].map((message) => world.run(["call", "remote.echo", `message=${message}`])),
    );
    assert.deepEqual(calls.map(({ stdout }) => stdout), ["Echo: one\n", "Echo: two\n", "Echo: three\n"]);
  });
}
