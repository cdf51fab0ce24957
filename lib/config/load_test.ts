import assert from "node:assert/strict";
import fc from "fast-check";
import { McpxError } from "../errors/mod.ts";
import { loadFrom, testFolder } from "./fixture_test.ts";
import type { LoadOptions } from "./load.ts";
import type { Configuration, ServerDefinition } from "./types.ts";

const USER = "home/.config/mcpx/config.json";

async function load(
  files: Record<string, unknown>,
  options: Partial<LoadOptions> = {},
): Promise<Configuration> {
  await using at = await testFolder(files);
  return await loadFrom(at, options);
}

function server(configuration: Configuration, name: string): ServerDefinition {
  const found = configuration.servers.find((one) => one.name === name);
  assert.ok(found, `no server ${name}`);
  return found;
}

async function one(entry: unknown): Promise<ServerDefinition> {
  return server(await load({ [USER]: { mcpServers: { demo: entry } } }), "demo");
}

async function refusal(files: Record<string, unknown>): Promise<McpxError> {
  try {
    await load(files);
  } catch (error) {
    assert.ok(error instanceof McpxError);
    return error;
  }
  throw new Error("it was accepted");
}

Deno.test("every key of a server is read", async () => {
  const demo = await one({
    command: "node",
    args: ["a.js", 8080, true],
    env: { TOKEN: "${TOKEN}", PORT: 1 },
    cwd: "sub",
    envPassthrough: ["HTTP_PROXY"],
    disabled: true,
    mcpx: {
      namespace: "dm",
      description: "A demo.",
      sharing: "exclusive",
      scope: "repo",
      min: 1,
      max: 3,
      idleTimeout: "90s",
      callTimeout: "1m30s",
      startTimeout: 500,
      tools: ["get_*"],
      extraIncludeTools: ["list"],
      excludeTools: ["/^delete/"],
      groups: "dev",
      default: true,
      protocol: "legacy",
      prefix: "none",
    },
  });
  const { source, ...rest } = demo;
  assert.ok(source.trusted && source.file.endsWith(USER));
  assert.deepEqual(rest, {
    name: "demo",
    namespace: "dm",
    target: {
      kind: "stdio",
      command: "node",
      args: ["a.js", "8080", "true"],
      env: { TOKEN: "${TOKEN}", PORT: "1" },
      cwd: `${source.folder}/sub`,
    },
    envPassthrough: ["HTTP_PROXY"],
    disabled: true,
    description: "A demo.",
    sharing: "exclusive",
    scope: "repo",
    limits: { min: 1, max: 3, idleTimeout: 90_000, callTimeout: 90_000, startTimeout: 500 },
    filter: { include: [["get_*", "list"]], exclude: ["/^delete/"] },
    groups: ["dev"],
    default: true,
    protocol: "legacy",
    prefix: "none",
    variables: ["TOKEN"],
  });
});

Deno.test("a url without a type is a remote server; the other hosts' spellings are understood", async () => {
  const url = "https://example.org/mcp";
  const transport = async (entry: Record<string, unknown>): Promise<string> => {
    const { target, error } = await one(entry);
    assert.equal(error, undefined);
    assert.ok(target.kind === "http" && target.url === url);
    return target.transport;
  };
  assert.equal(await transport({ url }), "auto");
  assert.equal(await transport({ url, type: "http" }), "http");
  assert.equal(await transport({ url, type: "streamable-http" }), "http");
  assert.equal(await transport({ url, type: "sse" }), "sse");
  assert.equal(await transport({ url, transport: "sse" }), "sse");
  assert.equal(await transport({ serverUrl: url }), "auto");
  assert.equal(await transport({ httpUrl: url }), "http");
});

