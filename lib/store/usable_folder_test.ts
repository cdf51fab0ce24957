import assert from "node:assert/strict";
import { join } from "node:path";
import { ArtifactStore } from "./artifact_store.ts";
import { SchemaCache } from "./schema_cache.ts";
import { UsableFolder } from "./usable_folder.ts";

const LISTING = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  serverInfo: {},
  tools: [{ name: "echo", inputSchema: { type: "object" } }],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  warnings: [],
};

/** Ways to keep a folder from being used, each with what has to be done first. */
const SPOILED: Record<string, (path: string) => Promise<void>> = {
  "a file in its place": (path) => Deno.writeTextFile(path, ""),
  "a file in its parent's place": async (path) => {
    await Deno.remove(join(path, ".."));
    await Deno.writeTextFile(join(path, ".."), "");
  },
  "a link to nowhere": (path) => Deno.symlink("/nonexistent/folder", path),
  ...(Deno.uid() === 0
    ? {
      "another user's folder": async (path: string) => {
        await Deno.mkdir(path);
        await Deno.chown(path, 65534, 65534);
      },
    }
    : {}),
};

for (const [name, spoil] of Object.entries(SPOILED)) {
  Deno.test(`${name} where a folder should be: the cache is done without, artifacts go elsewhere, and it is told once`, async () => {
    const root = await Deno.makeTempDir();
    try {
      const path = join(root, "parent", "folder");
      await Deno.mkdir(join(root, "parent"));
      await spoil(path);
      const told: string[] = [];
      const cache = new SchemaCache(path, { onUnusable: (message) => told.push(message) });
      const entry = { listing: LISTING, readAt: "2026-01-01T00:00:00.000Z" };
      await cache.write("d", entry);
      assert.equal(await cache.read("d"), undefined);
      assert.equal(told.length, 1, told.join("\n"));
      assert.match(
        told[0] ?? "",
        /^The cache of schemas .*\/folder cannot be used \(.*\): mcpx works without it\.$/,
      );

      const store = new ArtifactStore(path, {
        limits: () => ({ quotaBytes: 1000, ttlMs: 60_000 }),
        onUnusable: (message) => told.push(message),
      });
      const kept = await store.put("x.txt", new TextEncoder().encode("hello"), "text/plain");
      assert.equal((await store.get(kept.id)).bytes, 5);
      assert.match(told[1] ?? "", /a temporary folder stands in for it/);
      await store.close();
      await assert.rejects(Deno.stat(kept.path), Deno.errors.NotFound);
    } finally {
      await Deno.remove(root, { recursive: true });
    }
  });
}

Deno.test("a folder that can be used is used, and what spoils it later is told once", async () => {
  const root = await Deno.makeTempDir();
  try {
    const told: string[] = [];
    const options = { what: "The folder", onUnusable: (message: string) => void told.push(message) };
    await using folder = new UsableFolder(join(root, "a", "b"), options);
    assert.equal(await folder.path(), join(root, "a", "b"));
    assert.deepEqual([...Deno.readDirSync(join(root, "a", "b"))], [], "the probe is gone");
    const cache = new SchemaCache(join(root, "cache"), { onUnusable: options.onUnusable });
    const entry = { listing: LISTING, readAt: "2026-01-01T00:00:00.000Z" };
    await cache.write("d", entry);
    assert.equal((await cache.read("d"))?.readAt, entry.readAt);
    await Deno.remove(join(root, "cache"), { recursive: true });
    assert.equal(await cache.read("d"), undefined, "a folder that was swept is empty and nothing more");
    await cache.write("d", entry);
    assert.equal((await cache.read("d"))?.readAt, entry.readAt);
    await Deno.remove(join(root, "cache"), { recursive: true });
    await Deno.writeTextFile(join(root, "cache"), "");
    assert.equal(await cache.read("d"), undefined);
    await cache.write("d", entry);
    assert.equal(told.length, 1, told.join("\n"));
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
