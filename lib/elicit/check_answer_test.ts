import assert from "node:assert/strict";
import fc from "fast-check";
import { parseJson } from "../json/mod.ts";
import { checkAnswer, uncheckedFields } from "./check_answer.ts";

const form = (properties: Record<string, unknown>, required: string[] = []): unknown => ({
  type: "object",
  properties,
  required,
});

/** The fields that are wrong. */
function wrong(schema: unknown, content: Record<string, unknown>): string[] {
  const checked = checkAnswer(schema, content);
  return checked.ok ? [] : checked.problems.map(({ field, message }) => `${field} ${message}`);
}

Deno.test("each primitive takes its own values within its bounds, and no others", () => {
  const cases: [Record<string, unknown>, unknown[], unknown[]][] = [
    [{ type: "string" }, ["", "x", "😀"], [1, true, null, [], {}]],
    [{ type: "string", minLength: 2, maxLength: 3 }, ["ab", "abc", "😀😀"], ["a", "abcd", "😀"]],
    [{ type: "string", format: "email" }, ["a@b", "ada@example.org"], ["a", "@b", "a@", "a b@c", "a@b..c"]],
    [{ type: "string", format: "uri" }, ["https://example.org/x?y", "urn:a:b"], [
      "example.org",
      "/x",
      "https://a b",
    ]],
    [{ type: "string", format: "date" }, ["2026-02-28"], [
      "2026-02-30",
      "2026-2-1",
      "28.02.2026",
      "2026-13-01",
    ]],
    [
      { type: "string", format: "date-time" },
      ["2026-02-28T23:59:59Z", "2026-02-28T00:00:00.5+02:00"],
      ["2026-02-28", "2026-02-28T24:00:00Z", "2026-02-30T00:00:00Z", "2026-02-28T00:00:00"],
    ],
    [{ type: "integer", minimum: 1, maximum: 3 }, [1, 3], [0, 4, 1.5, "2"]],
    [{ type: "number", minimum: 0 }, [0, 0.5], [-1, "1"]],
    [
      { type: "integer", minimum: 1, maximum: 3 },
      [parseJson("3.0000000000000000")],
      ["12345678901234567890123", "1e400", "-1e400", "3.00000000000000000001"].map(parseJson),
    ],
    [
      { type: "integer" },
      ["12345678901234567890123", "1e30"].map(parseJson),
      [
        "1e400",
        "-1e400",
        "1.00000000000000000001",
      ].map(parseJson),
    ],
    [{ type: "number" }, [parseJson("0.10000000000000000001")], [parseJson("1e400")]],
    [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.1 }, [0.1, 0.3, 0.9], [
      0,
      1,
      0.35,
      parseJson("0.30000000000000000001"),
    ]],
    [
      { type: "integer", minimum: parseJson("9007199254740993"), maximum: parseJson("9007199254740995") },
      ["9007199254740993", "9007199254740994"].map(parseJson),
      ["9007199254740992", "9007199254740997"].map(parseJson),
    ],
    [{ enum: [parseJson("9007199254740993"), 5] }, [parseJson("9007199254740993"), 5], [9007199254740992, 6]],
    [{ const: 100 }, [100, parseJson("100.000000000000000000")], [parseJson("100.00000000000000000001")]],
    [{ type: "string", pattern: "^(?:ab)+$" }, ["ab", "abab"], ["123", ""]],
    [{ type: "string", pattern: "^([0-9]{1,3}\\.){3}[0-9]{1,3}$" }, ["10.0.0.1"], ["abc", "10.0.0"]],
    [{ type: "string", pattern: "^(a+)+$" }, ["aaa"], [`${"a".repeat(60)}!`]],
    [{ type: "string", pattern: "^(a)\\1$" }, ["aa", "what this is cannot be told"], [1]],
    [{ type: "boolean" }, [true, false], ["true", 1]],
    [{ type: "string", enum: ["a", "b"] }, ["a"], ["c", "A", 1]],
    [{ type: "string", enum: ["a", "b"], enumNames: ["Ay", "Bee"] }, ["b"], ["Bee"]],
    [{ type: "string", oneOf: [{ const: "a", title: "Ay" }, { const: "b", title: "Bee" }] }, ["a"], [
      "Ay",
      "c",
    ]],
    [
      { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, minItems: 1, maxItems: 2 },
      [["a"], ["a", "c"]],
      [[], ["a", "b", "c"], ["d"], ["a", "a"], "a"],
    ],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "Ay" }] } }, [[], ["a"]], [["Ay"], [1]]],
  ];
  for (const [schema, fitting, unfitting] of cases) {
    for (const value of fitting) {
      assert.deepEqual(wrong(form({ f: schema }), { f: value }), [], JSON.stringify([schema, value]));
    }
    for (const value of unfitting) {
      assert.equal(wrong(form({ f: schema }), { f: value }).length, 1, JSON.stringify([schema, value]));
    }
  }
});

Deno.test("what was not asked for is refused by name, and every wrong field is named", () => {
  assert.deepEqual(
    wrong(form({ a: { type: "integer" }, b: { type: "string" } }, ["b"]), { a: "x", admin: true }),
    [
      "admin was not asked for: it asks for `a`, `b`",
      "a must be an integer, and is a string",
      "b is required",
    ],
  );
  assert.deepEqual(wrong({}, { a: 1 }), ["a was not asked for: it asks for no values"]);
});

Deno.test("defaults fill what was left out, required or not, and are checked like answers", () => {
  const schema = form({ a: { type: "integer", default: 3 }, b: { type: "string" } }, ["a"]);
  assert.deepEqual(checkAnswer(schema, {}), { ok: true, content: { a: 3 } });
  assert.deepEqual(checkAnswer(schema, { a: 4 }), { ok: true, content: { a: 4 } });
  assert.deepEqual(wrong(form({ a: { type: "integer", default: "three" } }), {}), [
    "a must be an integer, and is a string",
  ]);
});

Deno.test("names of built-in members are fields like others", () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}');
  const checked = checkAnswer(schema, JSON.parse('{"__proto__":"x","constructor":"y"}'));
  assert.ok(checked.ok);
  assert.deepEqual(Object.entries(checked.content), [["__proto__", "x"], ["constructor", "y"]]);
  assert.equal(({} as Record<string, unknown>).x, undefined);
  assert.deepEqual(wrong(form({ a: {} }), { toString: 1 }).length, 1);
});

Deno.test("whatever a server sent as a schema, checking neither throws nor takes what is not named", () => {
  fc.assert(fc.property(fc.json(), fc.dictionary(fc.string(), fc.jsonValue()), (schema, content) => {
    const checked = checkAnswer(JSON.parse(schema), content);
    if (checked.ok) {
      const named = JSON.parse(schema)?.properties ?? {};
      assert.ok(Object.keys(checked.content).every((name) => Object.hasOwn(named, name)));
    }
  }));
});

Deno.test("a field whose pattern cannot be checked is named, and no other", () => {
  const properties = {
    back: { type: "string", pattern: "^(a)\\1$" },
    ahead: { type: "string", pattern: "^(?=a)" },
    plain: { type: "string", pattern: "^(?:ab)+$" },
    left: { type: "string", pattern: "[" },
  };
  assert.deepEqual(uncheckedFields(form(properties), { back: "aa", ahead: "a", plain: "ab" }), [
    "back",
    "ahead",
  ]);
});
