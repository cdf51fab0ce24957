import assert from "node:assert/strict";
import { fixtureServer, World } from "../support/world.ts";

Deno.test("an address that is no page is refused, one of an app is shown with a warning", async () => {
  await using world = await World.open({
    mcpServers: {
      asker: fixtureServer("asker.mjs"),
      modern: fixtureServer("asker.mjs", { ERA: "modern" }),
    },
  });
  for (const server of ["asker", "modern"]) {
    for (const url of ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "not an address"]) {
      const refused = await world.run(["call", `${server}.page`, JSON.stringify({ url })]);
      assert.equal(refused.code, 0, refused.stderr);
      assert.deepEqual(JSON.parse(refused.stdout), { action: "cancel" });
      assert.match(refused.stderr, /opened, and .*: nobody was asked/);
    }
  }
  const first = await world.run(["call", "asker.page_first", "url=javascript:alert(1)"]);
  assert.equal(first.code, 1);
  assert.match(first.stderr, /Nobody answered asker/);
  assert.doesNotMatch((await world.run(["elicit", "list", "--all"])).stdout, /elc-/);
  const app = await world.run(["call", "asker.page", "url=slack://open?team=1"]);
  assert.equal(app.code, 75);
  assert.match(
    app.stderr,
    /slack:\/\/open\?team=1\n.*no web page: a program on this machine that takes slack:/,
  );
  const [id = ""] = /elc-\w+/.exec(app.stderr) ?? [];
  const shown = await world.run(["elicit", "show", id]);
  assert.match(shown.stdout, /no web page/);
  const { value } = await world.json(["elicit", "show", id]);
  assert.match(String((value.question as { warning: string }).warning), /slack:/);
});