Deno.test("an entry that contradicts itself is an error that names both keys", async () => {
  const cases: [unknown, RegExp][] = [
    [{ url: "https://x/", command: "y" }, /both command and url/],
    [{ url: "https://x/", type: "stdio" }, /type is stdio, but it has url/],
    [{ command: "x", type: "sse" }, /type is sse, but it has a command/],
    [{ url: "https://x/", args: ["a"] }, /args is for servers with a command/],
    [{ command: "x", headers: {} }, /headers is for servers with a url/],
    [{ command: ["npx", "x"] }, /command must be a string, with its arguments in args/],
    [{ comand: "x" }, /no command and no url; is comand meant to be command\?/],
    [{}, /no command and no url/],
    [{ url: "ftp://x/" }, /url must begin with http/],
    [{ command: "x", type: "pipe" }, /type must be one of stdio, http, sse, not "pipe"/],
    [{ command: "x", args: "y" }, /args must be a list of strings, not a string/],
    [{ command: "x", env: { A: null } }, /env\.A must be a string, not null/],
    [{ command: "x", disabled: "yes" }, /disabled must be true or false/],
    [{ command: "x", auth: { bearer: "t" } }, /auth is for servers with a url/],
    [{ command: "x", mcpx: { min: 3, max: 2 } }, /mcpx\.min \(3\) is more than mcpx\.max \(2\)/],
    [{ command: "x", mcpx: { max: 0 } }, /mcpx\.max must be a whole number of at least 1, not 0/],
    [
      { command: "x", mcpx: { callTimeout: "soon" } },
      /mcpx\.callTimeout must be a duration such as .*, not "soon"/,
    ],
    [{ command: "x", mcpx: { scope: "galaxy" } }, /mcpx\.scope must be one of global, repo/],
    [{ command: "x", mcpx: { tools: ["/(/"] } }, /mcpx\.tools\[0\] is no regular expression/],
    [{ command: "x", mcpx: { excludeTool: [] } }, /no key "excludeTool"; did you mean excludeTools\?/],
    [{ command: "x", mcpx: 5 }, /mcpx must be an object/],
    [{ command: "x", args: ["${input:key}"] }, /\$\{input:key\} asks a person in the editor/],
    [{ command: "x", args: ["${unclosed"] }, /no expression that mcpx knows/],
    ["npx demo", /its entry must be an object/],
  ];
  for (const [entry, message] of cases) {
    const { error } = await one(entry);
    assert.match(error?.message ?? "", message, JSON.stringify(entry));
    assert.equal(error?.code, "server-config");
  }
});

Deno.test("one bad server leaves the others as they are, and its error names the place", async () => {
  const text = '{"mcpServers": {\n  "bad": {"command": "x",\n    "args": "y"},\n  "good": {"command": "z"}}}';
  const configuration = await load({ [USER]: text });
  assert.equal(server(configuration, "good").error, undefined);
  assert.match(
    server(configuration, "bad").error?.message ?? "",
    /^Cannot use server bad: args must.*json:3:5\)\.$/,
  );
  assert.equal(server(configuration, "bad").namespace, "bad");
});

Deno.test("credentials are read in every spelling", async () => {
  const url = "https://example.org/mcp";
  const auth = async (value: unknown): Promise<unknown> => (await one({ url, auth: value })).auth;
  assert.deepEqual(await auth({ type: "bearer", token: "${T}" }), { type: "bearer", token: "${T}" });
  assert.deepEqual(await auth({ bearer: "${T}" }), { type: "bearer", token: "${T}" });
  assert.deepEqual(await auth({ basic: { username: "u", password: "p" } }), {
    type: "basic",
    username: "u",
    password: "p",
  });
  assert.deepEqual(await auth({ query: { name: "key", value: "v" } }), {
    type: "query",
    name: "key",
    value: "v",
  });
  assert.deepEqual(await auth("oauth"), { type: "oauth" });
  const { error } = await one({ url, auth: { bearer: "a", basic: {} } });
  assert.match(error?.message ?? "", /one type of/);
  assert.match(
    (await one({ url, auth: "s3cr3t" })).error?.message ?? "",
    /auth must be one of .*, not a string/,
  );
});

Deno.test("keys that only describe a file are no servers, and VS Code's root key is understood", async () => {
  const own = await load({
    [USER]: {
      $schema: "x",
      inputs: [],
      mcpServers: { $schema: "y", inputs: [], "//": "note", a: { command: "x" } },
    },
  });
  assert.deepEqual(own.servers.map(({ name }) => name), ["a"]);
  await using at = await testFolder({
    ".vscode/mcp.json": { inputs: [{ id: "k" }], servers: { b: { type: "stdio", command: "x" } }, other: 1 },
  });
  const vscode = await loadFrom(at, { explicit: `${at.path}/.vscode/mcp.json` });
  assert.deepEqual(vscode.servers.map(({ name }) => name), ["b"]);
});

