import assert from "node:assert/strict";
import fc from "fast-check";
import { scan } from "./scan.ts";
import type { ToolCallSite } from "./types.ts";

const namespaces = new Set(["demo"]);

function calls(source: string): ToolCallSite[] {
  return scan(source, { namespaces }).calls;
}

/** Source, and the names of the calls in it. */
const FOUND: [string, string[]][] = [
  ["demo.echo()", ["echo"]],
  ['demo["fancy-name"]({ a: 1 })', ["fancy-name"]],
  ["demo['it\\'s']()", ["it's"]],
  ["demo?.echo?.({})", ["echo"]],
  ['demo?.["x"]?.()', ["x"]],
  ["tools.demo.echo({})", ["echo"]],
  ['tools["demo"]["x"]()', ["x"]],
  ["tools?.demo?.echo?.()", ["echo"]],
  ["demo\n  .echo\n  (\n)", ["echo"]],
  ["const x =\n demo\n.echo\n({})", ["echo"]],
  ["demo /* c */ . // x\n echo /**/ ()", ["echo"]],
  ["demo.delete()", ["delete"]],
  ["d\\u0065mo.\\u{65}cho()", ["echo"]],
  ["`${demo.echo()}`", ["echo"]],
  ["`a${`b${demo.echo()}`}` + demo.b()", ["echo", "b"]],
  ["`${'}'}` + demo.echo()", ["echo"]],
  ["(x) / demo.echo() / 2", ["echo"]],
  ["x = {}\n/ demo.echo() / 2", ["echo"]],
  ["x = a++ / demo.echo() / 2", ["echo"]],
  ["a! / demo.b() / 2", ["b"]],
  ["x = a[0] / demo.b() / 2", ["b"]],
  ["a ?.5 : demo.echo()", ["echo"]],
  ["1..toString(); 0x1f.a; demo.echo()", ["echo"]],
  ["<div>don't demo.no() {demo.echo()} <b a='x>' /></div>", ["echo"]],
  ["<>it's {demo.a()}</>; demo.b()", ["a", "b"]],
  ["const f = <T>(x: T) => demo.echo()", ["echo"]],
  ["const f = <T,>(x: T) => demo.echo(`'`)", ["echo"]],
  ["const x = <any>demo.echo()", ["echo"]],
  ["#!/bin/deno demo.no()\ndemo.echo()", ["echo"]],
  ["<!-- demo.no()\ndemo.echo()\n--> demo.no()", ["echo"]],
  ["demo.a({ x: demo.b({}) })", ["a", "b"]],
  ["for (const r of demo.list()) {}", ["list"]],
  ["switch (x) { case demo.a(): break; default: demo.b() }", ["a", "b"]],
  ["x ? demo.a() : demo.b()", ["a", "b"]],
  ["class A { @demo.dec() x() {} }", ["dec"]],
  ["const o = { demo() {}, x: demo.echo() }", ["echo"]],
  ["if (x) demo.a()\nelse demo.b()", ["a", "b"]],
  ["try { demo.a() } finally { demo.b() }", ["a", "b"]],
  ["label: for (;;) { demo.a() }", ["a"]],
  ["function f(): void { demo.a() }", ["a"]],
];

/** Source in which there is no call of a tool. */
const NOTHING = [
  "x.demo.echo()",
  "this.demo.echo()",
  "globalThis.demo.echo()",
  "new demo.echo()",
  "new demo.Thing.Other()",
  "// demo.echo()",
  "/* demo.echo() */",
  "'demo.echo()'",
  '"\\" demo.echo()"',
  "`demo.echo()`",
  "`\\${demo.echo()}`",
  "x = y / /demo.a()/g.exec(z)",
  "if (x) /demo.echo()/.test(y)",
  "return /demo.echo()/",
  "/[/]demo.echo()/",
  "x => { }\n/demo.echo()/.test(y)",
  "please call demo.echo()",
  "demo.echo(",
  "demo.echo`x`",
  "demo.echo",
  "demo.echo.call()",
  "demo.#echo()",
  "(demo).echo()",
  "`${demo.echo}${(0, x)(y)}`",
  "demo[echo]()",
  'demo["a" + "b"]()',
  "demoo.echo()",
  "$demo.echo()",
  "type X = demo.echo\n(foo)",
  "let x: demo.echo\n(foo)",
  "console.log(JSON.parse(x))",
  "",
];

