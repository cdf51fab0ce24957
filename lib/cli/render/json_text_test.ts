import assert from "node:assert/strict";
import fc from "fast-check";
import { memberTexts, prettyJson } from "./json_text.ts";

Deno.test("indenting gives what JSON.stringify gives, for any value", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.constantFrom(0, 3), (value, spaces) => {
    assert.equal(prettyJson(JSON.stringify(value, null, spaces)), JSON.stringify(value, null, 2));
  }));
});

Deno.test("what is nested very deep stays on one line, so that the text grows no faster than the value", () => {
  const text = "[".repeat(100_000) + "]".repeat(100_000);
  const pretty = prettyJson(text);
  assert.equal(pretty.replace(/\s/g, ""), text);
  assert.ok(pretty.length < 2 * text.length);
  assert.match(pretty, /^\[\n {2}\[\n.*\n {2}\]\n\]$/s);
});

Deno.test("digits, exponents and escapes stay as they came", () => {
  assert.equal(
    prettyJson('{"id":9007199254740993,"x":1.10,"e":-1E+400,"s":"\\u0041\\"\\\\"}'),
    '{\n  "id": 9007199254740993,\n  "x": 1.10,\n  "e": -1E+400,\n  "s": "\\u0041\\"\\\\"\n}',
  );
});

Deno.test("the members of an object are cut out whole", () => {
  const value = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(fc.property(value, fc.constantFrom(0, 1), (object, spaces) => {
    const members = memberTexts(JSON.stringify(object, null, spaces));
    assert.deepEqual([...members.keys()].sort(), Object.keys(object).sort());
    for (const [name, text] of members) {
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(object[name])));
    }
  }));
  assert.deepEqual([...memberTexts("[1]")], []);
});
