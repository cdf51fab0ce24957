import assert from "node:assert/strict";
import { testFolder } from "./fixture_test.ts";
import { replaceFile } from "./replace_file.ts";

async function mode(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

Deno.test("a replaced file keeps its mode, its link, and its old content as a backup", async () => {
  await using at = await testFolder({ "real/x.json": "old" });
  const real = `${at.path}/real/x.json`;
  await Deno.chmod(real, 0o664);
  await Deno.symlink(real, `${at.path}/link.json`);
  const backup = await replaceFile(`${at.path}/link.json`, "new", { backup: true, expected: "old" });
  assert.equal(backup, `${real}.mcpx-backup`);
  assert.equal(await Deno.readTextFile(real), "new");
  assert.equal(await Deno.readTextFile(`${real}.mcpx-backup`), "old");
  assert.equal(await mode(real), 0o664);
  assert.ok((await Deno.lstat(`${at.path}/link.json`)).isSymlink);
  assert.equal([...Deno.readDirSync(`${at.path}/real`)].length, 2);
});

Deno.test("a file that did not exist is made for its owner alone, with its folders", async () => {
  await using at = await testFolder();
  assert.equal(await replaceFile(`${at.path}/a/b.json`, "{}", { backup: true, expected: "" }), undefined);
  assert.equal(await mode(`${at.path}/a/b.json`), 0o600);
  assert.equal(await mode(`${at.path}/a`), 0o700);
});

Deno.test("a file that changed meanwhile, or cannot be written, is left alone", async () => {
  await using at = await testFolder({ "x.json": "theirs", "folder/x": "" });
  const path = `${at.path}/x.json`;
  await assert.rejects(replaceFile(path, "mine", { expected: "read" }), { code: "invalid-config" });
  assert.equal(await Deno.readTextFile(path), "theirs");
  await assert.rejects(replaceFile(`${at.path}/folder`, "x"), { code: "state-unwritable" });
});
