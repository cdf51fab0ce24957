import assert from "node:assert/strict";
import fc from "fast-check";
import { McpxError } from "../errors/mod.ts";
import { checkAnswer } from "./check_answer.ts";
import { readAnswer } from "./read_answer.ts";

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string" },
    age: { type: "integer" },
    ratio: { type: "number" },
    ok: { type: "boolean" },
    size: { type: "string", oneOf: [{ const: "s", title: "Small one" }, { const: "l", title: "Large" }] },
    pet: { type: "string", enum: ["p1", "p2"], enumNames: ["Cat", "Dog"] },
    tags: { type: "array", items: { enum: ["a", "b", "c"] } },
  },
};

Deno.test("texts become what the schema asks for", () => {
  const words: [string, string][] = [
    ["name", "007"],
    ["age", "3"],
    ["ratio", "2.50"],
    ["ok", "Yes"],
    ["size", "small one"],
    ["pet", "Dog"],
    ["tags", "a, c"],
  ];
  assert.deepEqual(readAnswer(SCHEMA, words), {
    name: "007",
    age: 3,
    ratio: 2.5,
    ok: true,
    size: "s",
    pet: "p2",
    tags: ["a", "c"],
  });
});

Deno.test("a list is written as one key several times, with commas, or as JSON", () => {
  for (
    const words of [[["tags", "a"], ["tags", "b"]], [["tags", "a,b"]], [["tags", '["a","b"]']]] as [
      string,
      string,
    ][][]
  ) {
    assert.deepEqual(readAnswer(SCHEMA, words), { tags: ["a", "b"] });
  }
  assert.deepEqual(readAnswer(SCHEMA, [["tags", "a"]]), { tags: ["a"] });
  assert.deepEqual(readAnswer(SCHEMA, [["tags", ""]]), { tags: [] });
});

Deno.test("a value is taken before a title of another one", () => {
  const schema = { properties: { x: { enum: ["a", "b"], enumNames: ["b", "a"] } } };
  assert.deepEqual(readAnswer(schema, [["x", "b"]]), { x: "b" });
});

Deno.test("a text that fits no type is refused with the field; a secret's text is not repeated", () => {
  assert.throws(() => readAnswer(SCHEMA, [["age", "three"]]), /Cannot use age=three/);
  const secret = { properties: { pin: { type: "integer" } } };
  assert.throws(
    () => readAnswer(secret, [["pin", "hunter2"]]),
    (error) =>
      error instanceof McpxError && !JSON.stringify([error.message, error.toBody()]).includes("hunter2"),
  );
});

Deno.test("what a schema's own values print as is read back as them", () => {
  const fields = fc.record({
    name: fc.string(),
    age: fc.integer(),
    ok: fc.boolean(),
    size: fc.constantFrom("s", "l"),
    tags: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }),
  }, { requiredKeys: [], noNullPrototype: true });
  fc.assert(fc.property(fields, (content) => {
    const words = Object.entries(content).flatMap(([name, value]): [string, string][] =>
      Array.isArray(value) ? value.map((item) => [name, item]) : [[name, String(value)]]
    );
    const read = readAnswer(SCHEMA, words);
    assert.deepEqual(read, content);
    assert.ok(checkAnswer(SCHEMA, read).ok);
  }));
});
