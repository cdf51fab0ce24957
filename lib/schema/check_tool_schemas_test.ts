import assert from "node:assert/strict";
import fc from "fast-check";
import { checkToolSchemas } from "./check_tool_schemas.ts";

function only(inputSchema: unknown): { pointer: string; message: string; hint?: string } {
  const findings = checkToolSchemas({ inputSchema });
  assert.equal(findings.length, 1, JSON.stringify(findings));
  return findings[0] ?? { pointer: "", message: "" };
}

Deno.test("a good schema has no findings", () => {
  const inputSchema = {
    type: "object",
    properties: { a: { $ref: "#/$defs/A" }, required: { type: "string" }, any: true },
    required: ["a"],
    $defs: { A: { type: ["string", "null"] } },
  };
  assert.deepEqual(checkToolSchemas({ inputSchema, outputSchema: { type: "object" } }), []);
  assert.deepEqual(checkToolSchemas({ inputSchema: { type: "object" } }), []);
});

Deno.test("a missing schema and one that is no object are reported", () => {
  assert.equal(only(undefined).pointer, "/inputSchema");
  for (const schema of [null, "x", [], 3, true]) assert.match(only(schema).message, /no object/);
});

Deno.test("a root that is no object type is reported once", () => {
  assert.deepEqual(only({ type: "string" }), {
    pointer: "/inputSchema/type",
    message: 'The input schema\'s type is "string", but arguments are always an object.',
    hint: 'The type should be "object".',
  });
  assert.equal(only({ type: "int" }).pointer, "/inputSchema/type");
});

Deno.test("a type of another language is reported with the word that was meant", () => {
  const finding = only({ type: "object", properties: { "a/b": { type: "int" } } });
  assert.equal(finding.pointer, "/inputSchema/properties/a~1b/type");
  assert.equal(finding.hint, 'Did you mean "integer"?');
  assert.match(only({ properties: { a: { type: ["String", "null"] } } }).hint ?? "", /"string"/);
  assert.equal(only({ properties: { a: { type: "constructor" } } }).hint, undefined);
});

Deno.test("required inside properties is a property of that name, with a finding", () => {
  const finding = only({ type: "object", properties: { a: { type: "string" }, required: ["a"] } });
  assert.equal(finding.pointer, "/inputSchema/properties/required");
  assert.match(finding.message, /read as a property of that name/);
});

Deno.test("a schema that says nothing declares no parameters", () => {
  assert.match(
    only({ $schema: "http://json-schema.org/draft-07/schema#" }).message,
    /^No parameters declared/,
  );
  assert.match(only({}).message, /^No parameters declared/);
});

Deno.test("a reference that leads nowhere is reported where it stands", () => {
  const finding = only({ properties: { a: { items: { $ref: "#/$defs/Nope" } } } });
  assert.equal(finding.pointer, "/inputSchema/properties/a/items/$ref");
});

Deno.test("other odd members are reported and ignored", () => {
  assert.match(only({ properties: [] }).message, /`properties` is a list/);
  assert.match(only({ properties: { a: "string" } }).message, /"a" has a string for a schema/);
  assert.match(only({ required: "a" }).message, /`required` is no list of names/);
  assert.match(only({ properties: { a: { enum: "x" } } }).message, /`enum` is a string/);
  assert.match(only({ properties: { a: { enum: [] } } }).message, /no value fits/);
});

Deno.test("a bad output schema is reported beside a good input schema", () => {
  const [finding] = checkToolSchemas({ inputSchema: { type: "object" }, outputSchema: "x" });
  assert.equal(finding?.pointer, "/outputSchema");
});

Deno.test("values in enum, const, default and examples are no schemas", () => {
  const odd = { type: "int", $ref: "#/nope" };
  assert.deepEqual(
    checkToolSchemas({
      inputSchema: { properties: { a: { enum: [odd], const: odd, default: odd, examples: [odd] } } },
    }),
    [],
  );
});

Deno.test("anything at all is checked without a throw, with a bounded number of findings", () => {
  const properties = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, { type: "int" }]));
  assert.equal(checkToolSchemas({ inputSchema: { properties } }).length, 50);
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (inputSchema, outputSchema) => {
    checkToolSchemas({ inputSchema, outputSchema });
  }));
});
