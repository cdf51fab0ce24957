import assert from "node:assert/strict";
import { join } from "node:path";
import { McpxError } from "../errors/mod.ts";
import { findScript, listScripts, scanScripts, scriptFolders, SHIPPED_FOLDER } from "./script_path.ts";

Deno.test("the nearest script of a name hides the others, and the shipped ones come last", async () => {
  const root = await Deno.makeTempDir();
  try {
    const [near = "", far = ""] = scriptFolders({ cwd: join(root, "a"), user: join(root, "user") });
    for (const folder of [near, far]) await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(near, "x.ts"), "near");
    await Deno.writeTextFile(join(far, "x.js"), "far");
    await Deno.writeTextFile(join(far, "take_note.ts"), "mine");
    const folders = [near, far, join(root, "user"), SHIPPED_FOLDER];
    const listed = await listScripts(folders);
    assert.deepEqual(listed.slice(0, 2).map(({ name, source }) => [name, source]), [["x", "near"], [
      "take_note",
      "mine",
    ]]);
    assert.equal(listed.filter(({ name }) => name === "take_note").length, 1);
    assert.equal((await findScript("x.js", folders)).source, "far");
    assert.equal((await findScript("find_text", folders)).path, `${SHIPPED_FOLDER}/find_text.ts`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("a file that cannot be read hides no other one, and who names it is told", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.symlink("/nonexistent", join(folder, "dangling.ts"));
    await Deno.symlink("loop.ts", join(folder, "loop.ts"));
    await Deno.mkdir(join(folder, "folder.ts"));
    await Deno.writeTextFile(join(folder, "fine.ts"), "fine");
    assert.deepEqual((await listScripts([folder])).map(({ name }) => name), ["fine"]);
    await assert.rejects(
      findScript("dangling", [folder]),
      (error) => error instanceof McpxError && error.code === "unknown-script",
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("pipes, devices and sparse files among scripts hold up nothing: each is one note", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await new Deno.Command("mkfifo", { args: [join(folder, "find_text.ts")] }).output();
    await Deno.symlink("/dev/zero", join(folder, "zero.ts"));
    await Deno.writeTextFile(join(folder, "sparse.ts"), "");
    await Deno.truncate(join(folder, "sparse.ts"), 3 * 1024 ** 3);
    await Deno.writeTextFile(join(folder, "fine.ts"), "fine");
    const { scripts, notes } = await scanScripts([folder, SHIPPED_FOLDER]);
    assert.equal(scripts[0]?.name, "fine");
    assert.ok(
      scripts.some(({ path }) => path === `${SHIPPED_FOLDER}/find_text.ts`),
      "the next of its name counts",
    );
    assert.deepEqual(notes.map((note) => note.replace(/^.*\//, "").replace(/:.*/, "")), [
      "find_text.ts is passed over",
      "sparse.ts is passed over",
      "zero.ts is passed over",
    ]);
    await assert.rejects(findScript("zero", [folder]), /no regular file/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: "a script that somebody else has put there does not take a shipped one's place, until it is trusted",
  ignore: Deno.uid() !== 0,
  async fn(): Promise<void> {
    const folder = await Deno.makeTempDir();
    try {
      const path = join(folder, "largest_files.ts");
      await Deno.writeTextFile(path, "evil");
      await Deno.chown(path, 65534, 65534);
      const folders = [folder, SHIPPED_FOLDER];
      const users = [0];
      assert.equal(
        (await findScript("largest_files", folders, { users })).path,
        `${SHIPPED_FOLDER}/largest_files.ts`,
      );
      const { notes } = await scanScripts(folders, { users });
      assert.match(notes.join(), /belongs to uid 65534.*mcpx trust .*largest_files\.ts/);
      await assert.rejects(
        findScript("largest_files", [folder], { users }),
        (error) => error instanceof McpxError && /mcpx trust/.test(error.hint ?? ""),
      );
      const isTrusted = (): Promise<boolean> => Promise.resolve(true);
      assert.equal((await findScript("largest_files", folders, { users, isTrusted })).source, "evil");
      await Deno.chown(path, 0, 0);
      await Deno.chmod(folder, 0o777);
      assert.equal((await scanScripts([folder], { users })).scripts.length, 0, "everybody can put one there");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
