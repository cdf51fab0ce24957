import ts from "typescript";
import { publishedSources } from "../../tests/oracle/sources.ts";
import { diagnoseScript } from "./diagnose_script.ts";
import { scan } from "./scan.ts";
import { longScript, tenThousandTools } from "./testdata/long_script.ts";

/** Real source, no file so large that it drowns the others. */
const files = await publishedSources(8_000_000, 500_000);
const megabytes = (files.reduce((sum, file) => sum + file.text.length, 0) / 1e6).toFixed(1);
const wanted = new Set(["demo", "memory", "github", "console", "files"]);

for (const { path, text } of files) {
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  scan(text);
}

Deno.bench(`scan for 5 namespaces, ${megabytes} MB of published source`, { group: "source" }, () => {
  for (const { text } of files) scan(text, { namespaces: wanted });
});

Deno.bench(`scan for every call, ${megabytes} MB`, { group: "source" }, () => {
  for (const { text } of files) scan(text);
});

Deno.bench(`warm ts.createSourceFile, ${megabytes} MB`, { group: "source", baseline: true }, () => {
  for (const { path, text } of files) ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
});

const namespaces = tenThousandTools();
const script = longScript();

Deno.bench("diagnose a script of 500 lines against 10,000 tools", () => {
  diagnoseScript(script, { namespaces });
});
