import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { prepareScript } from "./strip.ts";

const HEAD = '$start(async($mcpx,$mport)=>{"use strict";';

function body(source: string, exportName?: string): string {
  const { code } = prepareScript(source, exportName === undefined ? {} : { exportName });
  return code.slice(HEAD.length, code.length - "\n})".length);
}

function fault(source: string): McpxError {
  try {
    prepareScript(source);
  } catch (error) {
    assert.ok(error instanceof McpxError);
    return error;
  }
  throw new assert.AssertionError({ message: `${source} should not parse` });
}

Deno.test("types are blanked out and every position stays", () => {
  const source = "const n: number = 1;\nfunction f(a: string): void {}\nreturn n as unknown;";
  const text = body(source);
  assert.equal(text.length, source.length);
  assert.equal(text.indexOf("return"), source.indexOf("return"));
  assert.ok(!text.includes("string"));
});

Deno.test("imports from mcpx become constants of the same length", () => {
  const cases: [string, string][] = [
    ['import { call, tools as t } from "mcpx";', "const {call,tools:t}=$mcpx;"],
    ["import { call } from 'mcpx'", "const {call}=$mcpx;"],
    ['import * as m from "mcpx";', "const m=$mcpx;"],
    ['import m from "mcpx";', "const m=$mcpx;"],
    ['import m, { call } from "mcpx";', "let m=$mcpx,{call}=$mcpx;"],
    ['import { type ToolError, call } from "mcpx";', "const {call}=$mcpx;"],
    ['import type { ToolError } from "mcpx";', ";"],
    ['import "mcpx";', ";"],
  ];
  for (const [source, expected] of cases) {
    const text = body(`${source} return 1`);
    assert.equal(text.trimEnd(), `${expected.padEnd(source.length)} return 1`, source);
  }
});

Deno.test("an import over several lines keeps the lines behind it where they are", () => {
  const source = 'import {\n  call, // the one\n  tools,\n} from "mcpx";\nreturn call;';
  assert.equal(body(source).split("\n").findIndex((line) => line.startsWith("return")), 4);
});

Deno.test("every other import is an error at its line and column", () => {
  for (
    const specifier of [
      "node:fs",
      "npm:chalk",
      "./x.ts",
      "https://example.org/x.ts",
      "data:text/javascript,1",
    ]
  ) {
    const error = fault(`const a = 1;\n  import x from "${specifier}";`);
    assert.equal(error.code, "script-syntax");
    assert.deepEqual(error.data, { line: 2, column: 3 });
    assert.match(
      error.message,
      new RegExp(`script.ts:2:3: Cannot import "${specifier.replaceAll(".", "\\.")}"`),
    );
  }
  assert.match(fault('export { a } from "./a.ts"').message, /1:1: Cannot export from another module/);
  assert.match(fault('export * from "mcpx"').message, /1:1/);
});

Deno.test("a word import or export in a text or comment is left alone", () => {
  const source = 'const s = "import x from y"; // export default 1\nconst t = `import("a")`; return s + t;';
  assert.equal(body(source).trimEnd(), source);
});

Deno.test("a dynamic import becomes a call that rejects, a member of that name does not", () => {
  assert.equal(body('await import("node:os")'), 'await $mport("node:os")');
  assert.equal(body('await import /* x */ ("node:os")'), 'await $mport /* x */ ("node:os")');
  assert.equal(body('return [...import("a")]'), 'return [...$mport("a")]');
  assert.equal(body('await demo.import({ a: "import(1)" })'), 'await demo.import({ a: "import(1)" })');
  assert.equal(body('const s = "import(1)"; import("x")'), 'const s = "import(1)"; $mport("x")');
});

Deno.test("exports become declarations, the wanted one is handed over", () => {
  assert.equal(
    body("export default function (a) { return a }"),
    "function $default       (a) { return a }\n;$mcpx.default=$default",
  );
  assert.match(
    body("export default async function run(a) {}"),
    /^async function run +\(a\) \{\}\n;\$mcpx\.default=run$/,
  );
  assert.equal(body("export default async (a) => a"), "$mcpx.default= async (a) => a");
  assert.match(body("export const a = 1, b = 2;", "b"), /const a = 1, b = 2;\n;\$mcpx\.\$export=b$/);
  assert.match(body("const f = 1; export { f as g };", "g"), /\$mcpx\.\$export=f$/);
  assert.match(body("export const { a, b: c } = x;", "c"), /\$mcpx\.\$export=c$/);
  assert.match(
    body("export type A = string; export interface B {} export enum C { D }", "C"),
    /\$mcpx\.\$export ?= ?C/,
  );
});

Deno.test("an export that does not exist says which do", () => {
  assert.throws(() => prepareScript("export const a = 1;", { exportName: "b" }), {
    message: "Cannot run the export b: the script exports a.",
  });
});

Deno.test("a syntax error has the user's line and column, on the first line too", () => {
  assert.deepEqual(fault("const a = (1 + ;").data, { line: 1, column: 16 });
  assert.deepEqual(fault("const ok = 1;\n\n  const a = (1 + ;").data, { line: 3, column: 18 });
  assert.match(fault("let x = ;").message, /^Cannot parse script\.ts:1:9: Expression expected\.$/);
});

Deno.test("what types cannot be blanked out of is printed anew, with a map to the user's positions", () => {
  const prepared = prepareScript("enum A { B }\nnamespace N { export const x = 1 }\n  throw new Error('x');");
  const lines = prepared.code.split("\n");
  const line = lines.findIndex((text) => text.includes("throw new Error"));
  const column = lines[line]?.indexOf("new Error") ?? -1;
  assert.deepEqual(prepared.map?.position({ line: line + 1, column: column + 1 }), { line: 3, column: 9 });
});

Deno.test("a statement that begins with a semicolon for safety keeps it", () => {
  assert.match(prepareScript("type T = string\n;[1].map((x) => x)").code, /;\s*\[/);
});

Deno.test("a first line for the shell is a comment", () => {
  assert.match(body("#!/usr/bin/env mcpx\nreturn 1"), /^\/\//);
});
