import assert from "node:assert/strict";
import { join } from "node:path";
import { fixtureServer, World } from "../support/world.ts";

type Json = Record<string, unknown>;

Deno.test("questions that cannot be written down are listed, shown, answered, and their results collected", async () => {
  await using world = await World.open({ mcpServers: { asker: fixtureServer("asker.mjs") } });
  const state = join(world.env.HOME ?? "", ".local/state/mcpx");
  await Deno.mkdir(state, { recursive: true, mode: 0o700 });
  await Deno.writeTextFile(join(state, "questions"), "where the folder would be");
  const waiting = await world.run(["call", "asker.ask"]);
  assert.equal(waiting.code, 75, waiting.stderr);
  const [id = ""] = /elc-\w+/.exec(waiting.stderr) ?? [];
  const [task = ""] = /tsk-\w+/.exec(waiting.stderr) ?? [];
  const listed = await world.run(["elicit", "list"]);
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, new RegExp(id));
  assert.match(listed.stderr, /held in memory alone.*Cannot /s);
  const tasks = await world.json(["task", "list"]);
  assert.deepEqual((tasks.value.tasks as Json[]).map((one) => one.id), [task]);
  assert.match((await world.run(["elicit", "show", id])).stdout, /Your name\?/);
  const answered = await world.run(["elicit", "answer", id, "name=Zoë"]);
  assert.equal(answered.code, 0, answered.stderr);
  for (let time = 0; time < 2; time++) {
    const result = await world.run(["task", "result", task]);
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stdout, /Zoë/);
  }
  assert.match((await world.run(["task", "get", task])).stdout, /completed/);
  const gone = await world.run(["task", "get", "tsk-none"]);
  assert.match(gone.stderr, /Cannot make the folder/);
  await Deno.remove(join(state, "questions"));
  assert.equal((await world.run(["call", "asker.ask"])).code, 75);
  const after = await world.run(["elicit", "list"]);
  assert.doesNotMatch(after.stderr, /in memory alone/);
});
