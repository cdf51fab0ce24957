import assert from "node:assert/strict";
import { signature } from "./signature.ts";

function signed(
  fn: string,
  inputSchema?: Record<string, unknown>,
  outputSchema?: Record<string, unknown>,
): string {
  return signature({ namespace: "ns", fn, tool: { name: fn, inputSchema, outputSchema } });
}

Deno.test("a signature is one line of TypeScript, with what is required first", () => {
  const properties = { loud: { type: "boolean" }, text: { type: "string", description: "Two\nlines" } };
  assert.equal(
    signed("echo", { properties, required: ["text"] }, { properties: { n: { type: "integer" } } }),
    "ns.echo(args: { text: string; loud?: boolean }): Promise<{ n?: number }>",
  );
  assert.equal(
    signed("echo", { properties }),
    "ns.echo(args?: { loud?: boolean; text?: string }): Promise<unknown>",
  );
});

Deno.test("a tool without parameters is called with nothing", () => {
  for (
    const schema of [{ type: "object" }, { type: "object", properties: {}, additionalProperties: false }]
  ) {
    assert.equal(signed("now", schema), "ns.now(): Promise<unknown>");
  }
  assert.equal(
    signed("put", { type: "object", additionalProperties: true }),
    "ns.put(args?: Record<string, unknown>): Promise<unknown>",
  );
  assert.equal(signed("raw"), "ns.raw(): Promise<unknown>");
});

Deno.test("long enums and endless types are cut", () => {
  const many = { enum: Array.from({ length: 100 }, (_, at) => `v${at}`) };
  const text = signed("a", { properties: { many, self: { $ref: "#" } } });
  assert.match(text, /"v7" \| …; self\?: /);
  assert.ok(text.length < 600, text);
});

Deno.test("a name beyond ASCII is shown as it is called", () => {
  assert.equal(signed("日本"), 'ns["日本"](): Promise<unknown>');
  assert.equal(signed("new"), "ns.new(): Promise<unknown>");
});
