import assert from "node:assert/strict";
import fc from "fast-check";
import { editDistance, nearest } from "./nearest.ts";

Deno.test("near names come nearest first, then by the alphabet, at most a third of the name away", () => {
  const names = ["search", "sketch", "searches", "read", "starch"];
  assert.deepEqual(nearest("serach", names), ["search", "starch"]);
  assert.deepEqual(nearest("search", names), ["search", "starch", "searches"]);
  assert.deepEqual(nearest("search", names, 1), ["search"]);
  assert.deepEqual(nearest("zzz", names), []);
  assert.deepEqual(nearest("", names), []);
  assert.deepEqual(nearest("a", ["b", "c"]), []);
});

Deno.test("case and the choice of separator are no difference", () => {
  assert.deepEqual(nearest("GetUser", ["getuser", "other"]), ["getuser"]);
  assert.deepEqual(nearest("get-user", ["get_user", "get_users"]), ["get_user", "get_users"]);
});

Deno.test("a swap of neighbours is one error", () => {
  assert.equal(editDistance("abcd", "abdc", 3), 1);
  assert.equal(editDistance("abcd", "badc", 3), 2);
  assert.equal(editDistance("ca", "abc", 5), 3);
});

/** The definition, without limits or shortcuts. */
function plainDistance(a: string, b: string): number {
  const rows = Array.from(
    { length: a.length + 1 },
    (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j),
  );
  const cell = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, cell(i - 2, j - 2) + 1);
      }
      (rows[i] ?? [])[j] = least;
    }
  }
  return cell(a.length, b.length);
}

Deno.test("the bounded distance is the plain one, up to its limit", () => {
  const word = fc.stringMatching(/^[ab c]{0,8}$/);
  fc.assert(
    fc.property(word, word, fc.nat(6), (a, b, limit) => {
      assert.equal(editDistance(a, b, limit), Math.min(plainDistance(a, b), limit + 1));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("the answer does not depend on the order of the candidates", () => {
  const candidates = ["list_a", "list_b", "list_c", "lst_a", "mist_a"];
  fc.assert(fc.property(fc.shuffledSubarray(candidates, { minLength: candidates.length }), (shuffled) => {
    assert.deepEqual(nearest("list_d", shuffled), nearest("list_d", candidates));
  }));
});
