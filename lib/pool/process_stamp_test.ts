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

Deno.test({
  name: "a process that has exited and waits to be collected has no stamp",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    // The shell's place is taken by a program that never collects the shell's child.
    const parent = new Deno.Command("sh", {
      args: ["-c", "exec 3<&0; cat <&3 & echo $!; exec sleep 600 </dev/null"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const reader = parent.stdout.getReader();
    const pid = Number(new TextDecoder().decode((await reader.read()).value));
    while (!(await Deno.readTextFile(`/proc/${parent.pid}/comm`)).startsWith("sleep")) {
      await Promise.resolve();
    }
    assert.ok(processStamp(pid));
    await parent.stdin.close();
    while (!(await Deno.readTextFile(`/proc/${pid}/stat`)).includes(") Z")) await Promise.resolve();
    assert.equal(processStamp(pid), undefined);
    parent.kill("SIGKILL");
    await reader.cancel();
    await parent.status;
  },
});