/** Source, and for each call in it whether the name is bound there: `1` is. */
const SHADOWED: [string, string][] = [
  ["const demo = 1; demo.a()", "1"],
  ["demo.a(); const demo = 1", "1"],
  ["let demo\ndemo.a()", "1"],
  ["{ const demo = 1; demo.a() } demo.b()", "10"],
  ["demo.a(); { var demo }", "1"],
  ["function f() { if (x) { var demo = 1 } demo.a() } demo.b()", "10"],
  ["let a = 1, demo = 2; demo.a()", "1"],
  ["const a = f(demo), b = 2; demo.a()", "0"],
  ["const a = () => { const b = 1 }, demo = 2; demo.a()", "1"],
  ["using demo = x; demo.a()", "1"],
  ["await using demo = x; demo.a()", "1"],
  ["export const demo = 1; demo.a()", "1"],
  ["function demo() {} demo.a()", "1"],
  ["async function* demo() {} demo.a()", "1"],
  ["class demo {} demo.a()", "1"],
  ["enum demo {} demo.a()", "1"],
  ["namespace demo {} demo.a()", "1"],
  ["const { demo: x } = y; demo.a()", "0"],
  ["const { x: demo } = y; demo.a()", "1"],
  ["const { demo } = y; demo.a()", "1"],
  ["const { x = 1, ...demo } = y; demo.a()", "1"],
  ["const [{ a: [demo] }] = y; demo.a()", "1"],
  ["const [, demo = 3] = y; demo.a()", "1"],
  ["const { a = demo.z() } = x; demo.a()", "00"],
  ["function f(demo) { demo.a() } demo.b()", "10"],
  ["function f(demo: X): { a: 1 } { demo.a() } demo.b()", "10"],
  ["function f(a: demo): void {} demo.a()", "0"],
  ["function f({ a, demo }: X) { demo.a() } demo.b()", "10"],
  ["const f = demo => demo.a(); demo.b()", "10"],
  ["const f = async demo => { demo.a() }; demo.b()", "10"],
  ["const f = (demo): void => { demo.a() }; demo.b()", "10"],
  ["const f = async (x = 1, ...demo) => demo.a()", "1"],
  ["const f = demo => new Map<string, X>([[1, demo.get()]])", "1"],
  ["x ? f(demo, ({ a }) => a) : f(y, ({ demo }) => demo.a())", "1"],
  ["x ? (demo) : y\nfor (const demo of xs) demo.a()", "1"],
  ["const f = demo => demo.a()\nconst x = demo.b()", "10"],
  ["const g = function* (demo) { demo.a() }", "1"],
  ["xs.map(({ demo }) => demo.a()); demo.b()", "10"],
  ["xs.map((demo) => { demo.a() }); demo.b()", "10"],
  ["const f = () => { return (demo: string): ((x: number) => void) => { demo.a() } }; demo.b()", "10"],
  ["class A { m(demo) { demo.a() } n() { demo.b() } }", "10"],
  ["class A { constructor(private demo: X) { demo.a() } }", "1"],
  ["try {} catch (demo) { demo.a() } demo.b()", "10"],
  ["for (const demo of xs) { demo.a() } demo.b()", "10"],
  ["for (const demo of xs) demo.a()", "1"],
  ["for (let i = 0, demo = 1;;) demo.a()", "1"],
  ["for (var demo of xs) {} demo.a()", "1"],
  ["import demo from 'x'; demo.a()", "1"],
  ["import * as demo from 'x'\ndemo.a()", "1"],
  ["import { x as demo } from 'x'; demo.a()", "1"],
  ["import { demo as x } from 'x'; demo.a()", "0"],
  ["import { demo } from 'x'; demo.a()", "1"],
  ["import demo = require('x'); demo.a()", "1"],
  ["import { demo } from 'mcpx'; demo.a()", "0"],
  ["import { x as demo } from 'mcpx'; demo.a()", "1"],
  ["await import('demo'); demo.a()", "0"],
  ["const tools = 1; tools.demo.a(); demo.b()", "10"],
  ["const demo = 1; tools.demo.a()", "0"],
  ["const x = { demo }; demo.a()", "0"],
  ["f(demo); g([demo]); demo.a()", "0"],
  ["if (demo) { demo.a() }", "0"],
  ["while (demo) { demo.a() }", "0"],
  ["a ? (demo) : { b: 1 }; demo.a()", "0"],
  ["const d\\u0065mo = 1; demo.a()", "1"],
  ["( demo.a(); const demo", "1"],
  ["{ const demo = 1 } } demo.a()", "1"],
];

Deno.test("calls are found in every spelling, and with white space wherever it may stand", () => {
  for (const [source, names] of FOUND) {
    assert.deepEqual(calls(source).map((call) => call.fn), names, source);
  }
});

