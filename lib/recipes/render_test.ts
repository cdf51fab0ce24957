import assert from "node:assert/strict";
import fc from "fast-check";
import ts from "typescript";
import { rawNumber } from "../json/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { findReferences } from "./references.ts";
import { readRecipe } from "./read_recipe.ts";
import { renderRecipe } from "./render.ts";
import type { Recipe } from "./types.ts";

const HEAD = ["s:string", "n:number", "b:boolean", "l:array", "o:object", "j:json", 'e:"a"|"b"']
  .map((one) => `// @param ${one}\n`).join("");

/** Statements with holes, and text around them that only looks like one. */
const STATEMENTS: readonly string[] = [
  "await demo.search({ repo: @s, days: @n, deep: { list: @l } });",
  "const text = `not @s but ${@s} and ${@o.x} @n`;",
  'log.info("@s", @j);',
  "// @s in a comment\nconst c = @b;",
  "/* @n */ const d = @n + @n * 2 - @n;",
  "const r = /@s[@n]\\/@o/g.test(@s);",
  "const half = @n / 2 / @n;",
  "const f = () => @o;",
  "const g = (x) => @l;",
  "if (@b) demo.a(@j); else demo.b({ [@s]: @l });",
  "for (const one of @l) demo.c(one, ...@l);",
  "switch (@e) { case @s: demo.d(); break; default: demo.e(@n); }",
  "const t = @b ? @n : @o;",
  "const u = -@n;",
  "const v = typeof @j;",
  "const w = @n ** 2;",
  "const y = [@n, @s, @l, @o, @b, @j];",
  "const z = @s.length + @l.length + (@n).toFixed(2);",
  "void @j;",
  "@l.forEach((one) => demo.f(one));",
  "@n.toFixed(1);",
  "@s;",
  "@o;",
  "const { a = @j } = @o;",
  "demo.g(@s as string, <unknown>@o, @n satisfies number);",
  "label: { demo.h(@o ?? @j, @b && @s || @n); }",
  "const k = @n<@n;",
  "throw @o;",
  "const m = typeof@b, ab = void@n, ac = typeof@s, ad = void@j;",
  "const p = async () => { await @j; return @n; };",
  "@Dec class A { @inject() x = @s; method(@arg y) { return @o; } }",
];

const RUNS = Number(Deno.env.get("MCPX_PROPERTY_RUNS") ?? 600);

const HOSTILE_TEXT: readonly string[] = [
  "",
  '"',
  "'",
  "`",
  "${process.exit()}",
  "*/ evil() /*",
  "// evil",
  "</script><script>evil()</script>",
  "<!-- evil -->",
  "\u2028evil()\u2029",
  "\\",
  '\\"',
  "\ud800",
  "\udc00\ud800",
  "\0",
  "\r\n",
  '"); evil(); ("',
  "__proto__",
  "use strict",
  "@s @n",
];

const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXT), fc.string({ unit: "binary", maxLength: 30 }));
const number = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    -1,
    1e308,
    -1e-320,
    5e-324,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    2 ** 53,
    0.1,
    1e21,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const key = fc.oneof(fc.constantFrom("__proto__", "constructor", "a-b", "1", '"', "then", "</"), text);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map(objectOf),
  ),
})).value;
const values = fc.record({
  s: text,
  n: number,
  b: fc.boolean(),
  l: fc.array(json, { maxLength: 3 }),
  o: fc.array(fc.tuple(key, json), { maxLength: 3 }).map(objectOf),
  j: json,
  e: fc.constantFrom("a", "b"),
});

/** An object with these members, `__proto__` one like the others. */
function objectOf(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [name, value] of members) {
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return made;
}

function recipeOf(body: string): Recipe {
  const recipe = readRecipe("r", HEAD + body);
  assert.ok(recipe);
  return recipe;
}

