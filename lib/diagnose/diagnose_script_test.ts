import assert from "node:assert/strict";
import fc from "fast-check";
import ts from "typescript";
import type { JsonSchema } from "../schema/types.ts";
import { diagnoseScript } from "./diagnose_script.ts";
import { renderFinding, renderFindings } from "./render.ts";
import type { ChangeKind, ChangeLookup, DiagnosedCatalog, DiagnosedTool, Finding } from "./types.ts";

function catalog(tools: Record<string, JsonSchema>, namespace = "demo"): DiagnosedCatalog {
  const entries = Object.entries(tools).flatMap(([wire, inputSchema]): [string, DiagnosedTool][] => {
    const fn = wire.replaceAll("-", "_");
    return [[wire, { wire, fn, inputSchema }], [fn, { wire, fn, inputSchema }]];
  });
  return { namespaces: new Map([[namespace, { server: namespace, tools: new Map(entries) }]]) };
}

function changed(kind: ChangeKind, field: string, what: string): ChangeLookup {
  return () => [{ when: "2026-09-20T08:00:00.000Z", kind, field, what, verdict: "breaking" }];
}

const ECHO = { echo: { type: "object", properties: { message: { type: "string" } }, required: ["message"] } };

Deno.test("the worked example comes out character for character", () => {
  const source = "// say it\nawait demo.echo()\n";
  const changes = changed("argument-required", "message", "`message` became required");
  const findings = diagnoseScript(source, catalog(ECHO), changes);
  assert.equal(
    renderFindings(findings),
    [
      "demo.echo: the argument object is no longer optional: message is required",
      "           (schema changed 2026-09-20: `message` became required)",
      "  you wrote:  await demo.echo()   (line 2)",
      '  minimum:    await demo.echo({ message: "" })',
    ].join("\n"),
  );
  assert.deepEqual(findings[0], {
    kind: "missing-argument",
    tool: "demo.echo",
    field: "message",
    message: "the argument object is no longer optional: message is required",
    changed: {
      when: "2026-09-20T08:00:00.000Z",
      kind: "argument-required",
      what: "`message` became required",
    },
    fix: 'await demo.echo({ message: "" })',
    fatal: true,
    line: 2,
    column: 7,
    wrote: "await demo.echo()",
    span: { start: 10, end: 27 },
  });
});

Deno.test("without a recorded change nothing is said to have changed", () => {
  const [finding] = diagnoseScript("demo.echo()", catalog(ECHO));
  assert.equal(finding?.message, "the argument object is not optional: message is required");
  assert.equal(finding?.changed, undefined);
  assert.equal(finding?.fix, 'demo.echo({ message: "" })');
});

Deno.test("a missing argument is named beside those that were written, which the fix repeats", () => {
  const tools = catalog({
    create: {
      properties: {
        title: { type: "string" },
        repo: { enum: ["a/b", "c/d"] },
        n: { type: "integer" },
        at: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
      },
      required: ["title", "repo", "n", "at"],
    },
  });
  const [finding] = diagnoseScript("await demo.create({ title: names[0] })", tools);
  assert.equal(finding?.message, "repo, n and at are required and missing");
  assert.equal(finding?.fix, 'await demo.create({ title: names[0], repo: "a/b", n: 0, at: { x: 0 } })');
});

Deno.test("a spread and an argument that is no object literal silence the missing-argument check", () => {
  for (const argument of ["{ ...rest }", "{ [key]: 1 }", "args", '"x"', "{} as Args", "...list"]) {
    assert.deepEqual(diagnoseScript(`demo.echo(${argument})`, catalog(ECHO)), [], argument);
  }
});

Deno.test("a local binding of a namespace's name silences it", () => {
  assert.deepEqual(diagnoseScript("const demo = other; demo.echo(); demo.gone()", catalog(ECHO)), []);
  assert.equal(diagnoseScript("import { demo } from 'mcpx'; demo.echo()", catalog(ECHO)).length, 1);
});

Deno.test("nobody else's calls are looked at", () => {
  assert.deepEqual(diagnoseScript("console.log(x); JSON.parse(y); other.thing()", catalog(ECHO)), []);
});

