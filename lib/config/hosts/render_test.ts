import assert from "node:assert/strict";
import fc from "fast-check";
import { McpxError } from "../../errors/mod.ts";
import { HOSTS, OWN_FORMAT } from "./table.ts";
import type { HostFormat, HostPlace, PortableServer } from "./types.ts";

const PLACE: HostPlace = { home: "/home/me", cwd: "/work/app", env: {}, os: "linux" };
const FIXTURES = new URL("../../../tests/fixtures/config/", import.meta.url).pathname;

function host(id: string): HostFormat {
  const found = HOSTS.find((one) => one.id === id);
  assert.ok(found);
  return found;
}

function back(format: HostFormat, text: string): Record<string, PortableServer> {
  const path = format.id === "codex" ? "/c.toml" : "/c.json";
  return Object.fromEntries(
    format.parse(text, path, PLACE).filter(({ skipped }) => !skipped).map(({ name, entry }) => [name, entry]),
  );
}

Deno.test("each host gets servers in its own dialect", () => {
  const servers: Record<string, PortableServer> = {
    local: { command: "npx", args: ["-y", "demo"], env: { A: "b" } },
    remote: { url: "https://example.org/mcp", headers: { K: "v" }, transport: "http" },
  };
  const json = (id: string): unknown => JSON.parse(host(id).render(undefined, servers));
  const plain = { command: "npx", args: ["-y", "demo"], env: { A: "b" } };
  const remote = { url: "https://example.org/mcp", headers: { K: "v" } };
  const typed = { mcpServers: { local: plain, remote: { type: "http", ...remote } } };
  assert.deepEqual(JSON.parse(host("claude").render("", { local: servers.local })), {
    mcpServers: { local: plain },
  });
  assert.throws(() => json("claude"), (error) => error instanceof McpxError && error.code === "unsupported");
  assert.deepEqual(json("claude-code"), typed);
  assert.deepEqual(json("cursor"), { mcpServers: { local: plain, remote } });
  assert.deepEqual(json("vscode"), {
    servers: { local: { type: "stdio", ...plain }, remote: { type: "http", ...remote } },
  });
  assert.deepEqual(json("windsurf"), {
    mcpServers: { local: plain, remote: { serverUrl: remote.url, headers: remote.headers } },
  });
  assert.deepEqual(json("opencode"), {
    mcp: {
      local: { type: "local", command: ["npx", "-y", "demo"], environment: { A: "b" }, enabled: true },
      remote: { type: "remote", ...remote, enabled: true },
    },
  });
  assert.deepEqual(json("gemini"), {
    mcpServers: { local: plain, remote: { httpUrl: remote.url, headers: remote.headers } },
  });
  assert.equal(
    host("codex").render(undefined, { local: servers.local }),
    '[mcp_servers.local]\ncommand = "npx"\nargs = [ "-y", "demo" ]\n\n[mcp_servers.local.env]\nA = "b"\n',
  );
});

Deno.test("what a host is given, it gives back", () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9 ._-]{0,8}$/);
  const text = fc.string({ minLength: 1 }).map((one) => one.replaceAll("$", "").replaceAll("{", "") || "x");
  const key = fc.stringMatching(/^[A-Z]{1,5}$/);
  const local: fc.Arbitrary<PortableServer> = fc.record({
    command: text,
    args: fc.array(text),
    env: fc.dictionary(key, text, { minKeys: 1, noNullPrototype: true }),
  });
  const remote = fc.record({
    url: fc.webUrl().map((url) => url.replaceAll("$", "")),
    headers: fc.dictionary(key, text, { minKeys: 1, noNullPrototype: true }),
  });
  const either: fc.Arbitrary<PortableServer> = fc.oneof(local, remote);
  for (const format of [...HOSTS, OWN_FORMAT]) {
    fc.assert(
      fc.property(
        fc.dictionary(name, format.id === "claude" ? local : either, { noNullPrototype: true }),
        (servers) => {
          const read = back(format, format.render(undefined, servers));
          for (const [one, entry] of Object.entries(servers)) {
            const { transport: _, ...rest } = read[one] ?? {};
            assert.deepEqual(
              { args: undefined, ...rest },
              Object.assign({ args: undefined }, entry),
              `${format.id}: ${one}`,
            );
          }
          assert.equal(Object.keys(read).length, Object.keys(servers).length);
        },
      ),
      { numRuns: 30 },
    );
  }
});