function parse(source: string): ts.SourceFile {
  return ts.createSourceFile("r.ts", source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
}

/** Every syntax error but those of decorators, which the parser leaves to the checker. */
function syntaxErrors(file: ts.SourceFile): string[] {
  const { parseDiagnostics } = file as ts.SourceFile & { parseDiagnostics: readonly ts.Diagnostic[] };
  return parseDiagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

/** The value of a tree that is nothing but literals; throws for any other node. */
function valueOf(node: ts.Node): unknown {
  if (ts.isParenthesizedExpression(node)) return valueOf(node.expression);
  if (ts.isStringLiteral(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isBigIntLiteral(node)) return BigInt(node.text.slice(0, -1));
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
  if (node.kind === ts.SyntaxKind.NullKeyword) return null;
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const value = valueOf(node.operand);
    assert.ok(typeof value === "number" || typeof value === "bigint");
    return -value;
  }
  if (ts.isArrayLiteralExpression(node)) return node.elements.map(valueOf);
  assert.ok(
    ts.isObjectLiteralExpression(node),
    `a hole holds ${ts.SyntaxKind[node.kind]}: ${node.getText()}`,
  );
  return objectOf(node.properties.map((property) => {
    assert.ok(ts.isPropertyAssignment(property));
    const { name } = property;
    if (ts.isStringLiteral(name)) {
      assert.notEqual(name.text, "__proto__");
      return [name.text, valueOf(property.initializer)];
    }
    assert.ok(ts.isComputedPropertyName(name) && ts.isStringLiteral(name.expression));
    return [name.expression.text, valueOf(property.initializer)];
  }));
}

/** Compares two trees node by node; where the template has a hole the other has literals, whose value is handed over. */
function sameTree(
  template: ts.Node,
  rendered: ts.Node,
  onHole: (name: string, value: unknown) => void,
): void {
  if (ts.isIdentifier(template) && template.text.startsWith("hole_")) {
    onHole(template.text.slice("hole_".length), valueOf(rendered));
    return;
  }
  // The template has written out the parentheses that a literal may need.
  assert.equal(ts.SyntaxKind[rendered.kind], ts.SyntaxKind[template.kind]);
  const [before, after] = [template, rendered].map((node) => {
    const children: ts.Node[] = [];
    ts.forEachChild(node, (child) => void children.push(child));
    return children;
  });
  assert.equal(after?.length, before?.length, rendered.getText());
  if (before?.length === 0) assert.equal(rendered.getText(), template.getText());
  before?.forEach((child, at) => sameTree(child, after![at]!, onHole));
}

/** The template with an identifier in each hole. */
function withHoles(recipe: Recipe): string {
  let out = "";
  let done = 0;
  for (const { name, start, end } of findReferences(recipe.source, recipe.parameters).references) {
    out += `${recipe.source.slice(done, start)} hole_${name} `;
    done = end;
  }
  return out + recipe.source.slice(done);
}

function checkInjection(body: string, given: Record<string, unknown>): void {
  const recipe = recipeOf(body);
  assert.deepEqual(recipe.problems, [], body);
  const template = parse(withHoles(recipe));
  assert.deepEqual(syntaxErrors(template), [], body);
  const source = renderRecipe(recipe, given);
  const rendered = parse(source);
  assert.deepEqual(syntaxErrors(rendered), [], source);
  sameTree(template, rendered, (name, value) => {
    assert.deepStrictEqual(value, given[name], `${name} in ${source}`);
  });
  assert.equal(source.split("\n").length, recipe.source.split("\n").length);
  const angles = (text: string): number => text.split("<").length;
  assert.equal(angles(source), angles(recipe.source));
  assert.ok(!/[\u2028\u2029]/.test(source));
}

Deno.test("whatever the values, the program differs from the template in literals alone, and they hold the values", () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...STATEMENTS], { minLength: 1, maxLength: 6 }),
      values,
      (statements, given) => {
        checkInjection(statements.join("\n"), given);
      },
    ),
    { numRuns: 1500 },
  );
});

/** White space and comments that may stand between any two tokens, some of them with what looks like a reference. */
const gap = fc.constantFrom("", " ", "\n", "\t", " /* @s */ ", " // @n\n", "/**/", " \n\n ");
const hole = fc.constantFrom("@s", "@n", "@b", "@l", "@o", "@j");
const leaf = fc.oneof(
  { weight: 4, arbitrary: hole },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "x",
      "1",
      "'@s'",
      "`@n`",
      "/@s/g",
      "/[/@n]/",
      "null",
      "this",
      "({})",
      "[]",
      "1.5e3",
      '"\\"@s"',
    ),
  },
);

/**
 * Expressions of every shape, with holes wherever a value may stand. There is no `>` among them: whether `a < (b > (c))` compares or
 * takes type arguments depends, for TypeScript, on what c is; where it guesses wrong the script does not parse.
 */