Deno.test("a tool that is not there gets the nearest name and a call that fits it", () => {
  const [finding] = diagnoseScript("await demo.ehco({})", catalog(ECHO));
  assert.equal(finding?.kind, "unknown-tool");
  assert.equal(finding?.fatal, true);
  assert.equal(finding?.message, "there is no tool ehco in demo: did you mean echo?");
  assert.equal(finding?.suggestion, "echo");
  assert.equal(finding?.fix, 'await demo.echo({ message: "" })');
  const [far] = diagnoseScript("demo.something()", catalog(ECHO));
  assert.equal(far?.message, "there is no tool something in demo");
  assert.equal(far?.fix, undefined);
});

Deno.test("a tool that was removed says when", () => {
  const lookup: ChangeLookup = (_, tool) =>
    tool === "old"
      ? [{
        when: "2026-09-21T00:00:00Z",
        kind: "tool-removed",
        what: "the tool was removed",
        verdict: "breaking",
      }]
      : [];
  const [finding] = diagnoseScript("demo.old()", catalog(ECHO), lookup);
  assert.match(renderFinding(finding!), /\(schema changed 2026-09-21: the tool was removed\)/);
});

Deno.test("an unknown namespace is reported only behind tools", () => {
  const [finding, ...rest] = diagnoseScript("await tools.dmeo.echo(); dmeo.echo()", catalog(ECHO));
  assert.deepEqual(rest, []);
  assert.equal(finding?.kind, "unknown-namespace");
  assert.equal(finding?.fix, 'await tools.demo.echo({ message: "" })');
});

Deno.test("a namespace whose tools were never read says nothing", () => {
  const namespaces = new Map([["demo", {
    server: "demo",
    tools: new Map<string, DiagnosedTool>(),
    unread: true,
  }]]);
  assert.deepEqual(diagnoseScript("demo.anything()", { namespaces }), []);
});

Deno.test("an unknown argument is not fatal and gets the nearest declared name", () => {
  const changes = changed("argument-removed", "mesage", "`mesage` was removed");
  const findings = diagnoseScript('demo.echo({ mesage: "x" })', catalog(ECHO), changes);
  assert.deepEqual(findings.map((finding) => [finding.kind, finding.fatal]), [
    ["missing-argument", true],
    ["unknown-argument", false],
  ]);
  assert.equal(findings[1]?.suggestion, "message");
  assert.equal(findings[1]?.changed?.what, "`mesage` was removed");
  assert.equal(findings[1]?.fix, 'demo.echo({ message: "x" })');
});

Deno.test("a tool that takes any argument has no unknown ones", () => {
  for (
    const schema of [true, {}, {
      type: "object",
      additionalProperties: { type: "string" },
      properties: { a: {} },
    }]
  ) {
    assert.deepEqual(diagnoseScript("demo.t({ x: 'y' })", catalog({ t: schema })), []);
  }
  const closed = catalog({ t: { type: "object", additionalProperties: false } });
  assert.equal(diagnoseScript("demo.t({ x: 1 })", closed)[0]?.kind, "unknown-argument");
});

Deno.test("a literal of the wrong type is reported with the value that was meant", () => {
  const tools = catalog({
    t: {
      properties: {
        n: { type: "integer" },
        s: { type: "string" },
        o: { type: "object" },
        l: { type: "array", items: { type: "string" } },
        e: { enum: ["a", "b"] },
        r: { $ref: "#/$defs/r" },
      },
      $defs: { r: { anyOf: [{ type: "boolean" }, { type: "null" }] } },
    },
  });
  const fixOf = (argument: string): [string | undefined, string | undefined] => {
    const findings = diagnoseScript(`demo.t({ ${argument} })`, tools);
    assert.ok(findings.every((finding) => finding.kind === "argument-type" && finding.fatal));
    return [findings[0]?.message, findings[0]?.fix];
  };
  assert.deepEqual(fixOf('n: "5"'), [
    'n must be integer, and is the string "5": leave out the quotes',
    "demo.t({ n: 5 })",
  ]);
  assert.deepEqual(fixOf("n: 1.5"), ["n must be integer, and is a number", "demo.t({ n: 0 })"]);
  assert.deepEqual(fixOf("s: 5"), ["s must be string, and is a number", 'demo.t({ s: "5" })']);
  assert.equal(fixOf(`o: '{"a":1}'`)[1], "demo.t({ o: { a: 1 } })");
  assert.match(fixOf(`o: '{"a":1}'`)[0]!, /is a string that holds JSON: give the object itself$/);
  assert.equal(fixOf('l: "x"')[1], 'demo.t({ l: ["x"] })');
  assert.equal(fixOf('e: "c"')[1], 'demo.t({ e: "a" })');
  assert.equal(fixOf("r: 'true'")[1], "demo.t({ r: true })");
  for (
    const right of [
      "n: 5",
      "n: x",
      "s: `a`",
      "s: `a${b}`",
      "o: {}",
      "l: []",
      'e: "b"',
      "r: null",
      "n: undefined",
    ]
  ) {
    assert.deepEqual(fixOf(right), [undefined, undefined], right);
  }
});

