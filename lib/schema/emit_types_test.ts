import assert from "node:assert/strict";
import fc from "fast-check";
import ts from "typescript";
import type { CatalogTool } from "../catalog/types.ts";
import { deriveFunctions, deriveNamespaces } from "../catalog/names.ts";
import { emitNamespace, type NamespaceTypes } from "./emit_namespace.ts";
import { emitTypes } from "./emit_types.ts";

type Sent = { name: string; [member: string]: unknown };

const libs = new Map<string, ts.SourceFile | undefined>();

/** The errors that TypeScript finds in the files, as text. */
function compile(files: Record<string, string>): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    lib: ["lib.esnext.d.ts"],
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.fileExists = (name) => Object.hasOwn(files, name) || ts.sys.fileExists(name);
  host.getSourceFile = (name, target) => {
    const text = Object.hasOwn(files, name) ? files[name] : undefined;
    if (text !== undefined) return ts.createSourceFile(name, text, target);
    if (!libs.has(name)) libs.set(name, read(name, target));
    return libs.get(name);
  };
  const program = ts.createProgram(Object.keys(files), options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const at = file && start !== undefined ? file.text.slice(start, start + 60) : "";
    return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")} at ${at}`;
  });
}

/** The syntax errors of a text, and how many statements it has. */
function parse(text: string): { errors: string[]; statements: number } {
  const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true, fileName: "a.ts" });
  const { statements } = ts.createSourceFile("a.ts", text, ts.ScriptTarget.ESNext);
  return {
    errors: (diagnostics ?? []).map((each) => String(each.messageText)),
    statements: statements.length,
  };
}

function upstream(server: string, tools: readonly Sent[], namespace = server): NamespaceTypes {
  const names = deriveFunctions(tools.map(({ name }) => name));
  return {
    namespace,
    server,
    tools: tools.map((tool): CatalogTool => {
      return { namespace, fn: names.get(tool.name) ?? tool.name, server, tool, findings: [] };
    }),
  };
}

function emitted(...tools: Sent[]): string {
  return emitNamespace(upstream("ns", tools));
}

function withProperty(schema: unknown, rest: Record<string, unknown> = {}): Sent {
  return { name: "t", inputSchema: { type: "object", properties: { p: schema }, required: ["p"], ...rest } };
}

/** The type that the property `p` of a tool's arguments gets. */
function typeOf(schema: unknown, rest: Record<string, unknown> = {}): string {
  const text = emitted(withProperty(schema, rest));
  assert.deepEqual(parse(text).errors, []);
  return /args: \{\n(?: +\/\*\*.*\n)* +p: ([^]*?);\n {4}\}\): Promise/.exec(text)?.[1]?.replace(
    /\s+/g,
    " ",
  ) ?? text;
}

/** A server whose every tool is legal or nearly so, and breaks something careless. */
const NASTY: Sent[] = [
  ..."delete typeof class new then constructor toString __proto__ default get set static readonly a-b a_b a.b"
    .split(" ")
    .map((name) => ({ name, inputSchema: { type: "object" } })),
  { name: "1starts-with-digit" },
  { name: "naïve_日本", inputSchema: { type: "object", properties: {} } },
  { name: "x".repeat(200) },
  { name: 'quote"s and\nlines\u2028`${1}`' },
  { name: "", inputSchema: null },
  {
    name: "comment_break",
    title: "/* */ ` ${x}",
    description: "ends */ declare const PWN: 1; /* starts\n@ts-expect-error\r/// <reference path='x' />",
    inputSchema: {
      type: "object",
      properties: { q: { type: "string", description: "x */ PWN /*\u2028@deprecated" } },
    },
  },
  {
    name: "odd_props",
    inputSchema: JSON.parse(
      '{"type":"object","properties":{"with space":{"type":"string"},"q\\"s":{"type":"number"},"new\\nline":' +
        '{"type":"boolean"},"class":{},"`${1}`":{"type":"string"},"__proto__":{"type":"string"},"a-b":{},"a.b":{}}}',
    ),
  },
  withProperty({ $ref: "#/$defs/R" }, {
    $defs: {
      R: { type: "object", properties: { q: { type: "string" }, n: { $ref: "#/$defs/N" } }, required: ["q"] },
      N: { type: "integer" },
    },
  }),
  { name: "no_schema" },
  { name: "str_schema", inputSchema: { type: "string" } },
  { name: "int_type", inputSchema: { type: "object", properties: { a: { type: "int" } } } },
  { name: "dangling", inputSchema: { type: "object", properties: { a: { $ref: "#/$defs/Nope" } } } },
  { name: "bool_sub", inputSchema: { type: "object", properties: { any: true, none: false } } },
  { name: "required_inside", inputSchema: { type: "object", properties: { a: {}, required: ["a"] } } },
  { name: "bad_output", outputSchema: "nonsense" },
  {
    name: "output",
    outputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  },
];

