import assert from "node:assert/strict";
import fc from "fast-check";
import { reopenPause } from "./reopen_pause.ts";

Deno.test("a stream that ends with nothing said is opened less and less often, whatever the server wishes for", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 2000].map((failures) => reopenPause(0, failures)), [
    1000,
    2000,
    4000,
    8000,
    16_000,
    30_000,
    30_000,
    30_000,
  ]);
  assert.equal(reopenPause(5000, 1), 5000);
  fc.assert(fc.property(fc.nat(100_000), fc.nat(3000), (retryMs, failures) => {
    const pause = reopenPause(retryMs, failures);
    assert.ok(pause >= 100 && pause <= 30_000 && pause <= reopenPause(retryMs, failures + 1));
  }));
});

Deno.test("where something was heard the server's wish counts, but for one that would have no pause", () => {
  assert.deepEqual([0, 5, 100, 250, 1000].map((retryMs) => reopenPause(retryMs, 0)), [
    100,
    100,
    100,
    250,
    1000,
  ]);
});
