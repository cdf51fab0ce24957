import assert from "node:assert/strict";
import fc from "fast-check";
import { flattenSchema } from "./flatten_schema.ts";

Deno.test("every property has its type, whether it is required, and what is known of it", () => {
  const flat = flattenSchema({
    type: "object",
    properties: {
      title: { type: "string", description: "The title." },
      state: { enum: ["open", "closed"], default: "open" },
      n: { type: "integer" },
      list: { type: "array", items: { type: "object", properties: { q: { type: "string" } } } },
    },
    required: ["title"],
  });
  assert.deepEqual([...flat], [
    ["title", { type: "string", required: true, description: "The title." }],
    ["state", { type: '"open" | "closed"', required: false, default: "open", enum: ["open", "closed"] }],
    ["n", { type: "integer", required: false }],
    ["list", { type: "{ q?: string }[]", required: false }],
  ]);
});

Deno.test("references and allOf are followed, at the root and below", () => {
  const flat = flattenSchema({
    $ref: "#/$defs/Base",
    allOf: [{ properties: { b: { allOf: [{ $ref: "#/$defs/E" }], default: "x" } }, required: ["b"] }],
    $defs: {
      Base: { properties: { a: { $ref: "#/$defs/R" } }, required: ["a"] },
      R: { type: "object", description: "An R.", properties: { q: { type: "integer" } }, required: ["q"] },
      E: { enum: ["x", "y"] },
    },
  });
  assert.deepEqual([...flat], [
    ["a", { type: "{ q: integer }", required: true, description: "An R." }],
    ["b", { type: '"x" | "y"', required: true, default: "x", enum: ["x", "y"] }],
  ]);
});

Deno.test("what only one alternative requires is not required", () => {
  const flat = flattenSchema({
    anyOf: [{ properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }],
  });
  assert.deepEqual([...flat].map(([name, { required }]) => [name, required]), [["a", false], ["b", false]]);
});

Deno.test("a required name without a property, and a property called __proto__, are kept", () => {
  const flat = flattenSchema(JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["x"]}'));
  assert.deepEqual([...flat.keys()], ["__proto__", "x"]);
  assert.deepEqual(flat.get("x"), { type: "unknown", required: true });
});

Deno.test("recursion and fan-out are cut, quickly", () => {
  const $defs: Record<string, unknown> = { d0: { $ref: "#/$defs/d40" } };
  for (let at = 1; at <= 40; at++) {
    const ref = { $ref: `#/$defs/d${at - 1}` };
    $defs[`d${at}`] = { properties: { l: ref, r: ref } };
  }
  const flat = flattenSchema({ properties: { p: { $ref: "#/$defs/d40" } }, $defs });
  assert.match(flat.get("p")?.type ?? "", /^\{ l\?: \{/);
  assert.ok((flat.get("p")?.type.length ?? 0) < 10_000);
});

Deno.test("anything at all is flattened without a throw", () => {
  for (const odd of [undefined, null, true, "x", []]) assert.equal(flattenSchema(odd).size, 0);
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    flattenSchema({ properties: value, required: value, allOf: [value], $ref: "#/properties" });
  }));
});
