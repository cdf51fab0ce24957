import assert from "node:assert/strict";
import { BOUNDARIES } from "../../lib/sandbox/boundaries.ts";

Deno.test("every boundary that is called enforced names a test that is there, and every other one says what is open", async () => {
  for (const { promise, test, open, linux, macos } of BOUNDARIES) {
    if (linux === "enforced") {
      assert.ok(test, promise);
      const source = await Deno.readTextFile(new URL(`../../${test.file}`, import.meta.url));
      assert.ok(source.includes(test.title), `${test.file} has no test "${test.title}"`);
    }
    if (linux !== "enforced" || macos !== "enforced") assert.ok(open, promise);
  }
});

Deno.test("the native parser, which a text can abort, is loaded by sandbox processes only", async () => {
  const users: string[] = [];
  for (const folder of ["lib", "daemon"]) await collect(new URL(`../../${folder}/`, import.meta.url), users);
  assert.deepEqual(users.sort(), ["lib/sandbox/host.ts", "lib/sandbox/strip.ts"]);
  const hosts = await Array.fromAsync(importers("host.ts"));
  assert.deepEqual(hosts, ["host_entry.ts"]);
});

/** The files below a folder that strip types or import what does. */
async function collect(folder: URL, users: string[]): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) await collect(new URL(`${name}/`, folder), users);
    else if (name.endsWith(".ts") && !name.endsWith("_test.ts")) {
      const source = await Deno.readTextFile(new URL(name, folder));
      if (/import \{[^}]*\bstripTypeScriptTypes\b|from "[./]*\/strip\.ts"/.test(source)) {
        users.push(new URL(name, folder).pathname.split(/\/(?=(?:lib|daemon)\/)/).at(-1) ?? name);
      }
    }
  }
}

/** The sandbox's own files that import one of them. */
async function* importers(file: string): AsyncGenerator<string> {
  const folder = new URL("../../lib/sandbox/", import.meta.url);
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".ts") || name.endsWith("_test.ts")) continue;
    if ((await Deno.readTextFile(new URL(name, folder))).includes(`from "./${file}"`)) yield name;
  }
}
