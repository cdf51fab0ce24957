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
  const times = { bare: [] as number[], none: [] as number[], one: [] as number[] };
  for (let round = 0; round < 15; round++) {
    times.bare.push(await bareProcess(pause));
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
    new Map([
      ["bare", { name: "floor: a bare process that stands ready and runs one line", times: times.bare }],
      ["no call", { name: "no call", times: times.none }],
      ["one call", { name: "one call", times: times.one }],
    ]),
  );
  await reportMany(exec, pause);
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

/** How long a process that stands ready takes from a line of code to its answer, ms: what any sandbox of processes takes at least. */
async function bareProcess(pause: () => Promise<void>): Promise<number> {
  const program =
    "const line = await Deno.stdin.read(new Uint8Array(99)); Deno.stdout.writeSync(new TextEncoder().encode(String(1 + (line ?? 0))));";
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-config", `data:text/javascript,${encodeURIComponent(program)}`],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  await pause();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.getReader();
  const started = performance.now();
  await writer.write(new TextEncoder().encode("return 1\n"));
  await reader.read();
  const took = performance.now() - started;
  await reader.cancel();
  await writer.close().catch(() => {}); // it has ended
  await child.status;
  return took;
}

/** Many calls from one script, runs at a steady pace, and what idle sandboxes hold. */
async function reportMany(
  exec: (code: string) => Promise<string>,
  pause: () => Promise<void>,
): Promise<void> {
  const parts = JSON.parse(
    await exec(
      'const from = performance.now(); const parts = []; for (let part = 0; part < 10; part++) { await Promise.all(Array.from({ length: 1000 }, () => everything.echo({ message: "x" }))); parts.push(Math.round(performance.now() - from)) } return parts',
    ),
  ).result;
  print(`\n10,000 calls at 64 at once, ms after each thousand: ${parts.join(", ")}`);
  const waits: number[] = [];
  const running: Promise<unknown>[] = [];
  for (let at = 0; at < 25; at++) {
    const started = performance.now();
    running.push(exec("return 1").then(() => waits.push(performance.now() - started)));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await Promise.all(running);
  print(
    `Five runs a second for five seconds: median ${median(waits).toFixed(0)} ms, last ${
      waits.at(-1)?.toFixed(0)
    } ms.`,
  );
  await pause();
}
