import assert from "node:assert/strict";
import { join } from "node:path";
import { type CatalogHistory, emptyHistory, recordListing } from "../diagnose/mod.ts";
import { HistoryStore } from "./history_store.ts";

const FILE = "catalog-history.json";

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "mcpx-history-" });
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function storeIn(
  folder: string,
  options: { lockTimeoutMs?: number } = {},
): { store: HistoryStore; told: string[] } {
  const told: string[] = [];
  return {
    store: new HistoryStore(folder, { onSetAside: (message) => told.push(message), ...options }),
    told,
  };
}

/** Adds a server with one tool, as a daemon of the configuration set `set` does. */
function adding(set: string, server: string): (history: CatalogHistory) => CatalogHistory {
  return (history: CatalogHistory): CatalogHistory =>
    recordListing(history, { set, server, definition: "1" }, {
      tools: [{ name: "echo" }],
      when: "2026-01-01T00:00:00Z",
    }).history;
}

async function filesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}

Deno.test("writers that interleave lose nothing of one another", async () => {
  await withFolder(async (folder) => {
    const stores = ["a", "b", "c"].map((set) => ({ set, ...storeIn(folder) }));
    await Promise.all(
      stores.flatMap(({ set, store }) =>
        Array.from({ length: 10 }, (_, index) => store.update(adding(set, `server${index}`)))
      ),
    );
    const { servers } = await storeIn(folder).store.read();
    assert.equal(servers.length, 30);
    for (const { store } of stores) assert.equal((await store.read()).servers.length, 30);
    assert.deepEqual(await filesIn(folder), [FILE, `${FILE}.lock`]);
  });
});

Deno.test("a torn, foreign or newer file, or a folder in its place, is set aside and kept", async () => {
  const texts = [
    '{"version":1,"servers":[{"se',
    '{"name":"package"}',
    '{"version":2,"servers":[]}',
    "",
    "null",
    undefined,
  ];
  for (const text of texts) {
    await withFolder(async (folder) => {
      const path = join(folder, FILE);
      if (text === undefined) await Deno.mkdir(path);
      else await Deno.writeTextFile(path, text);
      const { store, told } = storeIn(folder);
      assert.deepEqual(await store.read(), emptyHistory());
      await store.update(adding("s", "demo"));
      assert.equal(told.length, 1, String(text));
      assert.match(told[0]!, /^The history file .*It was set aside as .*unusable-/);
      const [aside] = (await filesIn(folder)).filter((name) => name.includes("unusable"));
      assert.ok(aside);
      if (text !== undefined) assert.equal(await Deno.readTextFile(join(folder, aside)), text);
      assert.equal((await store.read()).servers.length, 1);
    });
  }
});

Deno.test("what a store has read is not lost when its file turns unusable", async () => {
  await withFolder(async (folder) => {
    const { store, told } = storeIn(folder);
    await store.update(adding("s", "demo"));
    await Deno.writeTextFile(join(folder, FILE), "{");
    await store.update(adding("s", "other"));
    assert.equal(told.length, 1);
    const { servers } = await storeIn(folder).store.read();
    assert.deepEqual(servers.map(({ server }) => server), ["demo", "other"]);
  });
});

Deno.test("two processes that find the same unusable file both go on", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, FILE), "{");
    const stores = [storeIn(folder), storeIn(folder)];
    const read = await Promise.all(stores.map(({ store }) => store.read()));
    assert.deepEqual(read, [emptyHistory(), emptyHistory()]);
    assert.equal((await filesIn(folder)).length, 1);
  });
});

Deno.test("an unchanged history is not written again", async () => {
  await withFolder(async (folder) => {
    const { store } = storeIn(folder);
    await store.update(adding("s", "demo"));
    const before = await Deno.stat(join(folder, FILE));
    await store.update(() => undefined);
    assert.equal((await Deno.stat(join(folder, FILE))).ino, before.ino);
  });
});

Deno.test("a process that hangs with the lock is not waited for without end", async () => {
  await withFolder(async (folder) => {
    using held = await Deno.open(join(folder, `${FILE}.lock`), { create: true, write: true });
    await held.lock(true);
    const { store } = storeIn(folder, { lockTimeoutMs: 50 });
    await assert.rejects(store.update(adding("s", "demo")), { code: "state-unwritable" });
    await held.unlock();
    assert.equal((await store.update(adding("s", "demo"))).servers.length, 1);
  });
});

Deno.test("where the folder cannot be made the error says so", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "file"), "");
    const { store } = storeIn(join(folder, "file", "state"));
    await assert.rejects(store.update(adding("s", "demo")), { code: "state-unwritable" });
  });
});