Deno.test("variables are spelled as the host does, or refused where it cannot", () => {
  const servers = { a: { command: "x", args: [], env: { K: "pre-${V}" } } };
  const spelled = (id: string): string | undefined => back(host(id), host(id).render("", servers)).a?.env?.K;
  const text = (id: string): string => host(id).render("", servers);
  assert.ok(text("claude-code").includes("pre-${V}"));
  assert.ok(text("cursor").includes("pre-${env:V}"));
  assert.ok(text("opencode").includes("pre-{env:V}"));
  assert.ok(text("gemini").includes("pre-${V}"));
  assert.equal(spelled("opencode"), "pre-${V}");
  for (const id of ["claude", "codex"]) {
    assert.throws(() => text(id), (error) => error instanceof McpxError && error.code === "unsupported");
  }
  const codex = host("codex").render("", {
    a: { command: "x", env: { V: "${V}" } },
    b: { url: "https://x/", auth: { type: "bearer", token: "${T}" } },
  });
  assert.match(codex, /env_vars = \[ "V" \]/);
  assert.match(codex, /bearer_token_env_var = "T"/);
});

Deno.test("comments, unknown keys, order, indentation and line ends of the rest stay", async () => {
  const mcpx = { mcpx: { command: "mcpx", args: ["serve"] } };
  const files: [string, string][] = [
    ["claude", "claude_desktop_config.json"],
    ["claude-code", "claude.json"],
    ["vscode", "vscode_mcp.json"],
    ["codex", "codex_config.toml"],
    ["windsurf", "windsurf_mcp_config.json"],
    ["opencode", "opencode.jsonc"],
    ["gemini", "gemini_settings.json"],
  ];
  for (const [id, name] of files) {
    const text = await Deno.readTextFile(FIXTURES + name);
    const added = host(id).render(text, mcpx);
    for (const line of text.split("\n").filter((one) => /[\w#/]/.test(one))) {
      assert.ok(added.includes(line.trim().replace(/,$/, "")), `${id} lost: ${line}`);
    }
    assert.equal(host(id).render(added, mcpx), added, id);
    const removed = host(id).render(added, { mcpx: undefined });
    assert.ok(!removed.includes('"serve"'), id);
    assert.deepEqual(back(host(id), removed), back(host(id), text));
  }
  const noted = host("cursor").render('{"mcpServers": {"a": {"command": "x"} // last\n}}', mcpx);
  assert.match(noted, /\{"command": "x"\}, \/\/ last\n/);
  assert.deepEqual(Object.keys(back(host("cursor"), noted)), ["a"]);
  for (const end of ["", ",", ", /* , */", " /* , */", ", // ,\n"]) {
    const text = `{"mcpServers": {"a": {"command": "x"}${end} }, }`;
    const edited = host("cursor").render(text, mcpx);
    assert.ok(edited.startsWith('{"mcpServers": {"a": {"command": "x"},'), edited);
    assert.deepEqual(Object.keys(back(host("cursor"), edited)), ["a"]);
    assert.equal(host("cursor").parse(edited, "/c.json", PLACE).length, 2);
  }
  const tabs = host("cursor").render(
    '{\r\n\t"mcpServers": {\r\n\t\t"a": {"command": "x"}\r\n\t}\r\n}\r\n',
    mcpx,
  );
  assert.match(tabs, /\r\n\t\t"mcpx": \{\r\n\t\t\t"command"/);
});

Deno.test("a server is replaced whole, sub-tables included, and its neighbours are not touched", () => {
  const text =
    '[mcp_servers.a]\ncommand = "old"\n[mcp_servers.a.env]\nX = "1"\n\n# note\n[mcp_servers.ab]\ncommand = "b"\n';
  const edited = host("codex").render(text, { a: { command: "new" } });
  assert.deepEqual(back(host("codex"), edited), {
    ab: { command: "b", args: [] },
    a: { command: "new", args: [] },
  });
});

Deno.test("a file that cannot be parsed, or holds its servers in another form, is left alone", () => {
  const servers = { a: { command: "x" } };
  for (const text of ['{"mcpServers": {', '{"mcpServers": []}', "[]"]) {
    assert.throws(() => host("cursor").render(text, servers), McpxError, text);
  }
  assert.throws(() => host("codex").render("mcp_servers = ", servers), McpxError);
  assert.throws(() => host("codex").render('mcp_servers = { a = { command = "y" } }\n', servers), McpxError);
});

Deno.test("mcpx's own file keeps every key of an entry", () => {
  const entry: PortableServer = {
    url: "https://x/${V}",
    auth: { type: "bearer", token: "$${x}${cmd:id}" },
    mcpx: { max: 2 },
    envPassthrough: ["A"],
  };
  assert.deepEqual(JSON.parse(OWN_FORMAT.render("", { a: entry })), { mcpServers: { a: entry } });
});
