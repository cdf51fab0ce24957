import assert from "node:assert/strict";
import fc from "fast-check";
import { checkAnswer } from "./check_answer.ts";
import { readAnswer } from "./read_answer.ts";
import { answerCommand, fieldLines, withoutSecretValues } from "./show_question.ts";
import type { Question } from "./types.ts";

/** Splits a command as a POSIX shell does, as far as single quotes go. */
function shellWords(line: string): string[] {
  return (line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? []).map((word) =>
    word.replace(/'([^']*)'|\\(.)/g, (_all, quoted, escaped) => escaped ?? quoted)
  );
}

Deno.test("the command that answers is one that is taken, whatever the fields are called", () => {
  const field = fc.oneof(
    fc.constant({ type: "boolean" }),
    fc.record({ type: fc.constant("integer"), minimum: fc.integer({ min: -9, max: 9 }) }),
    fc.record({
      type: fc.constant("string"),
      enum: fc.uniqueArray(fc.string({ minLength: 1 }).filter((text) => !text.startsWith("@")), {
        minLength: 1,
      }),
    }),
    fc.constant({ type: "string" }),
    fc.constant({ type: "string", format: "email" }),
    fc.constant({ type: "array", items: { type: "string", enum: ["a b", "c'd", "e"] }, minItems: 2 }),
  );
  const name = fc.stringMatching(/^[a-zA-Z '$_-]{1,12}$/).filter((text) => !/^-|=/.test(text));
  fc.assert(fc.property(fc.dictionary(name, field, { minKeys: 1, noNullPrototype: true }), (properties) => {
    const schema = { type: "object", properties, required: Object.keys(properties) };
    const [program, noun, verb, id, ...words] = shellWords(
      answerCommand({ id: "elc-1", kind: "elicitation", schema }),
    );
    assert.deepEqual([program, noun, verb, id], ["mcpx", "elicit", "answer", "elc-1"]);
    const pairs = words.map((word): [string, string] => {
      const at = word.indexOf("=");
      return [word.slice(0, at), word.slice(at + 1)];
    });
    const checked = checkAnswer(schema, readAnswer(schema, pairs));
    assert.ok(checked.ok, JSON.stringify([schema, pairs, checked]));
  }));
});

Deno.test("what a command line would misread is written as one JSON object", () => {
  const properties = {
    "--json": { type: "integer", minimum: 3 },
    "a=b": { type: "boolean" },
    who: { enum: ["@home"] },
    tags: { type: "array", items: { enum: ["x", "y"] } },
  };
  const schema = { properties, required: Object.keys(properties) };
  const [, , , , json = ""] = shellWords(answerCommand({ id: "elc-1", kind: "elicitation", schema }));
  assert.deepEqual(JSON.parse(json), { "--json": 3, "a=b": true, who: "@home", tags: ["x"] });
  assert.ok(checkAnswer(schema, JSON.parse(json)).ok);
});

Deno.test("each field is one line with its type, bounds, choices and default", () => {
  const lines = fieldLines({
    properties: {
      age: { type: "integer", minimum: 1, maximum: 9, description: "Years" },
      size: { oneOf: [{ const: "s", title: "Small" }], default: "s" },
      token: { type: "string", default: "hunter2" },
    },
    required: ["age"],
  });
  assert.deepEqual(lines, [
    "age: integer, 1 to 9; Years",
    'size: one of s (Small); optional; default "s"',
    "token: string; optional",
  ]);
});

Deno.test("what secret fields hold is nowhere in what is kept and shown", () => {
  const question: Question = {
    id: "elc-1",
    kind: "elicitation",
    message: "?",
    schema: { properties: { password: { type: "string", default: "hunter2" }, user: { type: "string" } } },
    audience: "human",
    reason: "",
    default: { action: "accept", content: { password: "hunter2" } },
    createdAt: "",
    expiresAt: "",
    state: "accepted",
    answer: { action: "accept", content: { password: "hunter2", user: "ada" } },
  };
  const shown = JSON.stringify(withoutSecretValues(question));
  assert.doesNotMatch(shown, /hunter2/);
  assert.match(shown, /"user":"ada"/);
  assert.equal(withoutSecretValues({ ...question, schema: {} }).answer, question.answer);
});
