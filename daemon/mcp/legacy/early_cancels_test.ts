import assert from "node:assert/strict";
import { EarlyCancels } from "./early_cancels.ts";

Deno.test("a cancellation waits half a minute for its request, and only while the request is not over", () => {
  let now = 0;
  const early = new EarlyCancels(() => now);
  early.note("1");
  now = 30_000;
  assert.equal(early.take("1"), true);
  assert.equal(early.take("1"), false);
  early.note("2");
  now = 60_001;
  assert.equal(early.take("2"), false);
  early.finished("3");
  early.note("3");
  assert.equal(early.take("3"), false);
});

Deno.test("a flood of cancellations keeps the latest hundred", () => {
  const early = new EarlyCancels(() => 0);
  for (let id = 0; id < 1000; id++) early.note(String(id));
  assert.deepEqual([early.take("899"), early.take("900"), early.take("999")], [false, true, true]);
});