Deno.test("what a schema cannot decide is not reported", () => {
  const schemas: JsonSchema[] = [
    { properties: { a: { $ref: "https://elsewhere.example/x" } } },
    { properties: { a: { type: "custom" } } },
    { properties: { a: true } },
    { $ref: "#/$defs/nowhere" },
    { required: "a" },
    true,
    false,
  ];
  for (const schema of schemas) {
    assert.deepEqual(
      diagnoseScript("demo.t({ a: 'x' })", catalog({ t: schema })).filter((each) => each.fatal),
      [],
    );
  }
});

Deno.test("odd schemas are read for what they say", () => {
  const required = (schema: JsonSchema): unknown => {
    const [finding] = diagnoseScript("demo.t()", catalog({ t: schema }));
    return finding === undefined ? undefined : finding.fix;
  };
  assert.equal(required({ required: ["ghost"] }), "demo.t({ ghost: null })");
  const root = {
    $ref: "#/$defs/a",
    $defs: { a: { properties: { x: { type: "string" } }, required: ["x"] } },
  };
  assert.equal(required(root), 'demo.t({ x: "" })');
  const either = {
    anyOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { type: "object", properties: { b: { type: "string" } }, required: ["b"] },
    ],
  };
  assert.equal(required(either), 'demo.t({ a: "" })');
  assert.deepEqual(diagnoseScript("demo.t({ b: 'x' })", catalog({ t: either })), []);
  assert.equal(required({ type: "object" }), undefined);
});

Deno.test("long values are shortened to one of their type, and nothing is left out by dots", () => {
  const tools = catalog({
    t: {
      properties: {
        text: { type: "string" },
        list: { type: "array" },
        fn: { type: "object" },
        id: { type: "string" },
      },
      required: ["id"],
    },
  });
  const long = "x".repeat(500);
  const source = `demo.t({ text: "${long}", list: [${"1,\n".repeat(50)}], fn: ${
    "make(1) + ".repeat(20)
  }2, n: y })`;
  const fix = diagnoseScript(source, tools)[0]?.fix ?? "";
  assert.ok(fix.length < 250 && !fix.includes("..."), fix);
  assert.match(fix, /text: "x+…", list: \[\], fn: \{\}, n: y, id: "" \}\)$/);
});

Deno.test("an argument object that is open is put right in place", () => {
  const tools = catalog({ t: { properties: { n: { type: "integer" } }, required: ["n", "m"] } });
  const [finding] = diagnoseScript('await demo.t({ ...rest, n: "5" })', tools);
  assert.equal(finding?.kind, "argument-type");
  assert.equal(finding?.fix, "await demo.t({ ...rest, n: 5 })");
});

Deno.test("findings about one call share the lines that are the same", () => {
  const text = renderFindings(diagnoseScript('demo.echo({ mesage: "x" })', catalog(ECHO)));
  assert.equal(
    text,
    [
      "demo.echo: message is required and missing",
      "demo.echo: there is no argument mesage: did you mean message?",
      '  you wrote:  demo.echo({ mesage: "x" })   (line 1)',
      '  minimum:    demo.echo({ message: "x" })',
    ].join("\n"),
  );
});

