import assert from "node:assert/strict";
import fc from "fast-check";
import ts from "typescript";
import { McpxError } from "../errors/mod.ts";
import {
  deriveFunctions,
  deriveNamespaces,
  exposedName,
  exposeNames,
  hashTail,
  isIdentifier,
  type NamedServer,
} from "./names.ts";
import { reservedMeaning } from "./reserved_names.ts";

const NAME = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: fc.constantFrom("a", "b", "-", "_", ".", "1", "é", " "), maxLength: 4 }),
  fc.constantFrom(
    "then",
    "then_",
    "delete",
    "class",
    "fetch",
    "mcpx",
    "__proto__",
    "constructor",
    "toString",
  ),
);
const NAMES = fc.uniqueArray(NAME, { maxLength: 30 });

function servers(...names: string[]): NamedServer[] {
  return names.map((name) => ({ name }));
}

function thrownBy(run: () => unknown): McpxError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof McpxError);
    return error;
  }
  throw new Error("nothing was thrown");
}

Deno.test("a derived namespace is the server's name made legal", () => {
  const names = deriveNamespaces(servers("chrome-devtools", "12306-mcp", "Ant Design", "天气", "github", ""));
  assert.deepEqual([...names], [
    ["chrome-devtools", "chrome_devtools"],
    ["12306-mcp", "_12306_mcp"],
    ["Ant Design", "Ant_Design"],
    ["天气", "天气"],
    ["github", "github"],
    ["", "_"],
  ]);
});

Deno.test("a derived namespace never shadows a word, a global or a name of mcpx's own", () => {
  const reserved =
    "mcpx recipe tools call search describe emit log artifact args ToolError console fetch Deno class " +
    "delete await let then constructor __proto__ Promise process";
  for (const [name, namespace] of deriveNamespaces(servers(...reserved.split(" ")))) {
    assert.equal(namespace, `${name}_`);
  }
});

Deno.test("every global of this runtime is reserved, but for GPU, CSS and error ones that scripts never see", () => {
  const free = Object.getOwnPropertyNames(globalThis).filter((name) => reservedMeaning(name) === undefined);
  assert.deepEqual(free.filter((name) => !/^GPU|^CSS|^Lock|Error$|^nodeBootstrap$/.test(name)), []);
});

Deno.test("two names that would be one namespace both get a tail, and a third one keeps its own", () => {
  const names = deriveNamespaces(servers("a-b", "a.b", "c"));
  assert.deepEqual([...names.values()], [`a_b_${hashTail("a-b")}`, `a_b_${hashTail("a.b")}`, "c"]);
});

Deno.test("a written namespace is kept, and a derived one makes way for it", () => {
  const names = deriveNamespaces([{ name: "github" }, { name: "hub", written: "github" }]);
  assert.equal(names.get("hub"), "github");
  assert.equal(names.get("github"), `github_${hashTail("github")}`);
});

