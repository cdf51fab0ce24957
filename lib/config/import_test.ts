import assert from "node:assert/strict";
import fc from "fast-check";
import { McpxError } from "../errors/mod.ts";
import { testFolder } from "./fixture_test.ts";
import { expandString } from "./expand.ts";
import { formatOfFile } from "./hosts/any_file.ts";
import { entryStrings } from "./hosts/read_entry.ts";
import { HOSTS, OWN_FORMAT } from "./hosts/table.ts";
import type { HostFormat, HostPlace } from "./hosts/types.ts";
import { usesCommands } from "./template.ts";
import { type ImportResult, importServers } from "./import.ts";

const FIXTURES = new URL("../../tests/fixtures/config/", import.meta.url).pathname;

/** Imports from a host whose file lies where that host keeps it. */
async function imported(
  host: string,
  fixture: string,
  target: string,
): Promise<ImportResult & { folder: string }> {
  await using at = await testFolder({ [target]: await Deno.readTextFile(FIXTURES + fixture), "app/x": "" });
  const place: HostPlace = { home: `${at.path}/home`, cwd: `${at.path}/app`, env: {}, os: "linux" };
  return { ...await importServers(host, place), folder: at.path };
}

async function fromFile(content: unknown, name = "some.json"): Promise<ImportResult> {
  await using at = await testFolder({ [name]: content });
  return await importServers(name, { home: "/home/me", cwd: at.path, env: {}, os: "linux" });
}

Deno.test("Claude Desktop's strings are literal, and its secrets are told", async () => {
  const result = await imported(
    "claude",
    "claude_desktop_config.json",
    "home/.config/Claude/claude_desktop_config.json",
  );
  assert.deepEqual(Object.keys(result.servers), ["filesystem", "github", "price"]);
  assert.deepEqual(result.servers.price?.args, ["--pattern", "cost $${literal} $5"]);
  assert.deepEqual(result.secrets, [{ server: "github", field: "env.GITHUB_PERSONAL_ACCESS_TOKEN" }]);
  const notes = result.notes.join("\n");
  assert.match(notes, /github\.env\.GITHUB_PERSONAL_ACCESS_TOKEN looks like a secret/);
  assert.ok(!notes.includes("ghp_"));
});

Deno.test("Claude Code's project entries win over the user's", async () => {
  const text = await Deno.readTextFile(FIXTURES + "claude.json");
  await using at = await testFolder({ "home/.claude.json": text });
  const place = { home: `${at.path}/home`, cwd: "/work/app", env: {}, os: "linux" };
  const { servers, secrets } = await importServers("claude-code", place);
  assert.deepEqual(servers, {
    shared: { command: "local-server", args: ["${LEVEL:-info}"] },
    sentry: {
      url: "https://mcp.sentry.dev/mcp",
      headers: { Authorization: "Bearer ${SENTRY_TOKEN}" },
      transport: "http",
    },
  });
  assert.deepEqual(secrets, []);
});

Deno.test("Cursor's comments and editor variables are understood, and mcpx itself is left out", async () => {
  const result = await imported("cursor", "cursor_mcp.json", "app/.cursor/mcp.json");
  assert.deepEqual(result.servers, {
    notes: {
      command: "python",
      args: [`${result.folder}/app/tools/notes.py`],
      env: { NOTES_KEY: "${NOTES_KEY}" },
    },
    linear: { url: "https://mcp.linear.app/sse" },
  });
  assert.deepEqual(result.skipped.map(({ server, reason }) => [server, reason]), [[
    "mcpx",
    "it is mcpx itself",
  ]]);
  assert.match(result.notes.join("\n"), /notes\.envFile is not imported/);
});

Deno.test("a VS Code server that asks for an input is skipped with the reason, and the others load", async () => {
  const { servers, skipped } = await imported("vscode", "vscode_mcp.json", "app/.vscode/mcp.json");
  assert.deepEqual(servers, {
    github: { url: "https://api.githubcopilot.com/mcp/", transport: "http" },
    memory: { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] },
  });
  assert.match(skipped[0]?.reason ?? "", /\$\{input:perplexity-key\} asks a person in the editor/);
});

