import assert from "node:assert/strict";
import { ROOT, run } from "../../tools/package/run.ts";
import { realServer, World } from "../support/world.ts";

const example = (name: string): string => `${ROOT}docs/examples/${name}.ts`;

Deno.test("the example that diagnoses a script needs no permission, no daemon and no server", async () => {
  const said = await run(Deno.execPath(), ["run", "--quiet", "--no-prompt", example("diagnose_a_script")]);
  assert.match(said, /title/);
  assert.match(said, /close_issue/);
  assert.match(said, /3 findings, 3 of which would make a call fail/);
});

Deno.test("the example that embeds the pool shares one process between callers", async () => {
  const { command, args } = realServer("@modelcontextprotocol/server-everything");
  const said = await run(Deno.execPath(), [
    "run",
    "-A",
    "--quiet",
    example("embed_the_pool"),
    command,
    ...args,
  ]);
  assert.match(said, /echo/);
  assert.match(said, /1 process for 2 callers/);
});

Deno.test("the example that runs a recipe finds the configuration of its folder", async () => {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  const options = { cwd: world.project, env: world.env };
  const said = await run(Deno.execPath(), ["run", "-A", "--quiet", example("run_a_recipe")], options);
  assert.deepEqual(JSON.parse(said.trim().split("\n").at(-1) ?? ""), { echoes: true, adds: true });
  const wrong = await run(
    Deno.execPath(),
    ["run", "-A", "--quiet", example("run_a_recipe"), "no_such"],
    options,
  );
  assert.match(wrong, /unknown-(recipe|script)/);
});
