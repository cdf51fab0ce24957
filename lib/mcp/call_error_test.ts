import assert from "node:assert/strict";
import { connectionEnded } from "./call_error.ts";

const ENDED = { kind: "exited", code: 1, message: "the server exited with status 1" } as const;

Deno.test("only what may have had an effect is said to have an unknown outcome", () => {
  for (const method of ["tools/list", "resources/templates/list", "resources/read", "prompts/get", "ping"]) {
    const { message, hint } = connectionEnded({ method }, ENDED, true);
    assert.match(message, /: no answer came\.$/, method);
    assert.equal(hint, "Send it again.");
  }
  const { message, hint } = connectionEnded({ method: "tools/call", subject: "pay" }, ENDED, true);
  assert.match(message, /tools\/call pay, .*it may have taken effect\.$/);
  assert.match(hint ?? "", /before sending it again/);
});
