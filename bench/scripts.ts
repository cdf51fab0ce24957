import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fileURLToPath } from "node:url";
import { realServer, World } from "../tests/support/world.ts";
import { upstreamEntry } from "../tools/upstreams.ts";
import { command, median, print, report, sideBySide } from "./measure.ts";

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));

/** Scripts: one call, a thousand calls, and ten calls in one program. */
export async function run(): Promise<void> {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  await world.run(["exec", "return 1"]);
  const { socket } = await world.daemon();
  using http = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  const exec = (code: string): Promise<string> =>
    fetch("http://localhost/v1/exec", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
      client: http,
    }).then((response) => response.text());
  // A pause between runs lets the next sandbox warm up, as between a person's or an agent's scripts.
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 300));
  const times = { none: [] as number[], one: [] as number[] };
  for (let round = 0; round < 15; round++) {
    for (
      const [name, code] of [["none", "return 1"], [
        "one",
        'return await everything.echo({ message: "x" })',
      ]] as const
    ) {
      await pause();
      const started = performance.now();
      await exec(code);
      times[name].push(performance.now() - started);
    }
  }
  report(
    "POST /v1/exec, sandbox prewarmed",
    new Map([["no call", { name: "no call", times: times.none }], ["one call", {
      name: "one call",
      times: times.one,
    }]]),
  );
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: "node",
      args: [upstreamEntry("@modelcontextprotocol/server-everything")],
      stderr: "ignore",
    }),
  );
  const loop = await sideBySide(3, {
    "1,000 calls on a direct connection": async () => {
      for (let at = 0; at < 1000; at++) await client.callTool({ name: "echo", arguments: { message: "x" } });
    },
    "1,000 calls from one script": () =>
      exec('for (let at = 0; at < 1000; at++) await everything.echo({ message: "x" })'),
  });
  report("Calls in a loop", loop);
  const [direct, scripted] = [...loop.values()].map((sample) => median(sample.times));
  print(`\nA call from a script adds ${(((scripted ?? NaN) - (direct ?? NaN)) / 1000).toFixed(2)} ms.`);
  await client.close();
  const ten = 'for (let at = 0; at < 10; at++) await everything.echo({ message: "x" })';
  report(
    "Ten calls in one program, whole process",
    await sideBySide(7, {
      "mcpx exec": () =>
        command([Deno.execPath(), "run", "-A", CLI, "exec", ten], { cwd: world.project, env: world.env }),
    }),
  );
}