const expression = fc.letrec<{ e: string }>((tie) => {
  const e = tie("e");
  return {
    e: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.tuple(
        e,
        gap,
        fc.constantFrom("+", "-", "*", "/", "%", "<", "===", "&&", "|", "in", "instanceof", ","),
        gap,
        e,
      )
        .map(([a, g, operator, h, b]) => `(${a}${g} ${operator} ${h}${b})`),
      fc.tuple(fc.constantFrom("-", "+", "!", "~", "typeof ", "void ", "delete "), gap, e)
        .map(([operator, g, a]) => `(${operator}${g}${a})`),
      fc.tuple(e, e, e, gap).map(([a, b, c, g]) => `(${a}${g}?${g}${b}${g}:${g}${c})`),
      fc.array(fc.tuple(gap, e, gap), { maxLength: 3 }).map((all) =>
        `f(${all.map((one) => one.join("")).join(",")})`
      ),
      fc.array(fc.tuple(gap, e, gap), { maxLength: 3 }).map((all) =>
        `[${all.map((one) => one.join("")).join(",")}]`
      ),
      fc.array(fc.tuple(gap, e), { maxLength: 3 })
        .map((all) => `({${all.map(([g, a], at) => `${g}k${at}:${g}${a}`).join(",")}})`),
      fc.tuple(e, e).map(([a, b]) => `({[${a}]:${b}, ...${b}})`),
      fc.tuple(gap, e).map(([g, a]) => `(() =>${g}${a})`),
      fc.tuple(gap, e).map(([g, a]) => `(async (x) => {${g}return ${a};${g}})`),
      fc.tuple(e, e).map(([a, b]) => "`t@s ${" + a + "} @n ${" + b + "}`"),
      fc.tuple(e, e).map(([a, b]) => `(${a})[${b}]`),
      fc.tuple(hole, gap).map(([a, g]) => `${a}${g}.member`),
      fc.tuple(hole, e).map(([a, b]) => `${a}[${b}]`),
      fc.tuple(e).map(([a]) => `new F(...${a})`),
      fc.tuple(e).map(([a]) => `(${a} as unknown as string)`),
      fc.tuple(e).map(([a]) => `(class { x = ${a}; m() { return ${a}; } })`),
    ),
  };
}).e;
const statement = fc.oneof(
  expression.map((e) => `const v = ${e};`),
  expression.map((e) => `f(${e});`),
  expression.map((e) => `if (${e}) { g(${e}); } else h(${e});`),
  expression.map((e) => `for (const x of ${e}) { f(x, ${e}); }`),
  expression.map((e) => `switch (${e}) { case ${e}: f(${e}); break; default: g(${e}); }`),
  expression.map((e) => `try { throw ${e}; } catch { f(${e}); } finally { g(); }`),
  expression.map((e) => `function q(a = ${e}) { return ${e}; }`),
);

Deno.test("in scripts of every shape it is the same: what is not refused differs in literals alone", () => {
  let checked = 0;
  fc.assert(
    fc.property(fc.array(statement, { minLength: 1, maxLength: 3 }), values, (statements, given) => {
      const body = statements.map((one, at) => one.replace("const v", `const v${at}`)).join("\n");
      const recipe = recipeOf(body);
      fc.pre(recipe.problems.length === 0 && syntaxErrors(parse(withHoles(recipe))).length === 0);
      checked++;
      checkInjection(body, given);
    }),
    { numRuns: RUNS },
  );
  assert.ok(checked >= RUNS);
});

Deno.test("every statement holds with every hostile text", () => {
  for (const statement of STATEMENTS) {
    for (const hostile of HOSTILE_TEXT) {
      const object = objectOf([[hostile, hostile], ["__proto__", { polluted: hostile }]]);
      checkInjection(statement, {
        s: hostile,
        n: -0.5,
        b: true,
        l: [hostile, [object]],
        o: object,
        j: object,
        e: "a",
      });
    }
  }
});

