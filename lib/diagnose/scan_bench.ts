import ts from "typescript";
import { publishedSources } from "../../tests/oracle/sources.ts";
import { diagnoseScript } from "./diagnose_script.ts";
import { scan } from "./scan.ts";
import type { DiagnosedNamespace, DiagnosedTool } from "./types.ts";

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

const namespaces = new Map<string, DiagnosedNamespace>();
for (let server = 0; server < 100; server++) {
  const tools = new Map<string, DiagnosedTool>();
  for (let number = 0; number < 100; number++) {
    const name = `tool_${number}`;
    const properties = Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [`field${i}`, { type: "string" }]),
    );
    tools.set(name, { wire: name, fn: name, inputSchema: { properties, required: ["field0", "field1"] } });
  }
  namespaces.set(`server${server}`, { server: `server${server}`, tools });
}
const script = Array.from(
  { length: 500 },
  (_, line) =>
    line % 5 === 0
      ? `const r${line} = await server${line % 100}.tool_${
        line % 97
      }({ field0: "x", field1: "y", field9: ${line} });`
      : `const v${line} = [r${line - (line % 5)}].map((x) => x / 2 + \`\${x}\`.length); // line ${line}`,
).join("\n");

Deno.bench("diagnose a script of 500 lines against 10,000 tools", () => {
  diagnoseScript(script, { namespaces });
});
