import assert from "node:assert/strict";
import fc from "fast-check";
import { minimalValue } from "./minimal_value.ts";
import { validateValue } from "./validate_value.ts";

Deno.test("the smallest value of every type", () => {
  const cases: [schema: unknown, value: unknown][] = [
    [{ type: "string" }, ""],
    [{ type: "integer" }, 0],
    [{ type: "number", minimum: 1.5 }, 1.5],
    [{ type: "integer", minimum: 1.5 }, 2],
    [{ type: "integer", exclusiveMinimum: 0 }, 1],
    [{ type: "integer", maximum: -3 }, -3],
    [{ type: "boolean" }, false],
    [{ type: "null" }, null],
    [{ type: "array", items: { type: "string" } }, []],
    [{ type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] }, ["", 0]],
    [{ type: "object" }, {}],
    [{ enum: ["b", "a"] }, "b"],
    [{ const: 5 }, 5],
    [{ enum: [] }, null],
    [{ type: ["null", "string"] }, ""],
    [{ anyOf: [{ type: "null" }, { type: "integer" }] }, 0],
    [{ allOf: [{ type: "string" }] }, ""],
    [{ anyOf: [{ type: "null" }, { properties: { a: { type: "string" } }, required: ["a"] }] }, { a: "" }],
    [true, null],
    [undefined, null],
    ["x", null],
  ];
  for (const [schema, value] of cases) assert.deepEqual(minimalValue(schema), value, JSON.stringify(schema));
});

Deno.test("what an object requires is filled in, through references", () => {
  const schema = {
    properties: { a: { $ref: "#/$defs/A" }, b: { type: "string" }, c: {} },
    required: ["a", "b"],
    $defs: { A: { type: "object", properties: { q: { enum: ["x"] } }, required: ["q"] } },
  };
  assert.deepEqual(minimalValue(schema), { a: { q: "x" }, b: "" });
  assert.deepEqual(minimalValue(schema.properties.a, schema), { q: "x" });
  assert.deepEqual(Object.keys(Object(minimalValue({ required: ["__proto__"] }))), ["__proto__"]);
});

Deno.test("a type that requires itself ends", () => {
  const schema = { properties: { l: { $ref: "#" }, r: { $ref: "#" } }, required: ["l", "r"] };
  assert.ok(JSON.stringify(minimalValue(schema)).length < 100_000);
  assert.equal(minimalValue({ $ref: "#" }), null);
});

Deno.test("the smallest value of a plain schema fits it", () => {
  const leaf = fc.constantFrom<unknown>(
    { type: "string" },
    { type: "integer", minimum: 3 },
    { enum: ["x"] },
    { const: [1] },
  );
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      leaf,
      tie("schema").map((items) => ({ type: "array", items })),
      fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc.dictionary(fc.string(), tie("schema"), { maxKeys: 3 }).map((properties) => ({
        type: "object",
        properties,
        required: Object.keys(properties),
      })),
    ),
  }));
  fc.assert(fc.property(schema, (each) => assert.deepEqual(validateValue(each, minimalValue(each)), [])));
});
