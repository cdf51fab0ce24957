import assert from "node:assert/strict";
import { processStamp } from "./process_stamp.ts";

Deno.test("a running process keeps its stamp, and an ended one has none", async () => {
  const child = new Deno.Command("cat", { stdin: "piped", stdout: "null" }).spawn();
  const stamp = processStamp(child.pid);
  assert.ok(stamp);
  assert.equal(processStamp(child.pid), stamp);
  await child.stdin.close();
  await child.status;
  assert.equal(processStamp(child.pid), undefined);
});

Deno.test("a process of another user's counts as running", () => {
  assert.ok(processStamp(1));
});
