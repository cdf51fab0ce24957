import { ScriptRunner } from "./runner.ts";
import { RecordingPort, runSource, scriptRequest } from "./testing.ts";

/*
 * Figures of the sandbox: a prewarmed run with one call, what a call adds, many calls, and an idle process.
 * Run: deno run -A lib/sandbox/runner_bench.ts
 */

if (import.meta.main) {
  const stateFolder = await Deno.makeTempDir();
  const runner = new ScriptRunner({ stateFolder, prewarmed: 1 });
  const figures: Record<string, string> = {};
  await runner.ready();

  const runs: number[] = [];
  for (let i = 0; i < 40; i++) {
    await runner.ready();
    const before = performance.now();
    await runSource(runner, "return await demo.echo({ a: 1 });");
    runs.push(performance.now() - before);
  }
  figures["prewarmed run with one call"] = spread(runs);

  await runner.ready();
  const { outcome } = await runSource(
    runner,
    "const from = performance.now(); for (let i = 0; i < 2000; i++) await demo.echo({ i }); return (performance.now() - from) / 2000;",
  );
  figures["one call after the other"] = `${Number(outcome.result).toFixed(3)} ms each`;

  await runner.ready();
  const rss = Deno.memoryUsage().rss;
  const many = await runSource(
    runner,
    `const from = performance.now(); const parts = [];
     for (let p = 0; p < 10; p++) {
       await Promise.all(Array.from({ length: 1000 }, (_, i) => demo.echo({ i })));
       parts.push(Math.round(performance.now() - from));
     }
     return parts;`,
  );
  figures["10,000 calls, 64 at once, ms after each thousand"] = many.outcome.result ??
    JSON.stringify(many.outcome.error);
  figures["most open at once"] = String(many.port.mostOpen);
  figures["growth of this process"] = `${((Deno.memoryUsage().rss - rss) / 2 ** 20).toFixed(1)} MB`;

  await runner.ready();
  const back: number[] = [];
  const from = performance.now();
  for (let i = 0; i < 20; i++) {
    const before = performance.now();
    await runner.run(scriptRequest("return 1"), new RecordingPort(), new AbortController().signal);
    back.push(performance.now() - before);
  }
  figures["back to back"] = `${spread(back)}; ${(20_000 / (performance.now() - from)).toFixed(1)} runs/s`;
  await runner.ready();
  figures["idle process"] = `${idleMegabytes().map((mb) => mb.toFixed(1)).join(", ")} MB`;
  await runner.close();
  await Deno.remove(stateFolder, { recursive: true });
  for (const [name, figure] of Object.entries(figures)) print(`${name}: ${figure}`);
}

function spread(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1);
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms`;
}

/** Resident memory of this process's children that are sandboxes. */
function idleMegabytes(): number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = Deno.readTextFileSync(`/proc/${name}/status`);
      if (!status.includes(`PPid:\t${Deno.pid}\n`)) continue;
      found.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      continue; // it ended meanwhile
    }
  }
  return found;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
