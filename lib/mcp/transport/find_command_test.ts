import assert from "node:assert/strict";
import { findCommand } from "./find_command.ts";

Deno.test("a command is looked up on the child's own PATH, folder by folder", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/tool`, "#!/bin/sh\n", { mode: 0o755 });
  assert.equal(await findCommand("tool", { env: { PATH: `/no/such:${folder}` } }), `${folder}/tool`);
  assert.equal(await findCommand("./tool", { env: {}, cwd: folder }), `${folder}/tool`);
  await assert.rejects(findCommand("tool", { env: {} }), { code: "upstream-command-missing" });
  await assert.rejects(findCommand("./other", { env: {}, cwd: folder }), {
    code: "upstream-command-missing",
  });
  await Deno.chmod(`${folder}/tool`, 0o644);
  await assert.rejects(findCommand("tool", { env: { PATH: folder } }), /not executable/);
  await Deno.remove(folder, { recursive: true });
});