Deno.test("a written namespace that cannot be used is refused, naming what is in the way", () => {
  const twice = thrownBy(() =>
    deriveNamespaces([{ name: "one", written: "x" }, { name: "two", written: "x" }])
  );
  assert.equal(twice.code, "invalid-config");
  assert.match(twice.message, /"x".*"one" and "two" both claim it/);
  assert.match(
    thrownBy(() => deriveNamespaces([{ name: "a", written: "my-ns" }])).message,
    /"my-ns".*"a".*no legal/,
  );
  assert.match(
    thrownBy(() => deriveNamespaces([{ name: "a", written: "fetch" }])).message,
    /a global of scripts/,
  );
  assert.match(thrownBy(() => deriveNamespaces([{ name: "a", written: "tools" }])).message, /mcpx's own/);
  assert.match(thrownBy(() => deriveNamespaces([{ name: "a", written: "" }])).message, /no legal identifier/);
});

Deno.test("with a listener a refused namespace costs only the servers that wrote it", () => {
  const refused: string[] = [];
  const names = deriveNamespaces(
    [{ name: "one", written: "x" }, { name: "two", written: "x" }, { name: "three", written: "y" }],
    (server, error) => refused.push(`${server}: ${error.code}`),
  );
  assert.deepEqual(refused, ["one: invalid-config", "two: invalid-config"]);
  assert.deepEqual([...names.values()], ["one", "two", "y"]);
});

Deno.test("namespaces are legal, unique and the same in any order", () => {
  fc.assert(fc.property(NAMES, (names) => {
    const derived = deriveNamespaces(servers(...names));
    assert.equal(new Set(derived.values()).size, names.length);
    for (const namespace of derived.values()) {
      assert.ok(isIdentifier(namespace) && reservedMeaning(namespace) === undefined, namespace);
    }
    const other = deriveNamespaces(servers(...names.toReversed()));
    for (const name of names) assert.equal(other.get(name), derived.get(name));
  }));
});

Deno.test("a tool whose name is an identifier keeps it, words of the language included", () => {
  const names = [
    "delete",
    "typeof",
    "class",
    "constructor",
    "toString",
    "__proto__",
    "naïve_日本",
    "x".repeat(200),
  ];
  assert.deepEqual([...deriveFunctions(names).values()], names);
});

Deno.test("a tool called then is reachable as then_, whatever else is there", () => {
  assert.equal(deriveFunctions(["then"]).get("then"), "then_");
  const both = deriveFunctions(["then", "then_"]);
  assert.equal(both.get("then_"), "then_");
  assert.equal(both.get("then"), `then__${hashTail("then")}`);
});

Deno.test("a tool that needs another name never takes one that is a tool's own", () => {
  const names = deriveFunctions(["a-b", "a_b", "get-user", "1st", "dot.name", "slash/name"]);
  assert.equal(names.get("a_b"), "a_b");
  assert.equal(names.get("a-b"), `a_b_${hashTail("a-b")}`);
  assert.deepEqual([...names.values()].slice(2), ["get_user", "_1st", "dot_name", "slash_name"]);
});

Deno.test("functions are legal, unique and the same in any order", () => {
  fc.assert(fc.property(NAMES, (names) => {
    const derived = deriveFunctions(names);
    assert.equal(new Set(derived.values()).size, names.length);
    for (const fn of derived.values()) assert.ok(isIdentifier(fn) && fn !== "then", fn);
    const other = deriveFunctions(names.toReversed());
    for (const name of names) assert.equal(other.get(name), derived.get(name));
  }));
});

Deno.test("a character counts as part of an identifier only where TypeScript agrees", () => {
  for (let code = 0; code < 0x10000; code++) {
    const char = String.fromCharCode(code);
    if (isIdentifier(char)) assert.ok(ts.isIdentifierStart(code, ts.ScriptTarget.ESNext), code.toString(16));
    if (isIdentifier(`a${char}`)) {
      assert.ok(ts.isIdentifierPart(code, ts.ScriptTarget.ESNext), code.toString(16));
    }
  }
});

Deno.test("a name towards hosts is namespace and wire name where that is legal and short enough", () => {
  assert.equal(exposedName("github", "get-user"), "github_get-user");
  assert.equal(exposedName("", "get-user"), "get-user");
  assert.equal(exposedName("a", "b.c"), `a_b_c_${hashTail("a\0b.c")}`);
});

Deno.test("long names with one beginning stay apart, and the limit holds", () => {
  const [one, two] = ["a", "b"].map((end) => exposedName("ns", "x".repeat(69) + end));
  assert.notEqual(one, two);
  assert.equal(one?.length, 50);
});

Deno.test("names towards hosts are legal, unique and the same in any order", () => {
  const tools = fc.array(fc.record({ namespace: NAME, wire: NAME }), { maxLength: 30 });
  fc.assert(fc.property(tools, fc.integer({ min: 16, max: 64 }), (all, limit) => {
    const exposed = exposeNames(all, limit);
    assert.equal(exposed.size, new Set(all.map(({ namespace, wire }) => `${namespace}\0${wire}`)).size);
    for (const name of exposed.keys()) assert.match(name, new RegExp(`^[A-Za-z0-9_-]{1,${limit}}$`));
    assert.deepEqual([...exposeNames(all.toReversed(), limit).keys()].sort(), [...exposed.keys()].sort());
  }));
});

Deno.test("two tools whose joined names are equal both get a tail", () => {
  const names = [...exposeNames([{ namespace: "a_b", wire: "c" }, { namespace: "a", wire: "b_c" }]).keys()];
  assert.deepEqual(names, [`a_b_c_${hashTail("a_b\0c")}`, `a_b_c_${hashTail("a\0b_c")}`]);
});