Deno.test("Codex's TOML names variables instead of expanding them", async () => {
  const { servers } = await imported("codex", "codex_config.toml", "home/.codex/config.toml");
  assert.deepEqual(servers, {
    context7: {
      command: "npx",
      args: ["-y", "@upstash/context7-mcp"],
      env: { PRICE: "$5 $${not_expanded}" },
      envPassthrough: ["LOCAL_TOKEN"],
      mcpx: { startTimeout: "20s", callTimeout: "45.5s", tools: ["search"] },
    },
    figma: {
      url: "https://mcp.figma.com/mcp",
      headers: { "X-Figma-Region": "us-east-1", "X-Trace": "${TRACE_ID}" },
      auth: { type: "bearer", token: "${FIGMA_OAUTH_TOKEN}" },
      disabled: true,
    },
  });
});

Deno.test("Windsurf's, opencode's and Gemini's own keys are understood", async () => {
  const windsurf = await imported("windsurf", "windsurf_mcp_config.json", "home/.codeium/mcp_config.json");
  assert.deepEqual(windsurf.servers, {
    remote: {
      url: "https://example.org/mcp",
      headers: { API_KEY: "Bearer ${AUTH_TOKEN}", "X-File": "$${file:/run/key}" },
      mcpx: { excludeTools: ["drop_table"] },
    },
    off: { command: "npx", args: ["thing"], disabled: true },
  });
  const opencode = await imported("opencode", "opencode.jsonc", "app/opencode.jsonc");
  assert.deepEqual(opencode.servers, {
    everything: {
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-everything"],
      env: { KEY: "${MY_KEY}" },
    },
    remote: { url: "https://example.org/mcp", headers: { "X-Key": "{file:~/.key}" }, disabled: true },
  });
  const gemini = await imported("gemini", "gemini_settings.json", "home/.gemini/settings.json");
  assert.deepEqual(gemini.servers, {
    py: {
      command: "python",
      args: ["-m", "srv", "--port", "8080"],
      env: { TOKEN: "${MY_TOKEN}", B: "${OTHER}" },
      mcpx: { callTimeout: 15000, tools: ["safe"] },
    },
    sse: { url: "http://localhost:8080/sse", transport: "sse" },
    http: {
      url: "http://localhost:3000/mcp",
      headers: { Authorization: "Bearer abcdef123456" },
      transport: "http",
    },
  });
  assert.deepEqual(gemini.secrets, [{ server: "http", field: "headers.Authorization" }]);
});

Deno.test("a file of any kind is understood by its name or by what it holds", async () => {
  const command = "x";
  const names = async (content: unknown, name?: string): Promise<string[]> =>
    Object.keys((await fromFile(content, name)).servers);
  assert.deepEqual(await names({ mcpServers: { a: { command } }, $schema: "s", inputs: [] }), ["a"]);
  assert.deepEqual(await names({ servers: { b: { command } }, inputs: [] }), ["b"]);
  assert.deepEqual(await names({ mcp: { servers: { c: { command } } } }), ["c"]);
  assert.deepEqual(await names({ mcp: { d: { type: "local", command: ["x", "y"] } } }), ["d"]);
  assert.deepEqual(await names({ e: { command }, f: { url: "https://x/" } }), ["e", "f"]);
  assert.deepEqual(await names('[mcp_servers."g h"]\ncommand = "x"\n', "some.toml"), ["g h"]);
  assert.deepEqual(await names(`\ufeff// c\n{"mcpServers": {"i": {"command": "x",},},}`), ["i"]);
});