Deno.test("unknown top-level keys are refused in mcpx's own files and ignored in .mcp.json", async () => {
  const error = await refusal({ "project/.mcpx.json": '{\n "mcpServer": {}}' });
  assert.equal(error.code, "invalid-config");
  assert.match(error.message, /\.mcpx\.json:2:2: "mcpServer" is no key of mcpx's configuration/);
  assert.equal(error.hint, 'Did you mean "mcpServers"?');
  assert.equal((await refusal({ [USER]: { servers: {} } })).hint, 'Did you mean "mcpServers"?');
  const lenient = await load({ "project/.mcp.json": { mcpServer: {}, mcpServers: { a: { command: "x" } } } });
  assert.deepEqual(lenient.servers.map(({ name }) => name), ["a"]);
});

Deno.test("another host's keys in an entry are a note and nothing more", async () => {
  const { servers, notes } = await load({
    [USER]: { mcpServers: { a: { command: "x", autoApprove: [], namespace: "b" } } },
  });
  assert.equal(servers[0]?.error, undefined);
  assert.match(notes.join("\n"), /a\.autoApprove is ignored: .* another host/);
  assert.match(notes.join("\n"), /a\.namespace is ignored: it belongs inside the mcpx block/);
});

Deno.test("settings are collected from both spellings, farthest file first, and one set twice is refused", async () => {
  const { settings } = await load({
    "project/.mcpx.json": { "exec.timeout": "5s", pool: { max: 2 } },
    [USER]: { exec: { timeout: "9s", deep: { er: [1] } } },
  });
  assert.deepEqual(settings.map(({ path, kind, value }) => [path, kind, value]), [
    ["exec.timeout", "user", "9s"],
    ["exec.deep.er", "user", [1]],
    ["exec.timeout", "project", "5s"],
    ["pool.max", "project", 2],
  ]);
  const error = await refusal({ [USER]: '{"exec": {"timeout": 1},\n "exec.timeout": 2}' });
  assert.match(error.message, /json:2:2: exec\.timeout is set twice, also at 1:11/);
});

Deno.test("a setting whose value is an object is not taken apart", async () => {
  const { settings } = await load({ [USER]: { exec: { map: { a: 1 } } } }, {
    isSetting: (path) => path === "exec.map",
  });
  assert.deepEqual(settings.map(({ path, value }) => [path, value]), [["exec.map", { a: 1 }]]);
});

Deno.test("the pool block gives servers their sharing and scope unless they say otherwise", async () => {
  const { servers, settings } = await load({
    [USER]: {
      pool: { sharing: "exclusive", scope: "cwd", max: 4 },
      mcpServers: { a: { command: "x" }, b: { command: "x", mcpx: { scope: "call" } } },
    },
  });
  assert.deepEqual(servers.map(({ sharing, scope }) => [sharing, scope]), [["exclusive", "cwd"], [
    "exclusive",
    "call",
  ]]);
  assert.deepEqual(settings.map(({ path }) => path), ["pool.max"]);
  const wrong = await load({
    [USER]: '{"pool": {\n "scope": "galaxy"},\n "mcpServers": {"a": {"command": "x"}}}',
  });
  assert.match(
    server(wrong, "a").error?.message ?? "",
    /pool\.scope must be one of .*, not "galaxy" .*json:2:2\)/,
  );
});

Deno.test("a nearer file wins key by key", async () => {
  const demo = server(
    await load({
      [USER]: {
        mcpServers: { demo: { env: { A: "near" }, mcpx: { max: 1, extraIncludeTools: ["c"] } } },
      },
      "home/.mcpx.json": {
        mcpServers: {
          demo: {
            command: "x",
            env: { A: "far", B: "far" },
            mcpx: { max: 9, min: 1, tools: ["a"], extraIncludeTools: ["b"] },
          },
        },
      },
    }),
    "demo",
  );
  assert.ok(demo.target.kind === "stdio");
  assert.deepEqual(demo.target.env, { A: "near", B: "far" });
  assert.deepEqual(demo.limits, { max: 1, min: 1 });
  assert.deepEqual(demo.filter.include, [["a", "c", "b"]]);
  assert.ok(demo.source.file.endsWith("home/.mcpx.json"));
});

Deno.test("a nearer file that says anew what the server is takes no credentials over", async () => {
  const demo = server(
    await load({
      "project/.mcp.json": { mcpServers: { demo: { url: "https://evil.example/" } } },
      [USER]: {
        mcpServers: {
          demo: {
            url: "https://good.example/",
            headers: { A: "s" },
            auth: { bearer: "s" },
            mcpx: { max: 2 },
          },
        },
      },
    }),
    "demo",
  );
  assert.deepEqual(demo.target, {
    kind: "http",
    url: "https://evil.example/",
    headers: {},
    transport: "auto",
  });
  assert.equal(demo.auth, undefined);
  assert.deepEqual(demo.limits, { max: 2 });
});

