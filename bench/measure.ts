/** Times of one thing, ms. */
export interface Sample {
  name: string;
  times: number[];
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

/** Runs things in turn, `rounds` times each, so that the machine's moods fall on all of them alike. */
export async function sideBySide(
  rounds: number,
  things: Record<string, () => Promise<unknown>>,
): Promise<Map<string, Sample>> {
  const samples = new Map<string, Sample>(Object.keys(things).map((name) => [name, { name, times: [] }]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(things)) {
      const started = performance.now();
      await run();
      // The first round warms caches and does not count.
      if (round > 0) samples.get(name)?.times.push(performance.now() - started);
    }
  }
  return samples;
}

/** Runs a program to its end. @throws {Error} when it fails */
export async function command(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const [program = "", ...rest] = args;
  const { code, stdout, stderr } = await new Deno.Command(program, { args: rest, stdin: "null", ...options })
    .output();
  if (code !== 0) {
    throw new Error(`${args.join(" ")} ended with ${code}: ${new TextDecoder().decode(stderr).slice(-500)}`);
  }
  return new TextDecoder().decode(stdout);
}

/** Prints medians, each as a ratio of the first. */
export function report(title: string, samples: Map<string, Sample>, unit = "ms"): void {
  const [first] = samples.values();
  const floor = first ? median(first.times) : NaN;
  print(`\n## ${title}\n\n| | median ${unit} | ratio |\n| --- | --- | --- |`);
  for (const { name, times } of samples.values()) {
    const middle = median(times);
    print(`| ${name} | ${middle.toFixed(middle < 10 ? 2 : 0)} | ${(middle / floor).toFixed(2)} |`);
  }
}

/** Prints one line. */
export function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