Deno.test("hostile names and schemas give declarations that check, and every tool answers to both names", () => {
  const script = `
    declare const ns: ns.Tools;
    ns.delete({}); ns.typeof(); ns.class(); ns.new(); ns.then_(); ns.constructor({}); ns.toString({}); ns.__proto__({});
    ns["a-b"]({}); ns.a_b({}); ns["a.b"]({}); ns._1starts_with_digit(); ns["1starts-with-digit"](); ns.naïve_日本();
    ns.comment_break({ q: "x" }); ns.odd_props({ "with space": "x", ["__proto__"]: "y", "a-b": 1, "a.b": 2 });
    ns.t({ p: { q: "x", n: 1 } }); ns.no_schema({ any: 1 }); ns.str_schema(); ns.bool_sub({ any: Symbol() });
    async function run(): Promise<void> {
      const same: ns.Tools = await ns;
      const { n }: { n: number } = await tools.ns.output();
      emit([same, n, await call("ns.then", { a: 1 }), args.x, (await search("x")).length]);
      try { log.info("x", { n }); } catch (error) { if (error instanceof ToolError) emit(error.code); }
    }
    run();`.replace(/declare const ns.*\n/, "");
  assert.deepEqual(compile({ "/mcpx.d.ts": emitTypes([upstream("ns", NASTY)]), "/script.ts": script }), []);
});

Deno.test("what does not fit a tool is an error of the type checker", () => {
  const types = emitTypes([upstream("ns", [withProperty({ type: "string" })])]);
  const script = "ns.t();\nns.t({ p: 1 });\nns.t({ p: 'x', q: 1 });\nns.nope();\ntools.ns.t({ p: 'x' });";
  assert.equal(compile({ "/mcpx.d.ts": types, "/script.ts": script }).length, 4);
});