Deno.test("a text of a megabyte goes in whole, and a deep value up to its limit", () => {
  const recipe = recipeOf("return [@s, @j];");
  const long = '"`${</script>\u2028'.repeat(70_000);
  const file = parse(renderRecipe(recipe, { s: long, j: 1 }));
  let found: unknown;
  ts.forEachChild(file, function visit(node): void {
    if (ts.isArrayLiteralExpression(node)) found = valueOf(node.elements[0]!);
    else ts.forEachChild(node, visit);
  });
  assert.equal(found, long);
  let deep: unknown = 1;
  for (let level = 0; level < 100; level++) deep = level % 2 ? [deep] : { deep };
  assert.ok(renderRecipe(recipe, { s: "", j: deep }).includes("deep"));
});

Deno.test("numbers at the edges keep their value, and what is no JSON number is refused", () => {
  const recipe = recipeOf("return @n");
  const written = (n: unknown): string => renderRecipe(recipe, { n }).split("return ")[1] ?? "";
  assert.equal(written(-0), "(-0)");
  assert.equal(written(5), "(5)");
  assert.equal(renderRecipe(recipeOf("f(@n);"), { n: 5 }).split("\n").at(-1), "f(5);");
  assert.equal(written(rawNumber("12345678901234567890")), "(12345678901234567890n)");
  assert.equal(written(rawNumber("-12345678901234567890")), "(-12345678901234567890n)");
  assert.equal(written(rawNumber("0.12345678901234567890")), "(0.12345678901234568)");
  for (const odd of [NaN, Infinity, -Infinity, rawNumber("1e999"), undefined, () => 1, 10n, Symbol("x")]) {
    assert.throws(
      () => written(odd),
      (error) => error instanceof McpxError && error.code === "invalid-input",
    );
  }
  assert.throws(() => written({ a: [1, NaN] }), /n\.a\[1\]: NaN/);
  const round: unknown[] = [];
  round.push(round);
  assert.throws(() => written(round), /nested deeper/);
});

Deno.test("a text that begins a statement is never a directive, and an object never a block", () => {
  assert.ok(renderRecipe(recipeOf("@s;"), { s: "use strict" }).endsWith('("use strict");'));
  assert.ok(renderRecipe(recipeOf("const f = () => @o;"), { o: {} }).endsWith("() => ({});"));
});

Deno.test("a hole that is not filled leaves a script that does not parse", () => {
  for (const statement of ["await demo.search({ repo: @s });", "const x = @n;", "return @o;", "f(@b)"]) {
    const source = renderRecipe(recipeOf(statement), {});
    assert.ok(source.endsWith(statement));
    assert.notDeepEqual(syntaxErrors(parse(`async () => {${source}\n}`)), [], statement);
  }
});

Deno.test("an @word that names no parameter is left alone, and so is text that looks like a reference", () => {
  const body =
    '@Component({ a: "@s" }) class X {}\nconst mail = "me@s.example"; // @s\nconst re = /@s/; const t = `@s`;';
  const recipe = recipeOf(body);
  assert.deepEqual(recipe.problems, []);
  assert.equal(renderRecipe(recipe, { s: "x" }), recipe.source);
});

Deno.test("a reference where no value can stand is a problem with its line, not a surprise", () => {
  const problems = (body: string): string[] =>
    recipeOf(body).problems.map(({ line, message }) => `${line - 7}: ${message}`);
  assert.deepEqual(problems("@s class A {}"), [
    "1: @s is a decorator in the script, and the name of a parameter as well.",
  ]);
  assert.deepEqual(problems("class A {\n  @s() x = 1;\n}"), [
    "2: @s is a decorator in the script, and the name of a parameter as well.",
  ]);
  assert.deepEqual(problems("f({ @s: 1 });"), ["1: @s stands as the key of an object."]);
  assert.deepEqual(problems("a.@s"), ["1: @s stands behind a dot."]);
  assert.deepEqual(problems("f()\n@l.map(g)"), ["2: @l stands right behind another value."]);
  assert.deepEqual(problems("f(@s"), ["-6: A bracket, string or comment of the script is never closed."]);
});

Deno.test("time grows with the length of a script alone, however it is written", () => {
  const bodies = [
    "@s(".repeat(100_000),
    "f(@s);\n".repeat(50_000),
    "@zz;\n".repeat(100_000),
    '@s("'.repeat(80_000),
  ];
  const started = performance.now();
  for (const body of bodies) findReferences(HEAD + body, recipeOf("f(@s)").parameters);
  assert.ok(performance.now() - started < 5000);
});
