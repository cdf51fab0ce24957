import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../schema/types.ts";
import { readPages } from "./pages.ts";

const LIST = { method: "tools/list", member: "tools" };

Deno.test("whatever the cursors are, every entry is read once and in order", async () => {
  const cursors = fc.uniqueArray(fc.string(), { maxLength: 12 });
  await fc.assert(fc.asyncProperty(cursors, fc.array(fc.nat(3)), async (names, sizes) => {
    const warnings: string[] = [];
    let count = 0;
    const pages = new Map<unknown, JsonObject>();
    [undefined, ...names].forEach((cursor, index) => {
      const tools = Array.from({ length: sizes[index] ?? 1 }, () => ({ n: count++ }));
      pages.set(cursor, { tools, ...(index < names.length ? { nextCursor: names[index] } : {}) });
    });
    const { entries } = await readPages(
      LIST,
      ({ cursor }) => Promise.resolve(pages.get(cursor) ?? {}),
      warnings,
    );
    assert.deepEqual(entries.map(({ n }) => n), Array.from({ length: count }, (_, n) => n));
    assert.deepEqual(warnings, []);
  }));
});

Deno.test("a server that never stops giving the same cursor is asked twice at most", async () => {
  const warnings: string[] = [];
  let asked = 0;
  const read = (): Promise<JsonObject> => Promise.resolve({ tools: [{ n: ++asked }], nextCursor: "x" });
  assert.deepEqual((await readPages(LIST, read, warnings)).entries, [{ n: 1 }, { n: 2 }]);
  assert.match(warnings.join(), /gives the cursor "x" again; reading stopped after page 2/);
});

Deno.test("an answer without the list fails on the first page and warns on a later one", async () => {
  await assert.rejects(readPages(LIST, () => Promise.resolve({}), []), { code: "upstream-protocol" });
  const warnings: string[] = [];
  const read = ({ cursor }: JsonObject): Promise<JsonObject> =>
    Promise.resolve(cursor === undefined ? { tools: [{}], nextCursor: "2" } : { tools: "none" });
  assert.equal((await readPages(LIST, read, warnings)).entries.length, 1);
  assert.equal(warnings.length, 1);
});

Deno.test("a list may be kept as long as its shortest page, and shared only where every page may", async () => {
  const pages: JsonObject[] = [
    { ttlMs: 900, cacheScope: "public" },
    { ttlMs: 300.7, cacheScope: "public" },
    { ttlMs: 500, cacheScope: "public" },
  ];
  const read = async (): Promise<unknown> => {
    let at = 0;
    const answer = (): Promise<JsonObject> => {
      const page = { tools: [], ...pages[at++] };
      return Promise.resolve(at < pages.length ? { ...page, nextCursor: String(at) } : page);
    };
    return (await readPages(LIST, answer, [])).cacheHint;
  };
  assert.deepEqual(await read(), { ttlMs: 300, cacheScope: "public" });
  pages[2] = { ttlMs: -5, cacheScope: "elsewhere" };
  assert.deepEqual(await read(), { ttlMs: 0, cacheScope: "private" });
  pages.splice(0, 3, { ttlMs: "soon" });
  assert.equal(await read(), undefined);
});