Deno.test("the argument object is optional exactly when nothing is required", () => {
  assert.match(emitted({ name: "t", inputSchema: { properties: { a: {} } } }), /t\(args\?: \{/);
  assert.match(emitted(withProperty({})), /t\(args: \{/);
  const either = {
    type: "object",
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
    properties: { a: {}, b: {} },
  };
  assert.match(emitted({ name: "t", inputSchema: either }), /t\(args: \{/);
  const one = { type: "object", anyOf: [{ required: ["a"] }, {}], properties: { a: {} } };
  assert.match(emitted({ name: "t", inputSchema: one }), /t\(args\?: /);
  const byRef = { $ref: "#/$defs/A", $defs: { A: { properties: { a: {} }, required: ["a"] } } };
  assert.match(emitted({ name: "t", inputSchema: byRef }), /t\(args: \{/);
});

Deno.test("every keyword that a type can carry is carried", () => {
  const cases: [schema: unknown, type: string][] = [
    [{ enum: ["x", null, 3, true] }, '"x" | null | 3 | true'],
    [{ const: "fixed" }, '"fixed"'],
    [{ const: { a: [1] } }, "{ a: [1] }"],
    [{ enum: [] }, "never"],
    [{ type: "string", nullable: true }, "string | null"],
    [{ type: ["integer", "null"] }, "number | null"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string | null"],
    [{ allOf: [{ type: "string" }, {}] }, "string"],
    [{ oneOf: [{ type: "string" }, { type: "string" }, { type: "number" }] }, "string | number"],
    [{ type: "array" }, "unknown[]"],
    [{ type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } }, "(string | number)[]"],
    [{ type: "array", items: { type: "object", properties: { q: {} } } }, "{ q?: unknown; }[]"],
    [
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
      "[string, number]",
    ],
    [{ type: "array", prefixItems: [{ type: "string" }] }, "[string, ...unknown[]]"],
    [
      { type: "array", items: [{ type: "string" }, true], additionalItems: false, minItems: 1 },
      "[string, unknown?]",
    ],
    [{ type: "array", items: false }, "[]"],
    [{ type: "object", additionalProperties: { type: "number" } }, "{ [key: string]: number }"],
    [{ type: "object", additionalProperties: false }, "Record<string, never>"],
    [{ patternProperties: { "^x": { type: "string" } } }, "{ [key: string]: string }"],
    [
      { properties: { a: { type: "string" } }, additionalProperties: { type: "number" } },
      "{ a?: string; [key: string]: unknown; }",
    ],
    [{ required: ["a"] }, "{ a: unknown; }"],
    [
      { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      "{ a: unknown; } | { b: unknown; }",
    ],
    [{ anyOf: [{ type: "string" }, {}] }, "unknown"],
    [true, "unknown"],
    [false, "never"],
    ["nonsense", "unknown"],
    [{ type: "int" }, "unknown"],
    [{ not: { type: "string" }, if: {}, then: false }, "unknown"],
    [{ $ref: "https://elsewhere.example/x.json" }, "unknown"],
  ];
  for (const [schema, type] of cases) assert.equal(typeOf(schema), type, JSON.stringify(schema));
});

Deno.test("a nullable reference keeps its null, and references lead anywhere in the document", () => {
  const $defs = { "a/b": { $anchor: "here", type: "object", properties: { x: { type: "string" } } } };
  assert.equal(typeOf({ $ref: "#/$defs/a~1b", nullable: true }, { $defs }), "{ x?: string; } | null");
  assert.equal(typeOf({ $ref: "#here" }, { $defs }), "{ x?: string; }");
  assert.equal(
    typeOf({ anyOf: [{ $ref: "#/$defs/a~1b" }, { type: "null" }] }, { $defs }),
    "{ x?: string; } | null",
  );
  assert.equal(
    typeOf({ $ref: "#/definitions/E" }, { definitions: { E: { enum: ["a", "b"] } } }),
    '"a" | "b"',
  );
  const deep = { $ref: "#/components/X", nullable: true };
  assert.equal(typeOf(deep, { components: { X: { properties: { y: { type: "null" } } } } }), "X | null");
});

Deno.test("a type that contains itself is named, and one that is only itself is unknown", () => {
  const node = {
    type: "object",
    properties: { v: { type: "string" }, kids: { type: "array", items: { $ref: "#/$defs/node" } } },
  };
  const text = emitted(withProperty({ $ref: "#/$defs/node" }, { $defs: { node } }));
  assert.match(text, / {2}type Node = \{\n {4}v\?: string;\n {4}kids\?: Node\[\];\n {2}\};\n/);
  assert.match(text, /p: Node;/);
  const self = emitted({
    name: "tree",
    inputSchema: { type: "object", properties: { left: { $ref: "#" } } },
  });
  assert.match(self, /type TreeArgs = \{\n {4}left\?: TreeArgs;/);
  assert.match(self, /tree\(args\?: TreeArgs\)/);
  const circular = {
    A: { $ref: "#/$defs/A" },
    B: { anyOf: [{ $ref: "#/$defs/C" }, { type: "string" }] },
    C: { allOf: [{ $ref: "#/$defs/B" }] },
    D: { anyOf: [{ $ref: "#/$defs/D" }, { type: "array", items: { $ref: "#/$defs/D" } }] },
  };
  const properties = Object.fromEntries(
    Object.keys(circular).map((name) => [name, { $ref: `#/$defs/${name}` }]),
  );
  const odd = emitted({ name: "t", inputSchema: { properties, $defs: circular } });
  assert.deepEqual(compile({ "/a.d.ts": odd }), []);
  assert.match(odd, /type A = unknown;/);
  assert.match(odd, /type D = D\[\];/);
});

Deno.test("tools that share a definition share its type, and different ones of one name stay apart", () => {
  const tool = (name: string, type: string): Sent => ({
    name,
    inputSchema: {
      properties: { a: { $ref: "#/$defs/Point" }, b: { $ref: "#/$defs/Point" } },
      $defs: { Point: { properties: { x: { type } } } },
    },
  });
  assert.equal(emitted(tool("a", "number"), tool("b", "number")).match(/type Point = /g)?.length, 1);
  const apart = emitted(tool("a", "number"), tool("b", "string"));
  assert.equal(apart.match(/type Point_[0-9a-f]{8} = /g)?.length, 2);
  assert.equal(emitted(tool("b", "string"), tool("a", "number")), apart);
});

Deno.test("notes and hints stand beside the types", () => {
  const p = {
    type: "integer",
    default: 10,
    minimum: 1,
    maximum: 50,
    format: "int32",
    description: "How many.",
  };
  const text = emitted({ ...withProperty(p), annotations: { readOnlyHint: true }, description: "Lists." });
  assert.match(text, /\* How many\.\n +\* Default: 10\. Format: int32\. At least 1, at most 50\.\n/);
  assert.match(text, /\* Lists\.\n +\* Hints: read-only\.\n/);
});

Deno.test("500 levels of nesting check, and 20,000 cost no stack", () => {
  const nest = (levels: number): unknown => {
    let schema: Record<string, unknown> = { type: "string" };
    for (let at = 0; at < levels; at++) {
      schema = { type: "object", properties: { a: schema }, required: ["a"] };
    }
    return schema;
  };
  assert.deepEqual(compile({ "/a.d.ts": emitted({ name: "t", inputSchema: nest(450) }) }), []);
  assert.match(emitted({ name: "t", inputSchema: nest(20_000) }), /unknown/);
});

Deno.test("references that fan out do not grow the text", () => {
  const $defs: Record<string, unknown> = { d0: { type: "string", maxLength: 3 } };
  for (let at = 1; at <= 60; at++) {
    const ref = { $ref: `#/$defs/d${at - 1}` };
    $defs[`d${at}`] = {
      type: "object",
      properties: { left: ref, right: ref },
      allOf: [{ properties: { more: ref } }],
    };
  }
  const text = emitted(withProperty({ $ref: "#/$defs/d60" }, { $defs }));
  assert.ok(text.length < 20_000, String(text.length));
  assert.deepEqual(compile({ "/a.d.ts": text }), []);
});

Deno.test("all 70 servers of the test set check in one program, in any order alike", async () => {
  const upstreams = await loadServers();
  assert.equal(upstreams.length, 70);
  const types = emitTypes(upstreams);
  const shuffled = upstreams.toReversed().map((each) => ({ ...each, tools: each.tools.toReversed() }));
  assert.equal(emitTypes(shuffled), types);
  const calls = upstreams.flatMap(({ namespace, tools }) =>
    tools.map(({ fn, tool: { name } }) => `void [${namespace}.${fn}, ${namespace}[${JSON.stringify(name)}]];`)
  );
  assert.deepEqual(compile({ "/mcpx.d.ts": types, "/script.ts": calls.join("\n") }), []);
});

Deno.test("every emitted file passes deno check by itself", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const upstreams = [...await loadServers(), upstream("ns", NASTY)];
    const files = upstreams.map((each) => [`${folder}/${each.namespace}.ts`, emitNamespace(each)] as const);
    files.push([`${folder}/all.d.ts`, emitTypes(upstreams)]);
    for (const [file, text] of files) await Deno.writeTextFile(file, text);
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--no-config", "--no-lock", "--no-remote", "--no-npm", ...files.map(([file]) => file)],
      env: { NO_COLOR: "1" },
      stdout: "null",
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function loadServers(): Promise<NamespaceTypes[]> {
  const file = new URL("../../tests/fixtures/livemcptool.tools.json", import.meta.url);
  const { tools }: { tools: { server: string; tool: string; [member: string]: unknown }[] } = JSON.parse(
    await Deno.readTextFile(file),
  );
  const byServer = Map.groupBy(tools, ({ server }) => server);
  const namespaces = deriveNamespaces([...byServer.keys()].map((name) => ({ name })));
  return [...byServer].map(([server, entries]) =>
    upstream(server, entries.map(({ tool, ...rest }) => ({ ...rest, name: tool })), namespaces.get(server))
  );
}

const TEXT = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.array(
    fc.constantFrom(
      "*/",
      "/*",
      "`",
      "${x}",
      "\u2028",
      "\n",
      "@ts-ignore",
      "//",
      '"',
      "\\",
      "*",
      "/",
      "a",
      "\ud800",
    ),
  )
    .map((parts) => parts.join("")),
  fc.constantFrom("__proto__", "constructor", "new", "then", "R", "$ref"),
);
const REFERENCE = fc.constantFrom("#", "#/$defs/R", "#/$defs/S", "#/properties/p", "#/nope", "#/$defs", "x");
const { schema: SCHEMA } = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie("schema");
  const list = fc.array(inner, { maxLength: 3 });
  const map = fc.dictionary(TEXT, inner, { maxKeys: 3 });
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.boolean(),
      fc.record({ $ref: REFERENCE, nullable: fc.boolean() }, { requiredKeys: ["$ref"] }),
      fc.record({
        type: fc.oneof(
          fc.constantFrom("string", "integer", "object", "array", "null", "int", 3, []),
          fc.constant(["object", "null"]),
        ),
        description: TEXT,
        default: fc.jsonValue({ maxDepth: 1 }),
        enum: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }),
        const: fc.jsonValue({ maxDepth: 2 }),
        properties: map,
        required: fc.array(TEXT, { maxLength: 2 }),
        additionalProperties: inner,
        patternProperties: map,
        items: fc.oneof(inner, list),
        prefixItems: list,
        minItems: fc.integer({ min: -1, max: 3 }),
        allOf: list,
        anyOf: list,
        oneOf: list,
        nullable: fc.boolean(),
        format: TEXT,
        pattern: TEXT,
      }, { requiredKeys: [] }),
      fc.anything({ maxDepth: 1 }).map((value) => JSON.parse(JSON.stringify(value ?? null) ?? "null")),
    ),
  };
});
const TOOL = fc.record({
  name: TEXT,
  description: TEXT,
  inputSchema: fc.tuple(SCHEMA, SCHEMA, SCHEMA, SCHEMA).map(([p, R, S, whole]) =>
    typeof whole === "object" && whole !== null && !Array.isArray(whole)
      ? { ...whole, properties: { p }, $defs: { R, S } }
      : { properties: { p }, $defs: { R, S } }
  ),
  outputSchema: SCHEMA,
});

Deno.test("any names, texts and schemas give two statements that parse", () => {
  fc.assert(
    fc.property(fc.array(TOOL, { maxLength: 3 }), TEXT, (tools, description) => {
      const text = emitNamespace({ ...upstream("ns", tools), description });
      assert.deepEqual(parse(text), { errors: [], statements: 2 });
    }),
    { numRuns: 300 },
  );
});

Deno.test("any schemas give types without errors", () => {
  const samples = fc.sample(fc.array(TOOL, { minLength: 1, maxLength: 3 }), 150);
  const files = samples.map((tools, at) => emitNamespace(upstream("server", tools, `ns${at}`)));
  assert.deepEqual(compile(Object.fromEntries(files.map((text, at) => [`/ns${at}.d.ts`, text]))), []);
});

Deno.test("a tool whose name is its identifier stands there once, another one under both names", () => {
  assert.equal(emitted({ name: "echo" }).match(/echo/g)?.length, 1);
  assert.match(
    emitted({ name: "get-user" }),
    /Wire name: "get-user" \*\/\n {4}get_user\(.*\n {4}"get-user": Tools\["get_user"\];\n/,
  );
});

Deno.test("a schema as deep as one likes spoils no file", () => {
  const shapes: ((inner: unknown) => Record<string, unknown>)[] = [
    (p) => ({ type: "object", properties: { p } }),
    (additionalProperties) => ({ type: "object", additionalProperties }),
    (item) => ({ type: "array", prefixItems: [item] }),
    (items) => ({ type: "array", items }),
    (inner) => ({ anyOf: [inner, { type: "array", prefixItems: [inner] }] }),
    (inner) => ({ allOf: [inner, { type: "object", properties: { inner } }] }),
  ];
  const tools = shapes.map((wrap, at): CatalogTool => {
    let inputSchema: Record<string, unknown> = { type: "string" };
    // Where each level holds the one inside twice, the text would double with each.
    for (let level = 0; level < (at < 4 ? 1000 : 8); level++) inputSchema = wrap(inputSchema);
    const tool = { name: `t${at}`, inputSchema: { type: "object", properties: { inputSchema } } };
    return { namespace: "ns", fn: tool.name, server: "s", tool, findings: [] };
  });
  const types = emitTypes([{ namespace: "ns", server: "s", tools }]);
  assert.deepEqual(compile({ "/types.d.ts": types, "/script.ts": "void ns.t0({});\nexport {};\n" }), []);
});
