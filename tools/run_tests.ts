/**
 * Runs every check and every test, and counts them: format, lint, types, generated files, the real servers, tests, publishing.
 *
 * `deno task test` runs all; words after it pick test files, and then only those run.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { installUpstreams } from "./upstreams.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

interface Counts {
  passed: number;
  failed: number;
}

/** Checks that are one command each; each counts as one. */
const CHECKS: [name: string, args: string[]][] = [
  ["format", ["fmt", "--check"]],
  ["lint", ["lint"]],
  ["types, with those of the examples in docs", ["check", "--doc", "."]],
  ["docs of what importers see", ["doc", "--lint", "mod.ts"]],
  ["generated files", ["run", "-A", "tools/generate.ts", "--check"]],
  ["settings that nothing would miss", ["run", "-A", "tools/mutate_settings.ts"]],
  ["publishing", ["publish", "--dry-run", "--allow-dirty", "--quiet"]],
];

async function main(picked: string[]): Promise<number> {
  const total: Counts = { passed: 0, failed: 0 };
  const failures: string[] = [];
  await installUpstreams();
  for (const [name, args] of picked.length > 0 ? [] : CHECKS) {
    say(`\n== ${name}: deno ${args.join(" ")}`);
    const { code } = await deno(args).spawn().status;
    if (code === 0) total.passed++;
    else {
      total.failed++;
      failures.push(name);
    }
  }
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  try {
    say("\n== tests");
    const flags = [
      "-A",
      "--doc",
      "--sanitize-ops",
      "--sanitize-resources",
      "--no-check",
      `--junit-path=${report}`,
    ];
    const { code } = await deno(["test", ...flags, ...picked]).spawn().status;
    const tests = countTests(await Deno.readTextFile(report));
    total.passed += tests.passed;
    total.failed += tests.failed;
    if (tests.failed > 0) failures.push(`${tests.failed} tests`);
    else if (code !== 0) {
      total.failed++;
      failures.push(`the test runner ended with ${code}`);
    }
  } finally {
    await Deno.remove(report);
  }
  if (failures.length > 0) say(`\nFailed: ${failures.join(", ")}`);
  say(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

/** The counts of a JUnit report's root. */
function countTests(xml: string): Counts {
  const head = /<testsuites [^>]*>/.exec(xml)?.[0] ?? "";
  const count = (name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  const skipped = [...xml.matchAll(/<skipped\b/g)].length;
  return { passed: count("tests") - failed - skipped, failed };
}

function deno(args: string[]): Deno.Command {
  return new Deno.Command(Deno.execPath(), { args, cwd: root, stdin: "null", env: { NO_COLOR: "1" } });
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

Deno.exit(await main(Deno.args));
