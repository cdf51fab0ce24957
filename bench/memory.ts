import { fixtureServer, World } from "../tests/support/world.ts";
import { print } from "./measure.ts";

const CALLS = 100_000;
const AT_ONCE = 32;

/** The daemon's memory when idle, and after a hundred thousand calls. */
export async function run(): Promise<void> {
  await using world = await World.open({
    mcpServers: { many: fixtureServer("many_tools.mjs", { TOOLS: "20" }) },
  });
  await world.run(["call", "many.send_message_0", "id=1"]);
  const { socket } = await world.daemon();
  using http = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  const memory = async (): Promise<number> => {
    const status = await (await fetch("http://localhost/v1/status", { client: http })).json() as {
      memoryBytes: number;
    };
    return Math.round(status.memoryBytes / 1024 ** 2);
  };
  const call = async (): Promise<void> => {
    const response = await fetch("http://localhost/v1/call", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"tool":"many.send_message_0","arguments":{"id":"1"}}',
      client: http,
    });
    await response.text();
  };
  print(`\n## The daemon's memory\n\nIdle after one call: ${await memory()} MiB`);
  const started = performance.now();
  let left = CALLS;
  for (const mark of [0.1, 0.5, 1]) {
    const until = Math.round(CALLS * (1 - mark));
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      while (left > until) {
        left--;
        await call();
      }
    }));
    print(`After ${CALLS - left} calls: ${await memory()} MiB`);
  }
  const rate = Math.round(CALLS / ((performance.now() - started) / 1000));
  await new Promise((resolve) => setTimeout(resolve, 8000));
  print(`Eight seconds later: ${await memory()} MiB`);
  print(`${rate} calls a second, ${AT_ONCE} at once`);
}