Deno.test("what only looks like a call is not reported", () => {
  for (const source of NOTHING) assert.deepEqual(calls(source), [], source);
});

Deno.test("a name bound in the source is marked where it is bound, and only there", () => {
  for (const [source, marks] of SHADOWED) {
    const found = calls(source).map((call) => call.shadowed ? "1" : "0").join("");
    assert.equal(found, marks, source);
  }
});

Deno.test("a call of an unconfigured namespace is reported only behind tools", () => {
  assert.deepEqual(calls("other.a(); tools.other.b()").map((call) => call.fn), ["b"]);
  assert.equal(calls("tools.other.b()")[0]?.namespace, "other");
  assert.deepEqual(scan("other.a(); x.y.z()").calls.map((call) => call.fn), ["a"]);
});

Deno.test("a namespace may be called like a word that is special elsewhere", () => {
  for (const name of ["type", "of", "module", "namespace", "as", "using"]) {
    const found = scan(`await ${name}.run({})`, { namespaces: new Set([name]) }).calls;
    assert.deepEqual(found.map((call) => `${call.namespace}.${call.fn}`), [`${name}.run`]);
  }
});

Deno.test("the top of the argument is read, and no further than the source tells", () => {
  const source =
    "demo.a({ s: 'x\\n', n: -1_000, h: 0x10, t: true, z: null, l: [1, 2], o: { s: 1 }, v, w: 1 + 2, " +
    "'q-r': `t`, f() {}, get g() { return 1 }, u: undefined, c: [1].length })";
  const argument = calls(source)[0]?.argument;
  assert.equal(argument?.kind, "object");
  if (argument?.kind !== "object") return;
  assert.equal(argument.open, false);
  const unknown = { kind: "unknown" };
  assert.deepEqual(Object.fromEntries(argument.properties.map(({ key, value }) => [key, value])), {
    s: { kind: "literal", value: "x\n" },
    n: { kind: "literal", value: -1000 },
    h: { kind: "literal", value: 16 },
    t: { kind: "literal", value: true },
    z: { kind: "literal", value: null },
    l: { kind: "array" },
    o: { kind: "object" },
    v: unknown,
    w: unknown,
    "q-r": { kind: "literal", value: "t" },
    f: unknown,
    g: unknown,
    u: unknown,
    c: unknown,
  });
  const texts = argument.properties.map(({ start, end }) => source.slice(start, end));
  assert.equal(texts[0], "s: 'x\\n'");
  assert.equal(texts[6], "o: { s: 1 }");
});

Deno.test("a spread or a computed key leaves the argument open, and anything but one object literal is other", () => {
  const kinds = (source: string): string => {
    const argument = calls(source)[0]?.argument;
    return argument?.kind === "object" ? `object ${argument.open}` : String(argument?.kind);
  };
  assert.equal(kinds("demo.a()"), "none");
  assert.equal(kinds("demo.a(/* nothing */)"), "none");
  assert.equal(kinds("demo.a({})"), "object false");
  assert.equal(kinds("demo.a({ a: 1, },)"), "object false");
  assert.equal(kinds("demo.a({ ...x })"), "object true");
  assert.equal(kinds("demo.a({ [x]: 1 })"), "object true");
  for (
    const argument of ["x", "'x'", "{}, 1", "{} as X", "...x", "{ a: 1 }.b", "[]", "() => ({})", "await x"]
  ) {
    assert.equal(kinds(`demo.a(${argument})`), "other", argument);
  }
});

Deno.test("lines and columns count from one, whatever breaks the lines", () => {
  const found = calls("demo.a()\r\n  demo.b()\r\u2028 demo.c()\n/*\n*/ x(`\n`); demo.d()");
  assert.deepEqual(found.map(({ line, column }) => [line, column]), [[1, 1], [2, 3], [4, 2], [7, 5]]);
});

Deno.test("offsets cut out the callee, the argument and the await", () => {
  const source = "x = await  demo . echo ( { a: 1 } );";
  const [call] = calls(source);
  assert.equal(source.slice(call?.awaitStart, call?.end), "await  demo . echo ( { a: 1 } )");
  assert.equal(source.slice(call?.start, call?.calleeEnd), "demo . echo");
  assert.equal(source.charAt(call?.open ?? 0), "(");
});

