import assert from "node:assert/strict";
import { McpxError } from "./mod.ts";

Deno.test("whatever is thrown becomes the one error type, and what is one already stays itself", () => {
  const own = new McpxError("usage", "Cannot read it.");
  assert.equal(McpxError.from(own), own);
  assert.equal(McpxError.from(new DOMException("", "AbortError")).code, "cancelled");
  assert.deepEqual([McpxError.from("x").code, McpxError.from("x").message], [
    "internal",
    "Unexpected failure: x",
  ]);
  const endless = (): number => 1 + endless();
  try {
    endless();
    assert.fail("it came to an end");
  } catch (thrown) {
    const { code, message } = McpxError.from(thrown);
    assert.deepEqual([code, message], ["too-large", "Cannot carry a value: it is nested too deeply."]);
  }
});
