import assert from "node:assert/strict";
import fc from "fast-check";
import { headerValue } from "./header_value.ts";

function read(value: string): string {
  const match = /^=\?base64\?(.*)\?=$/.exec(value);
  return match
    ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.fromBase64(match[1] ?? ""))
    : value;
}

Deno.test("any text survives being written as a header, and the header is legal", () => {
  const texts = fc.oneof(fc.string({ unit: "grapheme" }), fc.string().map((text) => `=?base64?${text}?=`));
  fc.assert(fc.property(texts, (text) => {
    const value = headerValue(text);
    assert.equal(new Headers({ x: value }).get("x"), value);
    assert.equal(read(value), text);
  }));
});

Deno.test("plain text is written as it is", () => {
  assert.equal(headerValue("eu west-1"), "eu west-1");
});
