import assert from "node:assert/strict";
import { indentedJson } from "./indented_json.ts";

Deno.test("a value that is nested too deep to be indented is written all the same", () => {
  const depth = 100_000;
  const deep = "[".repeat(depth) + "]".repeat(depth);
  assert.equal(indentedJson(JSON.parse(deep)), deep);
  assert.equal(indentedJson({ a: [1] }), '{\n  "a": [\n    1\n  ]\n}');
});
