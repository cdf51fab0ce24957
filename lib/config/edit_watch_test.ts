import assert from "node:assert/strict";
import { EditWatch } from "./edit_watch.ts";
import { type TestFolder, testFolder } from "./fixture_test.ts";

const EMPTY = '{"mcpServers": {}}';

/** A watch of what `p/q` sees, which has looked; times of files that were written long ago. */
async function watched(at: TestFolder): Promise<EditWatch> {
  await Deno.mkdir(`${at.path}/p/q`, { recursive: true });
  const watch = new EditWatch({ cwd: `${at.path}/p/q`, env: { HOME: `${at.path}/home` } });
  watch.look();
  assert.ok(!watch.changed());
  return watch;
}

Deno.test("every kind of edit is seen at once, and nothing else is", async (t) => {
  const edits: Record<string, (at: TestFolder) => Promise<unknown>> = {
    "another text": (at) => at.write("p/.mcpx.json", '{"mcpServers": {"a": {}}}'),
    "another text of the same length, in the same moment": (at) =>
      at.write("p/.mcpx.json", EMPTY.replace("{}", "[]")),
    "another file in its place": async (at) => {
      await at.write("p/new", EMPTY);
      await Deno.rename(`${at.path}/p/new`, `${at.path}/p/.mcpx.json`);
    },
    "its removal": (at) => Deno.remove(`${at.path}/p/.mcpx.json`),
    "a nearer file": (at) => at.write("p/q/.mcp.json", EMPTY),
    "a nearer file in a folder of its own": (at) => at.write("p/q/.mcpx/config.json", EMPTY),
    "a file in a folder that was there": (at) => at.write("p/.mcpx/config.json", EMPTY),
    "a farther file": (at) => at.write(".mcpx.json", EMPTY),
    "the user's file, with its folders": (at) => at.write("home/.config/mcpx/config.json", EMPTY),
    "the user's other file": (at) => at.write("home/.mcpx.json", EMPTY),
    "a mode that lets everybody write it": (at) => Deno.chmod(`${at.path}/p/.mcpx.json`, 0o666),
    "a folder that everybody may write": (at) => Deno.chmod(`${at.path}/p`, 0o777),
  };
  for (const [name, edit] of Object.entries(edits)) {
    await t.step(name, async () => {
      await using at = await testFolder({ "p/.mcpx.json": EMPTY, "p/.mcpx/x": "", "home/x": "" });
      const watch = await watched(at);
      await edit(at);
      assert.ok(watch.changed());
      assert.ok(watch.changed(), "until somebody has looked");
      watch.look();
      assert.ok(!watch.changed());
    });
  }
  for (const name of ["p/q/other.json", "p/.mcpx/scripts/x.ts", "home/.config/other/x"]) {
    await t.step(`${name} is no part of it`, async () => {
      await using at = await testFolder({ "p/.mcpx.json": EMPTY, "p/.mcpx/x": "", "home/x": "" });
      const watch = await watched(at);
      await at.write(name, "x");
      assert.ok(!watch.changed());
      await at.write("home/.config/mcpx/config.json", EMPTY);
      assert.ok(watch.changed(), "what it has looked at anew is watched as before");
    });
  }
});

Deno.test("a file that is named is the only one that is looked at", async () => {
  await using at = await testFolder({ "a.json": EMPTY });
  const watch = new EditWatch({ cwd: at.path, env: {}, explicit: "a.json" });
  watch.look();
  await at.write(".mcpx.json", EMPTY);
  assert.ok(!watch.changed());
  await at.write("a.json", "{}");
  assert.ok(watch.changed());
  await Deno.remove(`${at.path}/a.json`);
  assert.throws(() => watch.look(), /there is no file/);
});