const PIECES = [
  "demo.echo(",
  ")",
  "(",
  "{",
  "}",
  "[",
  "]",
  "`",
  "${",
  "'",
  '"',
  "/",
  "/*",
  "*/",
  "//",
  "\n",
  "\\",
  "=>",
  "<a>",
  "</a>",
  "<a ",
  "/>",
  "demo",
  ".",
  "?.",
  "tools",
  "const ",
  "let ",
  "var ",
  "import ",
  "from ",
  "function ",
  "class ",
  "=",
  ",",
  ";",
  ":",
  "?",
  "1",
  "x",
  "return ",
  "if (",
  "for (",
  "catch (",
  "<!--",
  "-->",
  "#!",
  "\ud800",
  "\udc00",
  "\u2028",
  "\u0000",
  "\ufeff",
  "\\u{65}",
  "a: 1",
  "...",
  "++",
  "!",
  " ",
  "as ",
  "of ",
  "type ",
];

Deno.test("no text makes it throw, and what it reports is in the text", () => {
  const text = fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary", maxLength: 200 }),
  );
  fc.assert(
    fc.property(text, (source) => {
      for (const call of [...scan(source).calls, ...calls(source)]) {
        assert.ok(call.start < call.calleeEnd && call.calleeEnd <= call.open && call.open < call.end);
        assert.equal(source.charAt(call.open), "(");
        assert.equal(source.charAt(call.end - 1), ")");
        assert.ok(call.line >= 1 && call.column >= 1);
      }
    }),
    { numRuns: 3000 },
  );
});

Deno.test("text before, behind and between calls that balances does not hide them", () => {
  const filler = fc.constantFrom(
    "const x = 1;",
    "/re'\\/[/]/.test(y);",
    "'it\\'s';",
    "`a${b}c`;",
    "// it's\n",
    '/* " */',
    "if (a) { b() }",
    "for (const a of b) { c /= 2 / d }",
    "x = a / b / c;",
    "const f = <T>(x: T) => x;",
    "y = { a: 1, b: [2] };",
    "a++ / 2;",
    "class A { m() { return /'/ } }",
    "switch (a) { case 1: b(); default: c() }",
    "label: while (x) { break }",
  );
  fc.assert(
    fc.property(fc.array(filler, { maxLength: 10 }), fc.array(filler, { maxLength: 10 }), (before, after) => {
      const source = `${before.join("\n")}\nawait demo.echo({ a: 1 });\n${after.join("\n")}\ndemo.b()`;
      assert.deepEqual(
        calls(source).map((call) => `${call.fn} ${call.shadowed}`),
        ["echo false", "b false"],
        source,
      );
    }),
    { numRuns: 500 },
  );
});

Deno.test("a regular expression is known after every token that may come before one", () => {
  const before = [
    "",
    ";",
    "{",
    "}",
    "(",
    "[",
    ",",
    "=",
    ":",
    "?",
    "!",
    "&&",
    "||",
    "??",
    "+",
    "-",
    "*",
    "%",
    "&",
    "|",
    "^",
    "~",
    "<",
    ">",
    "=>",
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "instanceof",
    "void",
    "delete",
    "throw",
    "await",
    "yield",
    "else",
    "do",
    "if (x)",
    "while (x)",
    "for (;;)",
    "new",
    "export default",
    "x = y /",
    "...",
  ];
  for (const token of before) {
    const source = token === "of" ? "for (x of /demo.a('/) {}; demo.b()" : `${token} /demo.a('/; demo.b()`;
    assert.deepEqual(calls(source).map((call) => call.fn), ["b"], source);
  }
});

Deno.test("time grows with the length alone, whatever is left open", () => {
  const units = [
    "(",
    "[",
    "{",
    "${",
    "`${",
    "/",
    "/[",
    "/* ",
    "'",
    "\\u",
    "</",
    "<a>",
    "<a b={",
    "}",
    ")",
    "/*x*/",
    "demo.a({",
    "demo.a(",
    "{demo.a(",
    "const demo=1;{",
    "var demo;{",
    "demo=>",
    "(demo)=>",
    "(demo):",
    "let[",
    "a ? ",
    "import {demo,",
    "<demo ",
    "x\r",
    "//\r",
    "<!--",
    "\ud800",
    "for(const demo of ",
    "demo . ",
    "/*\r*/a",
  ];
  for (const unit of units) {
    const source = unit.repeat(Math.ceil(400_000 / unit.length));
    const start = performance.now();
    scan(source, { namespaces });
    assert.ok(performance.now() - start < 1500, `${JSON.stringify(unit)} took too long`);
  }
});

Deno.test("five million characters on one line are read", () => {
  const source = `${"a.b(c,'d',/e/,`f`);".repeat(270_000)}demo.echo()`;
  assert.equal(calls(source).length, 1);
});
