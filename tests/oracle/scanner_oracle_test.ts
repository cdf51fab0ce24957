import assert from "node:assert/strict";
import { scan } from "../../lib/diagnose/scan.ts";
import { type CompilerCall, compilerCalls } from "./compiler_calls.ts";
import { publishedSources } from "./sources.ts";

/** Everything on disk where `MCPX_ORACLE=all` asks for it (a minute); else an even sample. */
const SAMPLE_BYTES = Deno.env.get("MCPX_ORACLE") === "all" ? Infinity : 12_000_000;
const LARGEST_FILE = SAMPLE_BYTES === Infinity ? Infinity : 1_000_000;

interface Comparison {
  files: number;
  bytes: number;
  /** Calls of two plain names that the compiler sees, outside the documented blind spots. */
  known: number;
  missed: string[];
  /** Reported, and not there. */
  invented: string[];
  /** Reported as free, and bound in the file. */
  bound: string[];
  free: number;
  /** Free, and reported as shadowed. */
  silenced: string[];
  unbalanced: string[];
}

function compare(path: string, text: string, seen: CompilerCall[], into: Comparison): void {
  const left = new Map(seen.map((call) => [call.start, call]));
  const result = scan(text);
  if (!result.balanced) into.unbalanced.push(path);
  for (const call of result.calls) {
    if (call.viaTools) continue;
    const where = `${path}:${call.line} ${call.namespace}.${call.fn}`;
    const known = left.get(call.start);
    if (known?.name !== `${call.namespace}.${call.fn}` || known.line !== call.line) into.invented.push(where);
    else if (known.bound && !call.shadowed) into.bound.push(where);
    else if (!known.bound) {
      into.free++;
      if (call.shadowed) into.silenced.push(where);
    }
    left.delete(call.start);
  }
  for (const call of left.values()) {
    if (!call.blind) into.missed.push(`${path}:${call.line} ${call.name}`);
  }
  into.known += seen.filter((call) => !call.blind).length;
}

Deno.test("on published source the scanner and the compiler see the same calls", async () => {
  const total: Comparison = {
    files: 0,
    bytes: 0,
    known: 0,
    missed: [],
    invented: [],
    bound: [],
    free: 0,
    silenced: [],
    unbalanced: [],
  };
  for (const { path, text } of await publishedSources(SAMPLE_BYTES, LARGEST_FILE)) {
    const seen = compilerCalls(path, text);
    if (seen === undefined) continue;
    total.files++;
    total.bytes += text.length;
    compare(path, text, seen, total);
  }
  assert.ok(
    total.files > 100 && total.known > 1000,
    `there is too little to compare with: ${total.files} files`,
  );
  assert.deepEqual(total.invented, [], "calls that are not there");
  assert.deepEqual(total.bound, [], "calls of names that the file binds");
  assert.deepEqual(total.missed, [], "calls that were not found");
  const recall = 1 - total.silenced.length / Math.max(1, total.free);
  report(
    `${total.files} files, ${
      (total.bytes / 1e6).toFixed(1)
    } MB, ${total.known} calls: none invented, none missed; ` +
      `of ${total.free} that are free ${(recall * 100).toFixed(3)} % are reported so`,
  );
  assert.ok(
    recall > 0.99,
    `of free calls only ${recall} are reported: ${total.silenced.slice(0, 10).join(", ")}`,
  );
  assert.ok(total.unbalanced.length <= total.files / 1000, total.unbalanced.join("\n"));
});

function report(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`\n${line}\n`));
}
