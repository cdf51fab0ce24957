import assert from "node:assert/strict";
import { eventually } from "../../support/world.ts";
import { eachOf, Range } from "./range.ts";

/** Runs one after the other and at once; MCPX_TEST_RUNS and MCPX_TEST_RUNS_AT_ONCE raise them to a thousand and a hundred. */
const RUNS = Number(Deno.env.get("MCPX_TEST_RUNS") ?? 60);
const AT_ONCE = Number(Deno.env.get("MCPX_TEST_RUNS_AT_ONCE") ?? 20);

/** A little of everything that a run can leave behind. */
const SOURCES = [
  "return (await demo.echo({ a: 1 })).a",
  "console.log('x'); emit(1); return await search('echo')",
  "throw new Error('x')",
  "setInterval(() => {}, 1); demo.never({}).catch(() => {}); return 1",
];

Deno.test(`${RUNS} runs one after the other and ${AT_ONCE} at once leave nothing behind`, async () => {
  await using range = await Range.open();
  const run = async (index: number): Promise<void> => {
    const source = SOURCES[index % SOURCES.length] ?? "";
    await range.run(source, index % 10 === 0 ? "write" : "none");
  };
  // What is loaded, compiled and connected once is not a leak.
  await eachOf(Array.from({ length: AT_ONCE }, (_, index) => index), AT_ONCE, run);
  const before = await settled(range);
  await eachOf(Array.from({ length: AT_ONCE }, (_, index) => index), AT_ONCE, run);
  for (let index = 0; index < RUNS; index++) await run(index);
  let seen = before;
  const after = await eventually(async () => {
    const now = await settled(range);
    seen = now;
    return now.files <= before.files && now.children <= before.children && now;
  }, `files and processes are ${JSON.stringify(before)} again`).catch((error) => {
    throw new Error(`${error.message}, but ${JSON.stringify(seen)}`);
  });
  // A heap keeps what its last collection left: it may breathe, not grow with the runs.
  assert.ok(after.megabytes - before.megabytes < 40, `${before.megabytes} MB became ${after.megabytes} MB`);
  await range.unharmed();
});

/** What the daemon holds once the processes that stand ready are there again. */
async function settled(range: Range): ReturnType<Range["holdings"]> {
  return await eventually(async () => {
    const one = await range.holdings();
    await range.run("return 1", "none");
    const other = await range.holdings();
    return one.children === other.children && other;
  }, "the daemon has settled");
}
