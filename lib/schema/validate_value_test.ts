import assert from "node:assert/strict";
import fc from "fast-check";
import { rawNumber } from "../json/mod.ts";
import { validateValue } from "./validate_value.ts";

function problems(schema: unknown, value: unknown): string[] {
  return validateValue(schema, value).map(({ pointer, message }) => `${pointer} ${message}`);
}

Deno.test("each problem is told with its place", () => {
  const schema = {
    type: "object",
    properties: {
      x: {},
      n: { type: "integer", minimum: 1 },
      s: { type: ["string", "null"], maxLength: 2, pattern: "^[a-z]*$" },
      e: { enum: ["a", "b"] },
      l: { type: "array", items: { $ref: "#/$defs/T" }, maxItems: 2 },
    },
    required: ["n", "x"],
    additionalProperties: false,
    $defs: { T: { type: "object", properties: { q: { type: "string" } }, required: ["q"] } },
  };
  assert.deepEqual(problems(schema, { n: 0, s: "ABC", e: "c", l: [{ q: 1 }, {}], "o/p": 1 }), [
    ' lacks the required property "x"',
    "/n must be at least 1",
    "/s must have at most 2 characters",
    "/s must fit the pattern ^[a-z]*$",
    '/e must be one of "a", "b"',
    "/l/0/q must be a string, and is a number",
    '/l/1 lacks the required property "q"',
    "/o~1p is not allowed",
  ]);
  assert.deepEqual(problems(schema, { n: 1, x: 1, s: null, e: "a", l: [] }), []);
  assert.deepEqual(problems(schema, [1]), [" must be an object, and is a list"]);
});

Deno.test("of several alternatives the nearest explains", () => {
  const anyOf = [{ type: "null" }, {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
  }];
  assert.deepEqual(problems({ anyOf }, null), []);
  assert.deepEqual(problems({ anyOf }, { a: 1 }), ["/a must be a string, and is a number"]);
  assert.deepEqual(problems({ anyOf }, {}), [' lacks the required property "a"']);
  assert.deepEqual(problems({ anyOf }, 3), [" fits none of the 2 alternatives"]);
});

Deno.test("a number kept as its digits is a number", () => {
  assert.deepEqual(problems({ type: "integer" }, rawNumber("9007199254740993")), []);
  assert.deepEqual(problems({ type: "string" }, rawNumber("9007199254740993")), [
    " must be a string, and is a number",
  ]);
});

Deno.test("equal values are equal whatever the order of their members", () => {
  assert.deepEqual(problems({ const: { a: 1, b: [2] } }, { b: [2], a: 1 }), []);
  assert.deepEqual(problems({ const: [1] }, [2]), [" must be [1]"]);
});

Deno.test("a recursive schema explains a deep value and ends on a circular one", () => {
  const tree = {
    type: "object",
    properties: { kids: { type: "array", items: { $ref: "#" } }, v: { type: "string" } },
  };
  assert.deepEqual(problems(tree, { kids: [{ kids: [{ v: 1 }] }] }), [
    "/kids/0/kids/0/v must be a string, and is a number",
  ]);
  assert.deepEqual(problems({ $ref: "#" }, 1), []);
  assert.deepEqual(problems({ anyOf: [{ $ref: "#" }, { $ref: "#" }], allOf: [{ $ref: "#" }] }, 1), []);
});

Deno.test("bounds, steps and choices hold for a number of any size", () => {
  assert.deepEqual(problems({ minimum: 1, maximum: 3 }, rawNumber("12345678901234567890123")), [
    " must be at most 3",
  ]);
  assert.deepEqual(problems({ minimum: 1 }, rawNumber("1e400")), []);
  assert.deepEqual(problems({ multipleOf: 7 }, rawNumber("1e400")), [" must be a multiple of 7"]);
  assert.deepEqual(
    problems({ exclusiveMaximum: rawNumber("9007199254740993") }, rawNumber("9007199254740993")),
    [
      " must be less than 9007199254740993",
    ],
  );
  assert.deepEqual(problems({ minimum: 5, exclusiveMinimum: true, maximum: 6 }, 5), [" must be more than 5"]);
  assert.deepEqual(problems({ type: "integer" }, rawNumber("1.00000000000000000001")), [
    " must be an integer, and is a number",
  ]);
});

Deno.test("a check of many texts against costly patterns ends soon", () => {
  const items = Array.from({ length: 20_000 }, () => `${"a".repeat(200)}!`);
  const started = performance.now();
  validateValue({ items: { pattern: "^((a?){50}a{50})+$" } }, items);
  validateValue(
    { items: { anyOf: Array.from({ length: 500 }, (_, n) => ({ pattern: `(a{0,90}){${n}}` })) } },
    items,
  );
  const names = Object.fromEntries(items.map((_, at) => [`${"a".repeat(50)}${at}`, 1]));
  const patternProperties = Object.fromEntries(items.slice(0, 50).map((_, at) => [`(a|aa)+${at}$`, {}]));
  validateValue({ patternProperties }, names);
  assert.ok(performance.now() - started < 5000);
});

Deno.test("anything at all is checked without a throw, with a bounded number of problems", () => {
  const wide = Array.from({ length: 1000 }, () => 1);
  assert.equal(validateValue({ items: { type: "string" } }, wide).length, 20);
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (schema, inner, value) => {
    validateValue(schema, value);
    validateValue({
      properties: inner,
      items: inner,
      anyOf: inner,
      enum: inner,
      required: inner,
      patternProperties: inner,
    }, value);
  }));
});
