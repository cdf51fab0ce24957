import assert from "node:assert/strict";
import { BOUNDARIES } from "../../lib/sandbox/boundaries.ts";

Deno.test("every boundary that is called enforced names a test that is there, and every other one says what is open", async () => {
  for (const { promise, test, open, linux, macos } of BOUNDARIES) {
    if (linux === "enforced") {
      assert.ok(test, promise);
      const source = await Deno.readTextFile(new URL(`../../${test.file}`, import.meta.url));
      assert.ok(source.includes(test.title), `${test.file} has no test "${test.title}"`);
    }
    if (linux !== "enforced" || macos !== "enforced") assert.ok(open, promise);
  }
});