const names = fc.constantFrom(
  "a",
  "b",
  "message",
  "mesage",
  "repo",
  "with-dash",
  "new",
  "x y",
  "ключ",
  "a'b",
  'q"',
  "0",
);
const typed: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.constantFrom<JsonSchema>(
    { type: "string" },
    { type: "integer" },
    { type: "integer", minimum: 3 },
    { type: "number", exclusiveMinimum: 0 },
    { type: "boolean" },
    { type: ["string", "null"] },
    { type: "array", items: { type: "string" } },
    { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
    { enum: ["one", "two", 3] },
    { const: "fixed" },
    { anyOf: [{ type: "integer" }, { type: "boolean" }] },
    { $ref: "#/$defs/d" },
    {},
    true,
  ),
);
const toolSchema = fc.record({
  properties: fc.dictionary(names, typed, { maxKeys: 6 }),
  absent: fc.option(names),
  closed: fc.boolean(),
}).chain(({ properties, absent, closed }) =>
  fc.subarray(Object.keys(properties)).map((required): JsonSchema => ({
    type: "object",
    properties,
    required: absent === null ? required : [...required, absent],
    $defs: { d: { type: "string", enum: ["d"] } },
    ...(closed ? { additionalProperties: false } : {}),
  }))
);
const written = fc.constantFrom(
  "1",
  '"5"',
  "'it\\'s'",
  "`t`",
  "true",
  "null",
  "[]",
  "[1, x]",
  "{ q: 1 }",
  "x",
  "f(1, { a: 2 })",
  "-3",
  "1.5",
  '"{\\"q\\":1}"',
  `"${"long ".repeat(30)}"`,
  "[\n1,\n2\n]",
  '"fixed"',
  '"one"',
  "demo2.x({ message: 1 })",
  "async () => { await y() }",
);
const call = fc.tuple(
  fc.constantFrom("await demo.t", "demo.t", "tools.demo.t", 'demo["t"]', "await  demo\n .t", "demo?.t"),
  fc.oneof(
    fc.constant(""),
    fc.array(fc.tuple(names, written), { maxLength: 5 }).map((members) =>
      `{ ${members.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(", ")} }`
    ),
    fc.constant("{ ...rest, a: '5' }"),
  ),
).map(([callee, argument]) => `const before = "demo.t()";\n${callee}(${argument});\n// after`);

function syntaxErrors(source: string): string[] {
  const { diagnostics = [] } = ts.transpileModule(source, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.Latest, module: ts.ModuleKind.ESNext },
  });
  return diagnostics.map((each) => ts.flattenDiagnosticMessageText(each.messageText, "\n"));
}

function applied(source: string, finding: Finding): string {
  const { start, end } = finding.span!;
  return source.slice(0, start) + finding.fix + source.slice(end);
}

Deno.test("a fix parses, and applied to the script it makes its findings go away", () => {
  let fixes = 0;
  fc.assert(
    fc.property(toolSchema, call, (schema, source) => {
      assert.deepEqual(syntaxErrors(source), []);
      const tools = catalog({ t: schema });
      for (const finding of diagnoseScript(source, tools)) {
        if (finding.fix === undefined) {
          assert.notEqual(finding.kind, "missing-argument");
          continue;
        }
        fixes++;
        const after = applied(source, finding);
        assert.deepEqual(syntaxErrors(after), [], after);
        const left = diagnoseScript(after, tools);
        const same = left.filter((each) => each.kind === finding.kind && each.field === finding.field);
        const mendable = finding.kind !== "unknown-argument" || finding.suggestion !== undefined;
        if (mendable) assert.deepEqual(same, [], `${source}\n${after}`);
        assert.deepEqual(left.filter((each) => each.fatal), [], `${source}\n${after}`);
      }
    }),
    { numRuns: 600 },
  );
  assert.ok(fixes > 300);
});

Deno.test("faults by the thousand in one call are told together, in a few lines", () => {
  const unknown = Array.from({ length: 100_000 }, (_, at) => `k${at}: ${at}`).join(", ");
  const findings = diagnoseScript(`await demo.echo({ message: "m", ${unknown} })`, catalog(ECHO));
  assert.equal(findings.length, 21);
  assert.equal(findings.at(-1)?.message.includes("k27 and 99972 more"), true, findings.at(-1)?.message);
  assert.ok(JSON.stringify(findings).length < 20_000);

  const names = Array.from({ length: 5000 }, (_, at) => `f${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "number" }]));
  const wrong = names.map((name) => `${name}: "x"`).join(", ");
  const mistyped = diagnoseScript(`await demo.many({ ${wrong} })`, catalog({ many: { properties } }));
  assert.equal(mistyped.length, 21);
  assert.match(
    mistyped.at(-1)?.message ?? "",
    /^so it is with f20, f21.*and 4972 more: their types are others$/,
  );
  assert.ok(mistyped.every(({ fatal, fix }) => fatal && fix === undefined));
});
