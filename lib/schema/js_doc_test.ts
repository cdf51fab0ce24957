import assert from "node:assert/strict";
import fc from "fast-check";
import { jsDoc } from "./js_doc.ts";
import { propertyKey, quote } from "./literal.ts";

const PART = fc.constantFrom(
  "*/",
  "*",
  "/",
  "/*",
  "\r",
  "\n",
  "\u2028",
  "\u0000",
  "\u202e",
  "\ufeff",
  " ",
  "@ts-ignore",
  "x",
  "\ud800",
);
const TEXT = fc.oneof(fc.string({ unit: "binary" }), fc.array(PART).map((parts) => parts.join("")));

Deno.test("no text can leave a comment or start a tag", () => {
  fc.assert(fc.property(fc.array(TEXT), (paragraphs) => {
    const comment = jsDoc(paragraphs, "  ");
    if (comment === "") return;
    assert.equal(comment.indexOf("*/"), comment.length - 3);
    assert.doesNotMatch(comment.replaceAll("\n", ""), /[\p{Cc}\u2028\u2029\u202e]/u);
    assert.doesNotMatch(comment, /^[\s/*]*@/m);
  }));
});

Deno.test("short text is one line, long or broken text is several", () => {
  assert.equal(jsDoc(["One."], ""), "/** One. */\n");
  assert.equal(jsDoc(["One.\r\n\r\n\r\nTwo.", ""], " "), " /**\n  * One.\n  *\n  * Two.\n  */\n");
  assert.equal(jsDoc(["", " "], ""), "");
});

Deno.test("a quoted name reads back as it was, with nothing invisible in it", () => {
  fc.assert(fc.property(TEXT, (text) => {
    assert.equal(JSON.parse(quote(text)), text);
    assert.doesNotMatch(quote(text), /[\p{Cc}\u200b-\u200f\u2028-\u202e\ufeff]/u);
  }));
  assert.deepEqual(["a_b", "delete", "a-b", "1", "", "new"].map(propertyKey), [
    "a_b",
    "delete",
    '"a-b"',
    '"1"',
    '""',
    '"new"',
  ]);
});
