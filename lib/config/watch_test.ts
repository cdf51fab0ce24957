import assert from "node:assert/strict";
import { testFolder } from "./fixture_test.ts";
import type { ConfigFile } from "./search.ts";
import { type ConfigWatch, watchConfigFiles } from "./watch.ts";

function file(path: string, real = path): ConfigFile {
  return { path, real, kind: "project" };
}

/** A watch whose changes are awaited one after another. */
function changes(
  files: ConfigFile[],
  debounceMs = 20,
): ConfigWatch & { next(): Promise<string[]>; told: string[][] } {
  const told: string[][] = [];
  let wake: (() => void) | undefined;
  let taken = 0;
  const watch = watchConfigFiles(files, (paths) => {
    told.push(paths);
    wake?.();
  }, { debounceMs });
  return {
    ...watch,
    told,
    async next(): Promise<string[]> {
      while (told.length <= taken) await new Promise<void>((resolve) => wake = resolve);
      return told[taken++] ?? [];
    },
  };
}

Deno.test("a file that is written, replaced, removed and made again is told each time", async () => {
  await using at = await testFolder({ "a.json": "{}", "b.json": "{}" });
  const path = `${at.path}/a.json`;
  await using watch = changes([file(path), file(`${at.path}/b.json`)]);
  await at.write("a.json", "{ }");
  assert.deepEqual(await watch.next(), [path]);
  await at.write("a.json.tmp", '{"new": 1}');
  await Deno.rename(`${path}.tmp`, path);
  assert.deepEqual(await watch.next(), [path]);
  await Deno.remove(path);
  assert.deepEqual(await watch.next(), [path]);
  await at.write("a.json", "{}");
  assert.deepEqual(await watch.next(), [path]);
});

Deno.test("a burst of changes is told once", async () => {
  await using at = await testFolder({ "a.json": "{}", "b.json": "{}" });
  await using watch = changes([file(`${at.path}/a.json`), file(`${at.path}/b.json`)], 200);
  for (let n = 0; n < 20; n++) {
    await at.write("a.json", `{"n": ${n}}`);
    await at.write("b.json", `{"n": ${n}}`);
  }
  assert.deepEqual(await watch.next(), [`${at.path}/a.json`, `${at.path}/b.json`]);
  assert.equal(watch.told.length, 1);
});

Deno.test("other files of the folder are not told", async () => {
  await using at = await testFolder({ "a.json": "{}" });
  const path = `${at.path}/a.json`;
  await using watch = changes([file(path)]);
  await at.write("other.json", "{}");
  await at.write("a.json", "{  }");
  assert.deepEqual(await watch.next(), [path]);
  assert.equal(watch.told.length, 1);
});

Deno.test("a linked file is told when its target changes and when the link is moved", async () => {
  await using at = await testFolder({ "one/x.json": "{}", "two/x.json": "{} ", "p/keep": "" });
  const path = `${at.path}/p/.mcpx.json`;
  await Deno.symlink(`${at.path}/one/x.json`, path);
  await using watch = changes([file(path, `${at.path}/one/x.json`)]);
  await at.write("one/x.json", "{\n}");
  assert.deepEqual(await watch.next(), [path]);
  await Deno.symlink(`${at.path}/two/x.json`, `${path}.new`);
  await Deno.rename(`${path}.new`, path);
  assert.deepEqual(await watch.next(), [path]);
});

Deno.test("nothing is told after the watch is closed, and closing twice is harmless", async () => {
  await using at = await testFolder({ "a.json": "{}" });
  const watch = changes([file(`${at.path}/a.json`)], 0);
  await at.write("a.json", "{ }");
  await watch.next();
  await watch.close();
  await watch.close();
  await at.write("a.json", "{  }");
  assert.equal(watch.told.length, 1);
});

Deno.test("a folder that is gone is told as an error, and the others are watched", async () => {
  await using at = await testFolder({ "a.json": "{}" });
  const errors: string[] = [];
  const changed = Promise.withResolvers<string[]>();
  await using _watch = watchConfigFiles(
    [file("/no/such/folder/x.json"), file(`${at.path}/a.json`)],
    changed.resolve,
    { debounceMs: 0, onError: (message) => errors.push(message) },
  );
  await at.write("a.json", "{ }");
  assert.deepEqual(await changed.promise, [`${at.path}/a.json`]);
  assert.match(errors.join(), /^Cannot watch \/no\/such\/folder: /);
});