Deno.test("whatever the files say, each setting of a block comes from the nearest that has it", async () => {
  const layer = fc.record({
    min: fc.constantFrom(0, 1),
    max: fc.constantFrom(2, 3),
    groups: fc.constant(["g"]),
  }, {
    requiredKeys: [],
  });
  await fc.assert(
    fc.asyncProperty(layer, layer, layer, async (near, middle, far) => {
      const file = (mcpx: unknown): unknown => ({ mcpServers: { demo: { command: "x", mcpx } } });
      const demo = server(
        await load({
          "project/.mcpx.json": file(near),
          "project/.mcp.json": file(middle),
          [USER]: file(far),
        }),
        "demo",
      );
      const expected = { ...far, ...middle, ...near };
      assert.deepEqual([demo.limits.min, demo.limits.max], [expected.min, expected.max]);
      assert.deepEqual(demo.groups, expected.groups ?? []);
    }),
    { numRuns: 30 },
  );
});

Deno.test("an alias takes the target's process, leasing and filters, and narrows them under its own name", async () => {
  const { servers } = await load({
    "project/.mcpx.json": { mcpServers: { ro: { aliasOf: "db", mcpx: { tools: ["get_*"] } } } },
    [USER]: {
      mcpServers: {
        db: {
          command: "x",
          cwd: ".",
          mcpx: { max: 2, scope: "repo", namespace: "data", excludeTools: ["z"] },
        },
      },
    },
  });
  const [ro, db] = servers;
  assert.ok(ro && db);
  assert.equal(ro.aliasOf, "db");
  assert.deepEqual([ro.target, ro.limits, ro.scope], [db.target, db.limits, db.scope]);
  assert.deepEqual(ro.filter, { include: [["get_*"]], exclude: ["z"] });
  assert.deepEqual([ro.namespace, db.namespace], ["ro", "data"]);
  assert.equal(ro.targetSource?.file, db.source.file);
});

Deno.test("filters only narrow: a project's file opens no tool that the user's closes, nor does an alias", async () => {
  const { servers, notes } = await load({
    "project/.mcpx.json": {
      mcpServers: {
        gh: { mcpx: { excludeTools: [], tools: ["*"], extraIncludeTools: ["env"] } },
        w9: { aliasOf: "gh", mcpx: { tools: ["get_*", "env"] } },
      },
    },
    [USER]: {
      mcpServers: {
        gh: { command: "x", mcpx: { excludeTools: ["env"], tools: ["get_*"], extraIncludeTools: ["list"] } },
      },
    },
  });
  const [gh, w9] = servers;
  assert.deepEqual(gh?.filter, { include: [["*", "env", "list"], ["get_*", "list"]], exclude: ["env"] });
  assert.deepEqual(w9?.filter, {
    include: [["get_*", "env"], ["*", "env", "list"], ["get_*", "list"]],
    exclude: ["env"],
  });
  assert.deepEqual(notes, []);
});

Deno.test("a project's file changes no part of how a server of the user's is started, unless it is trusted", async () => {
  const changes: Record<string, unknown>[] = [
    { args: ["own"] },
    { cwd: "/own" },
    { env: { NODE_OPTIONS: "--require ./own.js" } },
    { envPassthrough: ["SECRET"] },
    { headers: { A: "b" } },
    { auth: { bearer: "own" } },
    { transport: "sse" },
    { disabled: false },
  ];
  const user = { command: "x", args: ["far"], env: { TOKEN: "usersecret" }, disabled: true };
  for (const change of changes) {
    const [key = ""] = Object.keys(change);
    const files = {
      "project/.mcpx.json": { mcpServers: { gh: change, alias: { aliasOf: "gh", ...change } } },
      [USER]: { mcpServers: { gh: user } },
    };
    const { servers, notes } = await load(files);
    const [gh, alias] = servers;
    assert.deepEqual(
      gh?.target,
      { kind: "stdio", command: "x", args: ["far"], env: { TOKEN: "usersecret" } },
      key,
    );
    assert.deepEqual(
      [gh.envPassthrough, gh.auth, gh.disabled, gh.error],
      [[], undefined, true, undefined],
      key,
    );
    assert.match(notes.join("\n"), new RegExp(`gh\\.${key} is ignored: .*mcpx trust`));
    if (key === "disabled") {
      assert.equal(alias?.disabled, true, "what is switched off stays off under any name");
    } else assert.match(alias?.error?.message ?? "", new RegExp(`${key} is no project's to change`));
  }
  const trusted = await load({
    "project/.mcpx.json": { mcpServers: { gh: { args: ["near"], disabled: false } } },
    [USER]: { mcpServers: { gh: user } },
  }, { trust: { isTrusted: () => true } });
  assert.deepEqual(
    trusted.servers.map(({ target, disabled }) => [target.kind === "stdio" && target.args, disabled]),
    [
      [["near"], false],
    ],
  );
});

