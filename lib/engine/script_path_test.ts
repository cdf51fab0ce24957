import assert from "node:assert/strict";
import { join } from "node:path";
import { McpxError } from "../errors/mod.ts";
import { findScript, listScripts, scriptFolders, SHIPPED_FOLDER } from "./script_path.ts";

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
