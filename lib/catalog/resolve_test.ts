import assert from "node:assert/strict";
import fc from "fast-check";
import { McpxError } from "../errors/mod.ts";
import { type CatalogView, catalogView, resolveTool } from "./resolve.ts";
import type { CatalogTool } from "./types.ts";

function tool(server: string, namespace: string, wire: string, fn: string): CatalogTool {
  return { server, namespace, fn, tool: { name: wire }, findings: [] };
}

const chrome = tool("chrome-devtools", "chrome_devtools", "take-snapshot", "take_snapshot");
const dotted = tool("demo", "demo", "files.read.all", "files_read_all");
const echo = tool("demo", "demo", "echo", "echo");
const searchA = tool("a", "a", "search", "search");
const searchB = tool("b", "b", "search", "search");
const odd = tool("x.y", "x_y", "z.w", "z_w");
const view: CatalogView = catalogView(
  ["chrome-devtools", "demo", "a", "b", "x.y", "empty"].map((server) => ({
    server,
    namespace: server.replace(/\W/g, "_"),
  })),
  [chrome, dotted, echo, searchA, searchB, odd],
);

function failure(name: string, where: CatalogView = view): McpxError {
  try {
    resolveTool(where, name);
  } catch (error) {
    assert.ok(error instanceof McpxError);
    return error;
  }
  return assert.fail(`${name} was found`);
}

Deno.test("a tool answers to every spelling of its name", () => {
  const rows: [CatalogTool, string[]][] = [
    [chrome, [
      "chrome_devtools.take_snapshot",
      "chrome_devtools.take-snapshot",
      "chrome-devtools.take-snapshot",
      "chrome-devtools.take_snapshot",
      "take-snapshot",
      "take_snapshot",
    ]],
    [dotted, ["demo.files_read_all", "demo.files.read.all", "files.read.all", "files_read_all"]],
    [odd, ["x_y.z_w", "x.y.z.w", "x_y.z.w", "x.y.z_w", "z.w"]],
    [searchB, ["b.search"]],
  ];
  for (const [expected, names] of rows) {
    for (const name of names) assert.equal(resolveTool(view, name), expected, name);
  }
});

Deno.test("a bare name that two servers have lists both", () => {
  const error = failure("search");
  assert.equal(error.code, "ambiguous-tool");
  assert.deepEqual(error.data?.candidates, ["a.search", "b.search"]);
  assert.match(error.message, /a\.search, b\.search/);
});

Deno.test("two readings of a dotted name are both listed, and the identifiers tell them apart", () => {
  const one = tool("a", "a", "b.c", "b_c");
  const other = tool("a.b", "a_b", "c", "c");
  const both = catalogView([{ server: "a", namespace: "a" }, { server: "a.b", namespace: "a_b" }], [
    one,
    other,
  ]);
  assert.deepEqual(failure("a.b.c", both).data?.candidates, ["a.b_c", "a_b.c"]);
  assert.equal(resolveTool(both, "a.b_c"), one);
  assert.equal(resolveTool(both, "a_b.c"), other);
});

Deno.test("an identifier comes before another tool's wire name", () => {
  const first = tool("a", "a", "get-it", "get_it");
  const second = tool("a", "a", "get_it", "get_it_2");
  const both = catalogView([{ server: "a", namespace: "a" }], [second, first]);
  assert.equal(resolveTool(both, "a.get_it"), first);
  assert.equal(resolveTool(both, "a.get_it_2"), second);
  assert.equal(failure("get_it", both).code, "ambiguous-tool");
});

Deno.test("an unknown server names the nearest one", () => {
  const error = failure("dmeo.echo");
  assert.equal(error.code, "unknown-server");
  assert.deepEqual(error.data?.nearest, ["demo"]);
  assert.match(error.hint ?? "", /Did you mean demo\?/);
  assert.deepEqual(failure("chrome-devtool.x").data?.nearest, ["chrome_devtools"]);
  assert.deepEqual(failure("nowhere.echo").data?.tools, ["demo.echo"]);
});

Deno.test("an unknown tool names the server's tools and the nearest", () => {
  const error = failure("demo.ecoh");
  assert.equal(error.code, "unknown-tool");
  assert.deepEqual(error.data?.nearest, ["demo.echo"]);
  assert.deepEqual(error.data?.functions, ["echo", "files_read_all"]);
  assert.match(error.hint ?? "", /mcpx tools demo/);
  assert.deepEqual(failure("chrome_devtools.search").data?.nearest, ["a.search", "b.search"]);
  assert.deepEqual(failure("take-snapshto").data?.nearest, ["chrome_devtools.take_snapshot"]);
});

Deno.test("a server's name alone, a server without tools and an empty configuration say so", () => {
  assert.match(failure("demo").message, /demo is a server/);
  assert.match(failure("empty.x").hint ?? "", /mcpx refresh empty/);
  assert.match(failure("x", catalogView([], [])).hint ?? "", /No server is configured/);
  assert.equal(failure("a.b", catalogView([], [])).code, "unknown-server");
});

Deno.test("any text is found or refused with one of three codes, in little time and space", () => {
  const codes = new Set(["unknown-server", "unknown-tool", "ambiguous-tool"]);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (name) => {
    const error = failure(name);
    assert.ok(codes.has(error.code));
  }));
  const long = failure("a.".repeat(500_000));
  assert.ok(JSON.stringify(long.toBody()).length < 2000);
  for (const name of ["", ".", "..", ".a", "a.", "__proto__", "constructor.name"]) {
    assert.ok(codes.has(failure(name).code));
  }
});
