import assert from "node:assert/strict";
import { HOSTS } from "../../lib/config/hosts/mod.ts";

const GUIDE = await Deno.readTextFile(new URL("../../docs/guides/agents_and_hosts.md", import.meta.url));

Deno.test("the guide has an entry for every host, and each one is what mcpx itself would write there", () => {
  const hosts = GUIDE.slice(GUIDE.indexOf("## Hosts"));
  for (const { title } of HOSTS) {
    const start = hosts.indexOf(`**${title}**`);
    assert.ok(start > 0, title);
    const [, language, text = ""] = /```(json|toml)\n([\s\S]*?)```/.exec(hosts.slice(start)) ?? [];
    if (language === "toml") {
      assert.match(text, /^\[mcp_servers\.mcpx\]\ncommand = "mcpx"\nargs = \["serve"\]\n$/);
      continue;
    }
    const written = JSON.stringify(JSON.parse(text));
    assert.match(written, /"mcpx":\{/, title);
    assert.match(written, /"serve"/, title);
  }
});

Deno.test("every JSON in the guide parses", () => {
  const blocks = [...GUIDE.matchAll(/```json\n([\s\S]*?)```/g)];
  assert.ok(blocks.length >= 8);
  for (const [, text = ""] of blocks) JSON.parse(text);
});
