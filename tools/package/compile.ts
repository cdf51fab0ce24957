/**
 * Makes one executable for each platform, and says of each whether it was run, only looked into, or skipped.
 *
 * `deno task compile [target…]`
 *
 * The runtime that an executable is made of comes from Deno's own site. `DENORT_BIN` names one that is here already; where that is Deno
 * itself, the result carries the program and its permissions but starts Deno instead, so it is looked into and not run.
 *
 * @module
 */
import { UNSTABLE_FLAGS } from "../../lib/cli/sealed_flags.ts";
import { bundle } from "./bundle.ts";
import { deno, ROOT, run, say } from "./run.ts";

/** The platforms, and what is known of each. */
export const TARGETS: Readonly<Record<string, string>> = {
  "x86_64-unknown-linux-gnu": "",
  "aarch64-unknown-linux-gnu": "",
  "x86_64-apple-darwin": "",
  "aarch64-apple-darwin": "",
  "x86_64-pc-windows-msvc": "Windows is not supported yet.",
};

/** What became of one target. */
export interface Compiled {
  target: string;
  state: "run" | "inspected" | "skipped";
  reason: string;
  path?: string;
}

/** The heap of every process of an executable: the limit of a script's sandbox is checked inside it. */
const V8_FLAGS = "--max-old-space-size=512";

/**
 * Makes the executable of one target.
 *
 * @param target a key of {@link TARGETS}
 * @param options `out`: the folder; `bundled`: a folder that {@link bundle} wrote
 */
export async function compile(
  target: string,
  { out, bundled }: { out: string; bundled: string },
): Promise<Compiled> {
  const path = `${out}/mcpx-${target}${target.includes("windows") ? ".exe" : ""}`;
  const runtime = Deno.env.get("DENORT_BIN");
  const here = target === Deno.build.target;
  if (runtime !== undefined && !here) {
    return { target, state: "skipped", reason: "DENORT_BIN is for this machine's platform only." };
  }
  let said: string;
  try {
    said = await deno([
      "compile",
      "-A",
      "--no-check",
      "--no-config",
      "--no-lock",
      ...UNSTABLE_FLAGS,
      `--v8-flags=${V8_FLAGS}`,
      "--target",
      target,
      "--include",
      bundled,
      "--output",
      path,
      `${bundled}/mcpx.js`,
    ]);
  } catch (error) {
    const lines = error instanceof Error ? error.message.split("\n") : [];
    const end = lines.indexOf("Stack backtrace:");
    const causes = lines.slice(0, end < 0 ? undefined : end).filter((line) => /^\s*\d+: /.test(line));
    const reason = causes.at(-1)?.replace(/^\s*\d+: /, "");
    return {
      target,
      state: "skipped",
      reason: `its runtime could not be had: ${reason ?? lines.at(0) ?? ""}`,
    };
  }
  const missing = await inspect(path, said);
  if (missing.length > 0) throw new Error(`Cannot use ${path}: it lacks ${missing.join(", ")}.`);
  if (!here) return { target, state: "inspected", reason: "it is for another platform", path };
  const version = await run(path, ["--version"]).catch(() => "");
  return /^mcpx /.test(version)
    ? { target, state: "run", reason: "it gives its version", path }
    : { target, state: "inspected", reason: "it was made of Deno itself, which runs itself", path };
}

/** What should be inside an executable and is not. */
async function inspect(path: string, said: string): Promise<string[]> {
  const missing: string[] = [];
  if (!/Embedded Files/.test(said) || !said.includes("mcpx.js")) missing.push("the program");
  // What the executable is to do stands at its end, as JSON.
  const bytes = await Deno.readFile(path);
  const tail = new TextDecoder("latin1").decode(bytes.subarray(Math.max(0, bytes.length - 64 * 1024)));
  const whole = tail.includes("worker-options") ? tail : new TextDecoder("latin1").decode(bytes);
  for (const mark of ["worker-options", V8_FLAGS]) if (!whole.includes(mark)) missing.push(mark);
  return missing;
}

if (import.meta.main) {
  const out = `${ROOT}dist`;
  const bundled = await Deno.makeTempDir({ prefix: "mcpx-compile-" });
  try {
    await bundle(bundled);
    await Deno.mkdir(out, { recursive: true });
    for (const target of Deno.args.length > 0 ? Deno.args : Object.keys(TARGETS)) {
      const { state, reason } = await compile(target, { out, bundled });
      say(`${state.padEnd(9)}  ${target}: ${reason}${TARGETS[target] ? ` ${TARGETS[target]}` : ""}`);
    }
  } finally {
    await Deno.remove(bundled, { recursive: true });
  }
}
