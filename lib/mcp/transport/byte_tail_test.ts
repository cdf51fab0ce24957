import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteTail } from "./byte_tail.ts";

Deno.test("the tail is the end of all that was written, whatever the chunks", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme-ascii" })),
      fc.integer({ min: 1, max: 40 }),
      (parts, size) => {
        const tail = new ByteTail(size);
        for (const part of parts) tail.push(new TextEncoder().encode(part));
        assert.equal(tail.text(), parts.join("").slice(-size));
      },
    ),
  );
});

Deno.test("a tail that begins inside a character leaves that character out", () => {
  const tail = new ByteTail(8);
  tail.push(new TextEncoder().encode("日本語"));
  assert.equal(tail.text(), "本語");
});
