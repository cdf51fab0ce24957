import assert from "node:assert/strict";
import fc from "fast-check";
import { readHeader } from "./header.ts";
import { readRecipe } from "./read_recipe.ts";

const problemsOf = (source: string): string[] =>
  (readHeader(source)?.problems ?? []).map(({ line, message }) => `${line}: ${message}`);

Deno.test("a header gives the summary, the rest, the types, the defaults and the descriptions", () => {
  const header = readHeader(
    [
      "#!/usr/bin/env mcpx",
      "// Close stale issues",
      "// in a repository.",
      "//",
      "// It asks nobody.",
      "// @param repo:string        which repository, as owner/name",
      "// @param days:number = 30   how old counts as stale",
      '// @param state:"open"|"closed" = open  which ones',
      '// @param labels : array = ["a b", "]"]   only these',
      "// @param more:json = null",
      "// @tool false",
      "",
      "const found = 1; // @param late:string",
    ].join("\n"),
  );
  assert.equal(header?.summary, "Close stale issues in a repository.");
  assert.equal(header?.description, "It asks nobody.");
  assert.equal(header?.isTool, false);
  assert.deepEqual(header?.problems, []);
  assert.deepEqual(header?.parameters, [
    { name: "repo", type: "string", line: 6, description: "which repository, as owner/name" },
    { name: "days", type: "number", line: 7, description: "how old counts as stale", default: { value: 30 } },
    {
      name: "state",
      type: "enum",
      values: ["open", "closed"],
      line: 8,
      description: "which ones",
      default: { value: "open" },
    },
    { name: "labels", type: "array", line: 9, description: "only these", default: { value: ["a b", "]"] } },
    { name: "more", type: "json", line: 10, description: "", default: { value: null } },
  ]);
});

Deno.test("a script that declares nothing is no recipe, and a function's own @param lines declare nothing", () => {
  assert.equal(readHeader("// Just a script.\nreturn 1;"), undefined);
  assert.equal(
    readHeader("/**\n * Adds.\n * @param {number} a the first\n * @param b - the second\n */\nreturn 1;"),
    undefined,
  );
  assert.equal(readHeader(""), undefined);
  assert.equal(readHeader("return 1; // @param x:string"), undefined);
  const block = readHeader("/*\n * Greets.\n * @param who:string  whom\n */ return 1;");
  assert.equal(block?.summary, "Greets.");
  assert.equal(block?.parameters[0]?.description, "whom");
  assert.deepEqual(readHeader("// Ping.\n// @tool true\nreturn 1;")?.parameters, []);
});

Deno.test("what is wrong in a header is said with its line, never dropped", () => {
  assert.deepEqual(problemsOf("// @param\n// @param 1x:string"), [
    "1: A @param line does not begin with a name.",
    "2: A @param line does not begin with a name.",
  ]);
  assert.deepEqual(problemsOf("// @param repo which one"), ["1: The parameter repo has no type."]);
  assert.deepEqual(problemsOf("// @param repo?:string"), [
    "1: The parameter repo cannot be left out by `?`: give it a default.",
  ]);
  assert.deepEqual(problemsOf("// @param repo:text"), [
    '1: The parameter repo has the type "text", which is none.',
  ]);
  assert.deepEqual(problemsOf("// @param days:number = many"), ["1: The default of days is no JSON value."]);
  assert.deepEqual(problemsOf("// @param days:integer = 1.5"), [
    "1: The default of days does not fit: 1.5 is not a whole number.",
  ]);
  assert.deepEqual(problemsOf('// @param s:"a"|"b" = c'), [
    '1: The default of s does not fit: "c" is not one of "a", "b".',
  ]);
  assert.deepEqual(problemsOf("// @param a:string\n// @param a:number"), [
    "2: The parameter a is declared twice.",
  ]);
  assert.deepEqual(problemsOf("// @param __proto__:string"), ["1: A parameter cannot be called __proto__."]);
  assert.deepEqual(problemsOf("// @tool maybe"), ["1: @tool is neither true nor false."]);
  assert.deepEqual(problemsOf("// @parm a:string"), ["1: There is no header line @parm."]);
  assert.deepEqual(problemsOf("// @ts-nocheck\n// @author somebody\n// @param a:string"), []);
});

Deno.test("tools are the calls of namespaces, never those of the language or a runtime", () => {
  const source = `// Work.
// @param x:string
import { demo } from "mcpx";
await demo.search({ q: @x });
await tools.other.run({});
console.log(JSON.parse("{}"));
fs.writeFileSync("a", "b");
path.join("a");
Deno.readTextFile("x");
const local = { call() {} };
local.call();
`;
  assert.deepEqual(readRecipe("r", source)?.tools, ["demo.search", "other.run"]);
  assert.deepEqual(readRecipe("r", source, { namespaces: new Set(["fs"]) })?.tools, [
    "fs.writeFileSync",
    "other.run",
  ]);
});

Deno.test("no text makes reading a header throw or run long", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          "// ",
          "@param ",
          "a",
          ":",
          "string",
          " = ",
          '"',
          "[",
          "{",
          "\\",
          "|",
          "\n",
          "/*",
          "*/",
          "@tool",
          "\u2028",
        ),
      ),
      (parts) => {
        readHeader(parts.join(""));
      },
    ),
    { numRuns: 500 },
  );
  const started = performance.now();
  readHeader(`// @param a:array = ${"[".repeat(200_000)}`);
  readHeader(`// @param a:${'"x"|'.repeat(50_000)}`);
  const many = Array.from({ length: 50_000 }, (_, at) => `// @param p${at}:string`).join("\n");
  assert.match(readHeader(many)?.problems[0]?.message ?? "", /more than 100 parameters/);
  readHeader("//".padEnd(1_000_000, "\n//"));
  assert.ok(performance.now() - started < 2000);
});
