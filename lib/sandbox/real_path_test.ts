import assert from "node:assert/strict";
import { ScriptRunner } from "./runner.ts";
import { runSource } from "./testing.ts";

Deno.test("the worker's check of real paths holds where no permission of Deno's does", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const [inside, outside] = [`${folder}/inside`, `${folder}/outside`];
  for (const path of [inside, outside, `${inside}/scratch`]) await Deno.mkdir(path);
  await Deno.writeTextFile(`${outside}/secret.txt`, "secret");
  await Deno.writeTextFile(`${inside}/open.txt`, "open");
  await Deno.symlink(`${outside}/secret.txt`, `${inside}/link.txt`);
  await Deno.symlink(outside, `${inside}/scratch/way`);
  try {
    await using runner = new ScriptRunner({
      stateFolder: `${folder}/state`,
      prewarmed: 0,
      without: ["worker", "process"],
    });
    const grants = { read: [inside], net: [], env: {}, run: [], write: `${inside}/scratch` };
    const attempt = async (act: string): Promise<string> => {
      const { outcome } = await runSource(runner, `return await ${act}`, { grants });
      return outcome.result ?? outcome.error?.name ?? "";
    };
    assert.equal(await attempt(`Deno.readTextFile("${inside}/open.txt")`), '"open"');
    for (
      const act of [
        `Deno.readTextFile("${inside}/link.txt")`,
        `Deno.readTextFile("${inside}/../outside/secret.txt")`,
        `Deno.readTextFile("${inside}/scratch/way/secret.txt")`,
        `Deno.stat("${inside}/link.txt")`,
        `Array.fromAsync(Deno.readDir("${inside}/scratch/way"))`,
        `Deno.writeTextFile("way/new.txt", "x")`,
        `Deno.writeTextFile("${inside}/open.txt", "x")`,
        `Deno.mkdir("way/new", { recursive: true })`,
        `Deno.remove("way/secret.txt")`,
        `Deno.remove("way")`,
      ]
    ) assert.equal(await attempt(act), "NotCapable", act);
    assert.equal(await Deno.readTextFile(`${outside}/secret.txt`), "secret");
    assert.equal(await Deno.readTextFile(`${inside}/open.txt`), "open");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
