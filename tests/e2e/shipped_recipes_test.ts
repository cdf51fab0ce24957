import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkRecipe } from "../../lib/recipes/mod.ts";
import { realServer, World } from "../support/world.ts";

const FOLDER = fileURLToPath(new URL("../../recipes/", import.meta.url));

/** The recipes that come with mcpx, by name. */
async function shipped(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { name } of Deno.readDir(FOLDER)) {
    if (name.endsWith(".ts")) {
      found.set(name.slice(0, -".ts".length), await Deno.readTextFile(join(FOLDER, name)));
    }
  }
  return found;
}

Deno.test("every shipped recipe is sound, and uses every parameter that it declares", async () => {
  const recipes = await shipped();
  assert.ok(recipes.size >= 5);
  for (const [name, source] of recipes) {
    const { problems, notes } = checkRecipe(name, source);
    assert.deepEqual([...problems, ...notes], [], name);
  }
});

Deno.test("every shipped recipe does what it says, on the real servers", async (t) => {
  await using world = await World.open({ mcpServers: {} });
  const { project } = world;
  await world.configure({
    mcpServers: {
      everything: realServer("@modelcontextprotocol/server-everything"),
      filesystem: realServer("@modelcontextprotocol/server-filesystem", project),
      memory: {
        ...realServer("@modelcontextprotocol/server-memory"),
        env: { MEMORY_FILE_PATH: join(project, "graph.jsonl") },
      },
    },
  });
  const folder = join(project, "notes");
  await Deno.mkdir(join(folder, "deep"), { recursive: true });
  await Deno.writeTextFile(join(folder, "a.md"), "one\nTODO: two\n");
  await Deno.writeTextFile(join(folder, "deep", "b.md"), "nothing to do\n");
  await Deno.writeTextFile(join(folder, "large.txt"), "x".repeat(5000));
  const tested = new Set<string>();
  const run = async (name: string, args: Record<string, unknown>): Promise<unknown> => {
    tested.add(name);
    const { code, value } = await world.json(["recipes", "run", name, JSON.stringify(args)]);
    assert.equal(code, 0, JSON.stringify(value));
    assert.equal(value.recipe, name);
    return value.result;
  };

  await t.step("check_connection", async () => {
    assert.deepEqual(await run("check_connection", { word: 'a "quoted" `word`', a: -0.5 }), {
      echoes: true,
      adds: true,
    });
  });
  await t.step("remember_folder", async () => {
    assert.deepEqual(await run("remember_folder", { folder }), {
      folder,
      files: ["a.md", "large.txt"],
      remembered: 1,
    });
  });
  await t.step("take_note, twice the same and once another", async () => {
    await run("take_note", { about: "Ann", note: "likes tea" });
    await run("take_note", { about: "Ann", note: "likes tea" });
    assert.deepEqual(await run("take_note", { about: "Ann", note: "</script>" }), {
      about: "Ann",
      notes: ["likes tea", "</script>"],
    });
  });
  await t.step("recall_notes", async () => {
    const { found } = await run("recall_notes", { about: "tea" }) as { found: unknown[] };
    assert.deepEqual(found, [{ name: "Ann", type: "topic", notes: ["likes tea", "</script>"] }]);
    assert.deepEqual(await run("recall_notes", { about: "nobody" }), { found: [], relations: [], more: 0 });
  });
  await t.step("find_text", async () => {
    assert.deepEqual(await run("find_text", { folder, text: "todo" }), {
      files: 2,
      lines: [{ file: join(folder, "a.md"), line: 2, text: "TODO: two" }],
    });
    assert.deepEqual(await run("find_text", { folder, text: "x", files: "**/*.none" }), {
      files: 0,
      lines: [],
    });
  });
  await t.step("largest_files", async () => {
    assert.deepEqual(await run("largest_files", { folder, count: 1 }), [{
      name: "large.txt",
      size: "4.88 KB",
    }]);
  });
  await t.step("replace_text, first as a preview", async () => {
    const file = join(folder, "a.md");
    const change = { file, find: "two", replacement: "three" };
    const { changed, diff } = await run("replace_text", change) as { changed: boolean; diff: string };
    assert.equal(changed, false);
    assert.match(diff, /-TODO: two\n\+TODO: three/);
    assert.match(await Deno.readTextFile(file), /two/);
    await run("replace_text", { ...change, preview: false });
    assert.equal(await Deno.readTextFile(file), "one\nTODO: three\n");
  });
  assert.deepEqual([...tested].sort(), [...(await shipped()).keys()].sort());
});