Deno.test("who sees a server of the user's, and who shares an instance, is no project's to say", async () => {
  const project = { default: true, groups: ["all"], scope: "global", sharing: "shared", max: 3 };
  const { servers, notes } = await load({
    "project/.mcpx.json": {
      mcpServers: { db: { mcpx: project }, other: { aliasOf: "db", mcpx: project } },
    },
    [USER]: {
      mcpServers: {
        db: { command: "x", mcpx: { default: false, groups: ["g"], scope: "session", sharing: "exclusive" } },
      },
    },
  });
  for (const one of servers) {
    assert.deepEqual(
      [one.default, one.groups, one.scope, one.sharing, one.limits.max],
      [false, ["g"], "session", "exclusive", 3],
      one.name,
    );
  }
  assert.match(notes.join("\n"), /db\.mcpx\.default is ignored: a file of the user's says it/);
});

Deno.test("an alias of an alias, of itself or of nothing is an error of that server alone", async () => {
  const configuration = await load({
    [USER]: {
      mcpServers: {
        db: { command: "x" },
        a: { aliasOf: "db" },
        b: { aliasOf: "a" },
        c: { aliasOf: "c" },
        d: { aliasOf: "dbb" },
        e: { aliasOf: "db", command: "y" },
        bad: { command: "x", args: 1 },
        f: { aliasOf: "bad" },
      },
    },
  });
  const message = (name: string): string => server(configuration, name).error?.message ?? "";
  assert.equal(message("a"), "");
  assert.match(message("b"), /"a" is itself an alias; name "db" instead/);
  assert.match(message("c"), /is the server itself/);
  assert.match(message("d"), /names no server; did you mean db\?/);
  assert.match(message("e"), /both aliasOf and command/);
  assert.match(message("f"), /args must be a list/);
});

Deno.test("a written namespace that is illegal, reserved or claimed twice fails its claimants alone", async () => {
  const configuration = await load({
    [USER]: {
      mcpServers: {
        ok: { command: "x" },
        "12306-mcp": { command: "x" },
        bad: { command: "x", mcpx: { namespace: "a-b" } },
        own: { command: "x", mcpx: { namespace: "mcpx" } },
        one: { command: "x", mcpx: { namespace: "same" } },
        two: { command: "x", mcpx: { namespace: "same" } },
      },
    },
  });
  assert.equal(server(configuration, "12306-mcp").namespace, "_12306_mcp");
  assert.equal(server(configuration, "ok").error, undefined);
  assert.match(server(configuration, "bad").error?.message ?? "", /no legal identifier/);
  assert.ok(server(configuration, "own").error);
  for (const name of ["one", "two"]) {
    assert.match(server(configuration, name).error?.message ?? "", /"one" and "two" both claim it/);
  }
});

Deno.test("an entry that is mcpx itself is skipped with a note", async () => {
  const { servers, notes } = await load({
    "project/.mcp.json": {
      mcpServers: {
        a: { command: "mcpx", args: ["serve"] },
        b: { command: "npx", args: ["-y", "mcpx", "serve"] },
        c: { command: "deno", args: ["run", "-A", "/opt/mcpx/cli.ts", "serve"] },
        d: { command: "demo", args: ["serve"] },
      },
    },
  });
  assert.deepEqual(servers.map(({ name }) => name), ["d"]);
  assert.equal(notes.filter((note) => note.includes("it is mcpx itself")).length, 3);
});

Deno.test("a project's server starts in the project's folder, unless its scope is a folder", async () => {
  await using at = await testFolder({
    "project/.mcpx/config.json": {
      mcpServers: {
        a: { command: "x" },
        b: { command: "x", mcpx: { scope: "cwd" } },
        c: { command: "x", cwd: "~/y" },
      },
    },
  });
  const { servers } = await loadFrom(at);
  const cwds = servers.map(({ target }) => target.kind === "stdio" ? target.cwd : "");
  assert.deepEqual(cwds, [`${at.path}/project`, undefined, "~/y"]);
});

Deno.test("each source tells what it gave", async () => {
  const { sources } = await load({
    "project/.mcp.json": { mcpServers: { a: { command: "x" } }, exec: { timeout: 1 } },
    [USER]: '{"mcpServers": {"b": {"command": "x"}, "b": {"command": "y"}}}',
  });
  const mine = sources.filter(({ kind }) => kind !== "system");
  assert.deepEqual(mine.map(({ kind, servers, settings }) => [kind, servers, settings]), [
    ["project", ["a"], ["exec.timeout"]],
    ["user", ["b"], []],
  ]);
  assert.match(mine[1]?.notes[0] ?? "", /the key "b" is written twice/);
});
