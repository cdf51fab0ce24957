/**
 * Compares mcpx's client with the SDK's, on the same server over stdio, in one run. Prints wall time, CPU time of
 * this process, and their ratios.
 *
 *     deno run -A lib/mcp/connect_bench.ts
 */
import process from "node:process";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { connectOptions, rawTarget } from "../../tests/fixtures/servers/raw_server.ts";
import { connectUpstream } from "./mod.ts";

/** One unmeasured round, in which the code gets warm, and the measured ones. */
const ROUNDS = 1 + 8;
const CALLS = 1000;
const AT_ONCE = 50;

const target = rawTarget("plain");
const call = { name: "big", arguments: { mb: 0 } };

/** A client under test: how it calls, and how it is closed. */
interface Contender {
  call(): Promise<unknown>;
  close(): Promise<unknown>;
}

async function openOwn(): Promise<Contender> {
  const server = await connectUpstream(target, connectOptions({ protocol: "legacy" }));
  return {
    call: () => server.request("tools/call", call, { timeoutMs: 60_000 }),
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
    call: () => client.request({ method: "tools/call", params: call }, anything, { timeout: 60_000 }),
    close: () => client.close(),
  };
}

/** What some work cost, ms. */
interface Cost {
  wall: number;
  cpu: number;
}

async function measure(work: () => Promise<unknown>, times = 1): Promise<Cost> {
  const since = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: (performance.now() - since) / times, cpu: (user + system) / 1000 / times };
}

function median(costs: Cost[], of: keyof Cost): number {
  return costs.map((cost) => cost[of]).sort((a, b) => a - b)[costs.length >> 1] ?? NaN;
}

async function oneByOne(call: Contender["call"]): Promise<void> {
  for (let index = 0; index < CALLS; index++) await call();
}

async function together(call: Contender["call"]): Promise<void> {
  for (let index = 0; index < CALLS; index += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, call));
  }
}

const costs = new Map<string, Cost[]>();

function keep(name: string, cost: Cost): void {
  costs.set(name, [...costs.get(name) ?? [], cost]);
}

for (let round = 0; round < ROUNDS; round++) {
  if (round === 1) costs.clear();
  const contenders = [["mcpx", openOwn], ["sdk", openSdk]] as const;
  for (const [name, open] of round % 2 === 0 ? contenders : contenders.toReversed()) {
    const opened: Contender[] = [];
    keep(`open ${name}`, await measure(async () => opened.push(await open())));
    for (const { call, close } of opened) {
      keep(`one by one ${name}`, await measure(() => oneByOne(call), CALLS));
      keep(`together ${name}`, await measure(() => together(call), CALLS));
      await close();
    }
  }
}

const lines = ["open", "one by one", "together"].flatMap((kind) =>
  (["wall", "cpu"] as const).map((of) => {
    const own = median(costs.get(`${kind} mcpx`) ?? [], of);
    const sdk = median(costs.get(`${kind} sdk`) ?? [], of);
    const figures = `mcpx ${own.toFixed(3)} ms   sdk ${sdk.toFixed(3)} ms   sdk/mcpx ${
      (sdk / own).toFixed(2)
    }`;
    return `${kind.padEnd(10)} ${of.padEnd(4)}   ${figures}`;
  })
);
await Deno.stdout.write(new TextEncoder().encode(lines.join("\n") + "\n"));
