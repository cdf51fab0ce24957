import ts from "typescript";
import { diagnoseScript, explainCall, scan } from "../lib/diagnose/mod.ts";
import { longScript, tenThousandTools } from "../lib/diagnose/testdata/long_script.ts";
import { publishedSources } from "../tests/oracle/sources.ts";
import { median, print, report, sideBySide } from "./measure.ts";

const NAMES = new Set(["demo", "memory", "github", "console", "files"]);

/** The scanner beside the TypeScript parser on published source, and diagnosing a long script against many tools. */
export async function run(): Promise<void> {
  const files = await publishedSources(8_000_000, 500_000);
  const megabytes = files.reduce((sum, { text }) => sum + text.length, 0) / 1e6;
  const samples = await sideBySide(10, {
    "scan for five namespaces": () =>
      Promise.resolve(files.forEach(({ text }) => scan(text, { namespaces: NAMES }))),
    "scan for every call": () => Promise.resolve(files.forEach(({ text }) => scan(text))),
    "warm ts.createSourceFile": () =>
      Promise.resolve(
        files.forEach(({ path, text }) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest)),
      ),
  });
  report(`${megabytes.toFixed(1)} MB of published source (aims: 50 MB/s, 3 times the parser)`, samples);
  for (const { name, times } of samples.values()) {
    print(`${name}: ${(megabytes / median(times) * 1000).toFixed(0)} MB/s`);
  }
  const namespaces = tenThousandTools();
  const source = longScript();
  report(
    "diagnosing (aim: 500 lines against 10,000 tools under 5 ms)",
    await sideBySide(50, {
      "a script of 500 lines, 10,000 tools": () => Promise.resolve(diagnoseScript(source, { namespaces })),
      "a failed call": () =>
        Promise.resolve(explainCall({
          namespace: "server0",
          fn: "tool_0",
          inputSchema: namespaces.get("server0")?.tools.get("tool_0")?.inputSchema,
          arguments: { field0: "x" },
          answer: { kind: "rpc-error", code: -32602, message: "Invalid params" },
        })),
    }),
  );
}
