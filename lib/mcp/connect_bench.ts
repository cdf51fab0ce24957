/**
 * Compares mcpx's client with the SDK's, on the same server over stdio, in one run. Prints ratios.
 *
 *     deno run -A lib/mcp/connect_bench.ts
 */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { connectOptions, rawTarget } from "../../tests/fixtures/servers/raw_server.ts";
import { connectUpstream } from "./mod.ts";

const ROUNDS = 7;
const CALLS = 500;
const AT_ONCE = 50;

const target = rawTarget("plain");
const echo = { name: "echo", arguments: { text: "hello" } };

/** A client under test: how it calls, and how it is closed. */
interface Contender {
  call(): Promise<unknown>;
  close(): Promise<unknown>;
}

async function openOwn(): Promise<Contender> {
  const server = await connectUpstream(target, connectOptions({ protocol: "legacy" }));
  return {
    call: () => server.request("tools/call", echo, { timeoutMs: 60_000 }),
    close: () => server.close({ graceMs: 200 }),
  };
}

async function openSdk(): Promise<Contender> {
  const client = new Client({ name: "bench", version: "0" });
  await client.connect(
    new StdioClientTransport({ command: target.command, args: target.args, env: target.env }),
  );
  const anything = {
    "~standard": { version: 1 as const, vendor: "bench", validate: (value: unknown) => ({ value }) },
  };
  return {
    call: () => client.request({ method: "tools/call", params: echo }, anything, { timeout: 60_000 }),
    close: () => client.close(),
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >> 1] ?? NaN;
}

async function oneByOne({ call }: Contender): Promise<void> {
  for (let index = 0; index < CALLS; index++) await call();
}

async function together({ call }: Contender): Promise<void> {
  for (let index = 0; index < CALLS; index += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, call));
  }
}

const times: Record<string, number[]> = {};
for (let round = 0; round < ROUNDS; round++) {
  const contenders = [["mcpx", openOwn], ["sdk", openSdk]] as const;
  for (const [name, open] of round % 2 === 0 ? contenders : contenders.toReversed()) {
    let contender: Contender | undefined;
    (times[`open ${name}`] ??= []).push(await timed(async () => contender = await open()));
    if (!contender) continue;
    const { call, close } = contender;
    (times[`one by one ${name}`] ??= []).push(await timed(() => oneByOne({ call, close })) / CALLS);
    (times[`together ${name}`] ??= []).push(await timed(() => together({ call, close })) / CALLS);
    await close();
  }
}

const lines = ["open", "one by one", "together"].map((kind) => {
  const own = median(times[`${kind} mcpx`] ?? []);
  const sdk = median(times[`${kind} sdk`] ?? []);
  return `${kind.padEnd(12)} mcpx ${own.toFixed(3)} ms   sdk ${sdk.toFixed(3)} ms   sdk/mcpx ${
    (sdk / own).toFixed(2)
  }`;
});
await Deno.stdout.write(new TextEncoder().encode(lines.join("\n") + "\n"));
