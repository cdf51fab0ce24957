import assert from "node:assert/strict";
import { World } from "../support/world.ts";

Deno.test("what can be no server is refused with one sentence, by command and by route, and nothing is written", async () => {
  await using world = await World.open({});
  const rows: [words: string[], said: RegExp, hint: RegExp][] = [
    [
      ["https://x.example/mcp"],
      /command is an address.*did you mean url/,
      /servers add docs --url https:\/\/x\.example\/mcp/,
    ],
    [["javascript:alert(1)"], /command is an address/, /--url https/],
    [["--url", "javascript:alert(1)"], /url must begin with http/, /--url https/],
    [["--url", "file:///etc/passwd"], /url must begin with http/, /--url https/],
    [
      ["--url", "http://user:word@x.example/"],
      /has a name or a password/,
      /--header 'Authorization: Bearer \$\{TOKEN\}'/,
    ],
  ];
  for (const [words, said, hint] of rows) {
    const { code, stderr } = await world.run(["servers", "add", "docs", ...words]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, said);
    assert.match(stderr, hint);
    assert.doesNotMatch(stderr, /user:word/);
    const body = words.length === 1 ? { name: "docs", command: words } : { name: "docs", url: words[1] };
    const response = await world.http("/v1/config/servers", { method: "POST", body: JSON.stringify(body) });
    assert.equal(response.status, 400);
    assert.match((await response.json()).error.message, said);
  }
  assert.deepEqual((await world.json(["servers", "list"])).value.servers, []);
});

Deno.test("what a configuration writes out and is no word shows in no error, listing, status or log", async () => {
  await using world = await World.open({});
  const script =
    "process.stderr.write(process.env.SLOT + ' ' + process.env.NODE_ENV + '\\n'); process.exit(3)";
  await world.configure({
    mcpServers: {
      dies: { command: "node", args: ["-e", script], env: { SLOT: "hunter22pass", NODE_ENV: "production" } },
    },
  });
  const outputs = [];
  for (
    const words of [["ls"], ["call", "dies.x"], ["call", "dies.x", "--json"], ["status"], [
      "status",
      "--json",
    ], ["doctor"]]
  ) {
    const { stdout, stderr } = await world.run(words);
    outputs.push(stdout + stderr);
  }
  const all = outputs.join("\n");
  assert.doesNotMatch(all, /hunter22/);
  assert.match(all, /\*\*\* production/);
  for await (const entry of Deno.readDir(`${world.env.HOME}/.local/state/mcpx`)) {
    if (!entry.isFile) continue;
    const text = await Deno.readTextFile(`${world.env.HOME}/.local/state/mcpx/${entry.name}`);
    assert.doesNotMatch(text, /hunter22/, entry.name);
  }
});
