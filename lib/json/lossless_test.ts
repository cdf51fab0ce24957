import assert from "node:assert/strict";
import fc from "fast-check";
import { isRawNumber, parseJson } from "./mod.ts";

Deno.test("a number beyond 2^53 keeps its digits through parse and print", () => {
  for (const text of ["9007199254740993", "-12345678901234567890", "0.12345678901234567890123", "1e400"]) {
    assert.equal(
      JSON.stringify({ n: (parseJson(`{"n":${text},"pad":1111111111111111}`) as { n: unknown }).n }),
      `{"n":${text}}`,
    );
  }
});

Deno.test("a number that a double holds exactly stays a number", () => {
  const value = parseJson("[100000000000000000000,1234567890123456,0.5000000000000000]") as unknown[];
  assert.deepEqual(value, [1e20, 1234567890123456, 0.5]);
  assert.ok(value.every((n) => !isRawNumber(n)));
});

Deno.test("any JSON value prints as JSON.parse would have it when no number is long", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const text = JSON.stringify(value);
    assert.equal(JSON.stringify(parseJson(text)), JSON.stringify(JSON.parse(text)));
  }));
});

Deno.test("every integer of any length survives", () => {
  fc.assert(fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (n) => {
    assert.equal(
      JSON.stringify(parseJson(`[${n}]`)),
      n === 0n ? "[0]" : `[${n}]`.replace(/^\[-?0+\]$/, "[0]"),
    );
  }));
});
