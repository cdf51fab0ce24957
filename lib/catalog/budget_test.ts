import assert from "node:assert/strict";
import fc from "fast-check";
import { catalogWithinBudget } from "./budget.ts";
import type { CatalogTool } from "./types.ts";

function tool(namespace: string, fn: string, description?: string): CatalogTool {
  return { namespace, fn, server: namespace, tool: { name: fn, description }, findings: [] };
}

const signature = (): string => "(args: {\n  path: string\n}): string";

Deno.test("a roomy budget lists every tool on one line, with its first sentence, and says so", () => {
  const tools = [
    tool("fs", "write"),
    tool("fs", "read", "Read a file. Then more."),
    tool("a", "b", "多。余"),
  ];
  assert.equal(
    catalogWithinBudget(tools, { tokens: 1000, recipes: "3 recipes: mcpx recipes list", signature }),
    "a.b(args: { path: string }): string // 多\n" +
      "fs.read(args: { path: string }): string // Read a file\n" +
      "fs.write(args: { path: string }): string\n\n" +
      "All 3 tools are listed. 3 recipes: mcpx recipes list\n",
  );
});

Deno.test("a tight budget takes a tool of every namespace before a second of any, and counts what it left out", () => {
  const big = Array.from({ length: 40 }, (_, at) => tool("big", `tool_${at}`, "Does something of note."));
  const text = catalogWithinBudget([...big, tool("small", "one"), tool("tiny", "one")], {
    tokens: 160,
    recipes: "0 recipes: mcpx recipes list",
    signature,
  });
  for (const name of ["big.tool_0", "small.one", "tiny.one"]) assert.ok(text.includes(name), text);
  assert.match(
    text,
    /\d+ of 42 tools left out \(big \d+\): mcpx search WORDS\. 0 recipes: mcpx recipes list\n$/,
  );
});

Deno.test("a line that is too long is tried without its sentence, then by name", () => {
  const wide = {
    tokens: 60,
    recipes: "0 recipes: mcpx recipes list",
    signature: (): string => `(${"x".repeat(500)})`,
  };
  assert.match(catalogWithinBudget([tool("a", "b", "Short.")], wide), /^a\.b\n/);
});

Deno.test("the text keeps to its budget, whatever the tools, and ends with its closing line", () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/);
  const tools = fc.uniqueArray(fc.tuple(word, word, fc.string({ unit: "grapheme", maxLength: 80 })), {
    selector: ([namespace, fn]) => `${namespace}.${fn}`,
    maxLength: 60,
  });
  fc.assert(fc.property(tools, fc.integer({ min: 25, max: 600 }), (rows, tokens) => {
    const catalog = rows.map(([namespace, fn, description]) => tool(namespace, fn, description));
    const text = catalogWithinBudget(catalog, {
      tokens,
      recipes: "12 recipes: mcpx recipes list",
      signature,
    });
    assert.ok(new TextEncoder().encode(text).length <= tokens * 4);
    assert.match(text, /12 recipes: mcpx recipes list\n$/);
    const missing = Number(/(\d+) of \d+ tools left out/.exec(text)?.[1] ?? 0);
    const [body = ""] = text.split(/\n\n|^(?:\d+ of|All )/);
    assert.equal(body.split("\n").filter((line) => line !== "").length + missing, catalog.length);
  }));
});
