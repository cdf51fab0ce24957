import assert from "node:assert/strict";
import { loadFrom, testFolder } from "./fixture_test.ts";
import { unreachable } from "./reachable.ts";

Deno.test("what can be no server is told in a clause, and what may be one passes", () => {
  const refused: [Parameters<typeof unreachable>[0], RegExp][] = [
    [{ command: "https://x.example/mcp" }, /command is an address.*did you mean url/],
    [{ command: "HTTP://x.example/mcp" }, /did you mean url/],
    [{ command: "javascript:alert(1)" }, /command is an address and no program$/],
    [{ command: "file:///etc/passwd" }, /command is an address and no program$/],
    [{ command: "https://u:p@x.example/" }, /command is an address and no program$/],
    [{ command: "a\nb" }, /line break/],
    [{ url: "javascript:alert(1)" }, /url must begin with http/],
    [{ url: "file:///etc/passwd" }, /url must begin with http/],
    [{ url: "ftp://x/" }, /url must begin with http/],
    [{ url: "http://" }, /no whole address/],
    [{ url: "http://user:word@x.example/" }, /has a name or a password.*headers/],
    [{ url: "https://${USER}:${PASS}@x.example/" }, /has a name or a password/],
  ];
  for (const [target, said] of refused) {
    assert.match(unreachable(target)?.what ?? "", said, JSON.stringify(target));
  }
  const fine = ["npx", "/opt/My App/run", "./server.sh", "${CMD}", "c:x", "deno"];
  for (const command of fine) assert.equal(unreachable({ command }), undefined, command);
  const urls = [
    "http://127.0.0.1:1/mcp",
    "https://x.example/@scope/mcp?q=a@b",
    "${URL}",
    "https://${HOST:-x}/mcp",
    "$env:URL",
  ];
  for (const url of urls) assert.equal(unreachable({ url }), undefined, url);
});

Deno.test("a file's server that can be none is one error, and the others load", async () => {
  await using at = await testFolder({
    "home/.config/mcpx/config.json": {
      mcpServers: {
        docs: { command: "https://x.example/mcp" },
        odd: { serverUrl: "file:///etc/passwd" },
        pass: { url: "http://user:word@x.example/" },
        fine: { command: "sh" },
      },
    },
  });
  const { servers } = await loadFrom(at);
  const said = servers.map(({ name, error }) => [name, error?.message.replace(/ \(.*/, "") ?? ""]);
  assert.match(said[0]?.[1] ?? "", /docs: command is an address and no program; did you mean url/);
  assert.match(said[1]?.[1] ?? "", /serverUrl must begin with http/);
  assert.match(said[2]?.[1] ?? "", /has a name or a password in it/);
  assert.doesNotMatch(JSON.stringify(said), /word@/);
  assert.deepEqual(said[3], ["fine", ""]);
});