Deno.test("mcpx's own keys survive an import of an mcpx file", async () => {
  const entry = { url: "https://x/", auth: { type: "bearer", token: "${T}" }, mcpx: { namespace: "n" } };
  assert.deepEqual((await fromFile({ mcpServers: { a: entry } })).servers, { a: entry });
});

Deno.test("secrets are told wherever they stand", async () => {
  const { secrets } = await fromFile({
    mcpServers: {
      a: {
        command: "x",
        args: [
          "--api-key",
          "abcd1234",
          "--token=abcd1234",
          "sk-abcdefgh12345678",
          "--token=${T}",
          "--port",
          "8080",
        ],
        env: { DATABASE_URL: "postgres://u:p4ss@h/d", KEY_FILE: "/etc/key", LANG: "C", PASSWORD: "${P}" },
      },
      b: { url: "https://x/?api_key=abcd1234&q=1" },
    },
  });
  assert.deepEqual(secrets.map(({ server, field }) => `${server}.${field}`), [
    "a.args[1]",
    "a.args[2]",
    "a.args[3]",
    "a.env.DATABASE_URL",
    "b.url",
  ]);
});

Deno.test("odd entries are skipped with the reason", async () => {
  const { servers, skipped } = await fromFile({
    mcpServers: {
      a: "x",
      b: {},
      c: { command: "x", url: "https://x/" },
      d: { command: "x", args: [{}] },
      e: { command: "ok" },
    },
  });
  assert.deepEqual(Object.keys(servers), ["e"]);
  assert.deepEqual(skipped.map(({ server, reason }) => [server, reason]), [
    ["a", "its entry is no object"],
    ["b", "it has no command and no url"],
    ["c", "it has both command and url"],
    ["d", "one of its values should be a string"],
  ]);
});

Deno.test("a host without files, a mistyped host and a broken file each say so", async () => {
  await using at = await testFolder({ "bad.toml": "a = \n", "bad.json": '{"a" 1}' });
  const place = { home: at.path, cwd: at.path, env: {}, os: "linux" };
  const failure = async (from: string): Promise<McpxError> => {
    try {
      await importServers(from, place);
    } catch (error) {
      if (error instanceof McpxError) return error;
      throw error;
    }
    throw new Error("it was accepted");
  };
  assert.match(
    (await failure("cursor")).message,
    /from Cursor: none of its files exists \(.*\.cursor\/mcp\.json/,
  );
  assert.equal((await failure("curser")).hint, "mcpx config import --from cursor");
  assert.match((await failure("bad.toml")).message, /bad\.toml:1:\d+: /);
  assert.match((await failure("bad.json")).message, /bad\.json:1:6: expected `:`/);
});

const HOSTS_OF_TEXT = [
  "claude",
  "claude-code",
  "cursor",
  "vscode",
  "windsurf",
  "opencode",
  "gemini",
  "codex",
  "own",
  "any",
];

function hostOf(id: string): HostFormat {
  const found = HOSTS.find((host) => host.id === id);
  assert.ok(found, id);
  return found;
}

/** What a host would make of a string, written down anew from what each of them documents; nothing where it reads a file. */
function meantBy(host: string, text: string, env: Record<string, string>): string | undefined {
  const value = (name: string | undefined): string => env[name ?? ""] ?? "";
  const rules: Record<string, [RegExp, (...groups: string[]) => string]> = {
    "claude-code": [
      /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
      (_, name, fallback) => value(name) || (fallback ?? ""),
    ],
    cursor: [/\$\{env:([A-Za-z_]\w*)\}/g, (_, name) => value(name)],
    vscode: [/\$\{env:([A-Za-z_]\w*)\}/g, (_, name) => value(name)],
    windsurf: [/\$\{env:([A-Za-z_]\w*)\}/g, (_, name) => value(name)],
    opencode: [/\{env:([A-Za-z_]\w*)\}/g, (_, name) => value(name)],
    gemini: [
      /\$(?:\{([A-Za-z_]\w*)(?::-([^}]*))?\}|([A-Za-z_]\w*))/g,
      (_, name, fallback, bare) => value(name ?? bare) || (fallback ?? ""),
    ],
  };
  const rule = rules[host];
  if (rule === undefined) return host === "claude" || host === "codex" ? text : undefined;
  return text.replace(rule[0], rule[1]);
}

