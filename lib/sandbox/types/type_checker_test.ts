import assert from "node:assert/strict";
import { emitTypes } from "../../schema/mod.ts";
import { TypeChecker } from "./type_checker.ts";

const TYPES = emitTypes([]);
const { signal } = new AbortController();

Deno.test("a script is checked as it runs: await and return at the top, imports from mcpx, web globals", async () => {
  await using checker = new TypeChecker();
  const fits = [
    "return await search('x');",
    'import { call, ToolError } from "mcpx";\nexport default async () => { try { return await call("a.b") } catch (e) { if (e instanceof ToolError) return e.code } }',
    'console.log(new URL("http://a").host, crypto.randomUUID(), atob("eA=="));',
    "const ids: number[] = [];\nfor (const id of [1, 2]) ids.push(id);\nif (ids.length > 1) return ids; else return null;",
  ];
  for (const source of fits) assert.deepEqual(await checker.check(source, TYPES, signal), [], source);
  const place = async (source: string): Promise<[number, number][]> =>
    (await checker.check(source, TYPES, signal)).map(({ line, column }) => [line, column]);
  assert.deepEqual(await place("return nowhere.at;"), [[1, 8]]);
  assert.deepEqual(await place("\n  const n: number = await 'x';\nreturn n"), [[2, 9]]);
  assert.deepEqual(await place("document.title"), [[1, 1]]);
  assert.deepEqual(await place("const a = (;"), [[1, 12]]);
  assert.equal(checker.pids.length, 1, "one process for all of them");
});

Deno.test("no file of the machine is opened or shown, whatever a script refers to", async () => {
  await using checker = new TypeChecker();
  const host = (await Deno.readTextFile("/etc/passwd")).split(":")[0] ?? "";
  const problems = await checker.check(
    '/// <reference path="/etc/passwd" />\n/// <reference types="node" />\nimport x from "/etc/passwd";\nimport y = require("/etc/passwd");\nreturn [x, y]',
    TYPES,
    signal,
  );
  assert.ok(problems.length > 0);
  assert.ok(!problems.some(({ message }) => message.includes(`'${host}'`)));
});

Deno.test("a script that breaks the compiler, hangs it, or is cancelled does not disturb the checks beside it", async () => {
  await using checker = new TypeChecker({ timeoutMs: 4000 });
  const deep = `return ${"[".repeat(100_000)}`;
  const endless =
    "type D = '0'|'1'|'2'|'3'|'4'|'5'|'6'|'7'|'8'|'9'; type F<N extends number, A extends unknown[] = []> = A['length'] extends N ? A : F<N, [...A, D]>; type G<T> = T extends [infer H, ...infer R] ? [H, ...G<R>, ...G<R>] : []; const x: G<F<40>> = 1;";
  const abort = new AbortController();
  const cancelled = checker.check("return 1", TYPES, abort.signal);
  abort.abort();
  await assert.rejects(cancelled, { code: "cancelled" });
  const results = await Promise.allSettled([
    checker.check(deep, TYPES, signal),
    checker.check("return nowhere", TYPES, signal),
    checker.check(endless, TYPES, signal),
    checker.check("return 1", TYPES, signal),
  ]);
  assert.deepEqual(results[1]?.status === "fulfilled" && results[1].value.length, 1);
  assert.deepEqual(results[3]?.status === "fulfilled" && results[3].value, []);
});

Deno.test("the process ends when nothing was checked for a while", async () => {
  await using checker = new TypeChecker({ idleMs: 50 });
  await checker.check("return 1", TYPES, signal);
  const deadline = Date.now() + 10_000;
  while (checker.pids.length > 0) {
    assert.ok(Date.now() < deadline, "it is still there");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual(await checker.check("return 1", TYPES, signal), []);
});