Deno.test("whatever string is imported from whichever host, it reads no file, runs nothing, and says what it said there", async () => {
  const piece = fc.constantFrom(
    "$",
    "$$",
    "{",
    "}",
    "${",
    "A",
    "NONE",
    "${A}",
    "$A",
    "${env:A}",
    "{env:A}",
    ":-",
    "${A:-",
    "${file:/etc/hostname}",
    "{file:/etc/hostname}",
    "${cmd:id}",
    "${A:-${cmd:id}}",
    "{env:A:-${cmd:id}",
    "$env:A",
    "${input:x}",
    "text",
    "file:",
    "cmd:",
    "é",
  );
  const env = { A: "value", NONE: "x" };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...HOSTS_OF_TEXT),
      fc.array(piece, { maxLength: 8 }),
      async (host, pieces) => {
        const text = pieces.join("");
        const format = host === "own"
          ? OWN_FORMAT
          : host === "any"
          ? formatOfFile("/x/y.json", "{}")
          : hostOf(host);
        const file = host === "codex"
          ? `[mcp_servers.s]\ncommand = "x"\nargs = [${JSON.stringify(text)}]\nbearer_token_env_var = ${
            JSON.stringify(text)
          }\n`
          : JSON.stringify({
            [host === "vscode" ? "servers" : host === "opencode" ? "mcp" : "mcpServers"]: {
              s: { command: "x", args: [text], env: { E: text }, auth: { bearer: text || "x" } },
            },
          });
        const [server] = format.parse(file, "/x/y.json", { home: "/h", cwd: "/x", env: {}, os: "linux" });
        assert.ok(server);
        if (server.skipped !== undefined) return;
        for (const { text: written } of entryStrings(server.entry)) {
          assert.ok(!usesCommands(written), `${host}: ${text} became ${written}`);
        }
        const options = { env, file: "/x/f.json", field: "f", allowCommands: true };
        const [written = ""] = server.entry.args ?? [];
        const expanded = await expandString(written, options).catch((error) => error.code);
        if (expanded === "missing-variable") return; // hosts put nothing there, mcpx names it
        // Windsurf and opencode read a file there, which an import does not.
        const reads = host === "windsurf" ? "${file:" : host === "opencode" ? "{file:" : undefined;
        const meant = reads !== undefined && text.includes(reads) ? undefined : meantBy(host, text, env);
        if (meant !== undefined && !text.includes("${input:")) {
          assert.equal(
            expanded,
            meant,
            `${host}: ${text} became ${written}`,
          );
        }
        if (written.includes("cmd:id}") && usesCommands(text)) {
          assert.match(server.notes.join(), /s\.args\[0\] names a file or a command, which stays text/);
        }
      },
    ),
    { numRuns: 3000 },
  );
});

Deno.test("a hostile project's file brings no live expression into the user's, whichever way it is imported", async () => {
  const hostile = {
    url: "http://127.0.0.1:9/",
    headers: { A: "${file:/etc/passwd}", B: "${cmd:id}", C: "${X:-${cmd:id}}" },
  };
  for (const name of [".cursor/mcp.json", ".mcpx.json", ".mcp.json", "any.json", ".vscode/mcp.json"]) {
    const result = await fromFile(
      { [name.includes("vscode") ? "servers" : "mcpServers"]: { docs: hostile } },
      name,
    );
    const texts = Object.values(result.servers).flatMap((entry) => [...entryStrings(entry)]);
    assert.ok(texts.every(({ text }) => !usesCommands(text)), name);
    if (result.servers.docs) {
      assert.match(result.notes.join("\n"), /docs\.headers\.A names a file or a command/, name);
    }
  }
});
