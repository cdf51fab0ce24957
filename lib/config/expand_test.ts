import assert from "node:assert/strict";
import fc from "fast-check";
import { McpxError } from "../errors/mod.ts";
import { type ExpandOptions, expandString } from "./expand.ts";
import { type ExpandedServer, expandServer, type ExpandServerOptions } from "./expand_server.ts";
import { loadFrom, testFolder } from "./fixture_test.ts";
import { escapeTemplate } from "./template.ts";

const PLACE = { file: "/cfg/x.json", field: "mcpServers.demo.url", allowCommands: true };

async function expand(
  text: string,
  env: Record<string, string>,
  rest: Partial<ExpandOptions> = {},
): Promise<string> {
  return await expandString(text, { ...PLACE, env, ...rest });
}

async function server(
  entry: unknown,
  env: Record<string, string> = {},
  options: ExpandServerOptions = {},
): Promise<ExpandedServer> {
  await using at = await testFolder({ "home/.mcpx.json": { mcpServers: { demo: entry } } });
  const [demo] = (await loadFrom(at)).servers;
  assert.ok(demo);
  return await expandServer(demo, env, options);
}

Deno.test("every spelling of a variable expands", async () => {
  const env = { A: "1", EMPTY: "" };
  assert.equal(await expand("${A} ${env:A} $env:A $A ${A:-x}", env), "1 1 1 $A 1");
  assert.equal(
    await expand("${NONE:-d} ${env:NONE:-${A}} [${NONE:-}] [${EMPTY}] ${EMPTY:-d}", env),
    "d 1 [] [] d",
  );
  assert.equal(await expand("pa$$word $$ $${A} $$env:A", env), "pa$$word $$ ${A} $env:A");
});

Deno.test("a variable that is not set fails with its name, the file and the key", async () => {
  await assert.rejects(expand("https://${HOST}/", {}), (error) => {
    assert.ok(error instanceof McpxError);
    assert.equal(error.code, "missing-variable");
    assert.equal(
      error.message,
      "Cannot expand mcpServers.demo.url in /cfg/x.json: the variable HOST is not set.",
    );
    assert.deepEqual(error.data, { variable: "HOST", file: "/cfg/x.json", field: "mcpServers.demo.url" });
    return true;
  });
  await assert.rejects(expand("${constructor}", {}), { code: "missing-variable" });
});

Deno.test("what a variable holds is never expanded again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.constant("${B} $$ $env:B ${cmd:id}")), async (value) => {
      assert.equal(await expand("<${A}>", { A: value, B: "no" }), `<${value}>`);
      assert.equal(
        await expand("<${NONE:-${A}}>", { A: value, B: "no" }),
        value === "" ? "<>" : `<${value}>`,
      );
    }),
  );
});

Deno.test("an escaped text expands to itself", async () => {
  const text = fc.array(fc.constantFrom("$", "$$", "${", "}", "env:A", "A", "x")).map((parts) =>
    parts.join("")
  );
  await fc.assert(fc.asyncProperty(text, async (original) => {
    assert.equal(await expand(escapeTemplate(original), { A: "no" }), original);
  }));
});

Deno.test("inputs and unknown expressions fail with the reason", async () => {
  await assert.rejects(expand("${input:key}", {}), /asks a person in the editor/);
  await assert.rejects(expand("${a b}", {}), /no expression that mcpx knows; write \$\$/);
});

Deno.test("a file's content goes in trimmed, relative to the configuration's folder", async () => {
  await using at = await testFolder({ "key": " k3y \n" });
  const options = { file: `${at.path}/x.json` };
  assert.equal(await expand("<${file:key}>", {}, options), "<k3y>");
  assert.equal(await expand("<${file:~/key}>", { HOME: at.path }), "<k3y>");
  await assert.rejects(expand("${file:none}", {}, options), /the file \/.*\/none cannot be read/);
  await assert.rejects(expand("${file:.}", {}, options), /it is no regular file/);
});

Deno.test("commands and files do not work where the file is not trusted", async () => {
  for (const text of ["${cmd:echo x}", "${file:/etc/hostname}", "${NONE:-${cmd:echo x}}"]) {
    await assert.rejects(expand(text, {}, { allowCommands: false }), (error) => {
      assert.ok(error instanceof McpxError);
      assert.deepEqual([error.code, error.hint], ["untrusted-config", "mcpx trust /cfg/x.json"]);
      return true;
    });
  }
});

Deno.test("a command's output goes in trimmed, and its failures say why", async () => {
  const at = { folder: "/" };
  assert.equal(await expand("<${cmd:printf ' a b \\n\\n'}>", {}, at), "<a b>");
  await assert.rejects(
    expand("${cmd:echo no such item >&2; exit 44}", {}, at),
    /exit status 44: no such item\.$/,
  );
  await assert.rejects(expand("${cmd:true}", {}, at), /it printed nothing/);
  await assert.rejects(expand("${cmd:yes}", {}, at), /it printed more than 1048576 bytes/);
  await assert.rejects(
    expand("${cmd:sleep 60 & wait}", {}, { ...at, commandTimeoutMs: 50 }),
    /longer than 50 ms/,
  );
  await assert.rejects(expand("${cmd:echo x}", {}, { folder: "/no/such/folder" }), { code: "server-config" });
});

Deno.test("a slow command is waited for, with a message to everybody who waits", async () => {
  await using at = await testFolder();
  const gate = `${at.path}/gate`;
  await new Deno.Command("mkfifo", { args: [gate] }).output();
  const told = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const commands = new Map<string, Promise<string>>();
  const waiting = told.map(({ resolve }) =>
    expand(`\${cmd:cat ${gate}; echo x >> ${at.path}/runs}`, {}, {
      folder: at.path,
      commands,
      waitNoticeMs: 1,
      onWait: resolve,
    })
  );
  for (const { promise } of told) {
    assert.match(await promise, /Waiting for the command of mcpServers\.demo\.url/);
  }
  await Deno.writeTextFile(gate, "secret\n");
  assert.deepEqual(await Promise.all(waiting), ["secret", "secret"]);
  assert.equal(await Deno.readTextFile(`${at.path}/runs`), "x\n");
});

Deno.test("a command that failed runs again the next time", async () => {
  await using at = await testFolder();
  const options = { folder: at.path, commands: new Map<string, Promise<string>>() };
  await assert.rejects(expand("${cmd:cat key}", {}, options));
  await at.write("key", "k");
  assert.equal(await expand("${cmd:cat key}", {}, options), "k");
});

Deno.test("cancelling stops the command, and leaves one that others wait for", async () => {
  const alone = AbortSignal.abort();
  await assert.rejects(expand("${cmd:sleep 60}", {}, { folder: "/", signal: alone }), { code: "cancelled" });
  const controller = new AbortController();
  const running = expand("${cmd:sleep 60}", {}, {
    folder: "/",
    signal: controller.signal,
    waitNoticeMs: 1,
    onWait: () => controller.abort(),
  });
  await assert.rejects(running, { code: "cancelled" });

  const commands = new Map<string, Promise<string>>();
  const shared = { folder: "/", commands };
  const patient = expand("${cmd:echo v}", {}, shared);
  await assert.rejects(expand("${cmd:echo v}", {}, { ...shared, signal: alone }), { code: "cancelled" });
  assert.equal(await patient, "v");
});

Deno.test("everything about a process expands, and nothing literal is left", async () => {
  const { target, secrets } = await server(
    {
      command: "${BIN:-node}",
      args: ["--key=${KEY}", "$env:N"],
      env: { TOKEN: "${env:TOKEN}", PLAIN: "p", URL: "postgres://u:pa55word@h/db" },
      cwd: "~/w/../${N}/",
      envPassthrough: ["PROXY_PASSWORD", "UNSET"],
    },
    { KEY: "k-1234", N: "9", TOKEN: "t0ken", HOME: "/h", PROXY_PASSWORD: "pr0xy", OTHER: "x" },
  );
  assert.deepEqual(target, {
    kind: "stdio",
    command: "node",
    args: ["--key=k-1234", "9"],
    env: { PROXY_PASSWORD: "pr0xy", TOKEN: "t0ken", PLAIN: "p", URL: "postgres://u:pa55word@h/db" },
    cwd: "/h/9",
  });
  for (const secret of ["k-1234", "t0ken", "pr0xy", "pa55word"]) assert.ok(secrets.includes(secret), secret);
  for (const plain of ["9", "p", "/h", "node"]) assert.ok(!secrets.includes(plain), plain);
});

Deno.test("a relative command and folder start at the configuration's folder", async () => {
  await using at = await testFolder({
    "project/.mcp.json": { mcpServers: { a: { command: "./bin/x", cwd: "sub" }, b: { command: "bin/y" } } },
  });
  const targets = [];
  for (const one of (await loadFrom(at)).servers) targets.push((await expandServer(one, {})).target);
  const root = `${at.path}/project`;
  assert.deepEqual(targets.map((target) => target.kind === "stdio" ? [target.command, target.cwd] : []), [
    [`${root}/sub/bin/x`, `${root}/sub`],
    [`${root}/bin/y`, root],
  ]);
});

Deno.test("credentials become headers or a query, and are secrets", async () => {
  const url = "https://example.org/mcp";
  const reach = async (auth: unknown): Promise<[string, Record<string, string>, string[]]> => {
    const { target, secrets } = await server({ url, headers: { authorization: "old" }, auth }, {
      T: "se cret",
    });
    assert.ok(target.kind === "http");
    return [target.url, target.headers, secrets];
  };
  assert.deepEqual((await reach({ bearer: "${T}" })).slice(0, 2), [url, { Authorization: "Bearer se cret" }]);
  const [, basic, secrets] = await reach({ type: "basic", username: "ü", password: "${T}" });
  assert.deepEqual(basic, { Authorization: `Basic ${new TextEncoder().encode("ü:se cret").toBase64()}` });
  assert.ok(secrets.includes("se cret") && secrets.includes(basic.Authorization?.slice(6) ?? ""));
  assert.deepEqual((await reach({ header: { name: "X-Key", value: "${T}" } }))[1], {
    authorization: "old",
    "X-Key": "se cret",
  });
  const [withQuery, , querySecrets] = await reach({ query: { name: "k", value: "${T}" } });
  assert.equal(withQuery, `${url}?k=se+cret`);
  assert.ok(querySecrets.includes("se+cret") && querySecrets.includes("se cret"));
});

Deno.test("an unset variable fails before connecting, in whichever string it stands", async () => {
  const url = "https://example.org/";
  for (
    const [entry, field] of [
      [{ command: "x", args: ["a", "${NONE}"] }, "args[1]"],
      [{ command: "x", env: { A: "${NONE}" } }, "env.A"],
      [{ command: "x", cwd: "${NONE}" }, "cwd"],
      [{ command: "${NONE}" }, "command"],
      [{ url: "https://${NONE}/" }, "url"],
      [{ url, headers: { A: "${NONE}" } }, "headers.A"],
      [{ url, auth: { bearer: "${NONE}" } }, "auth.token"],
    ] as const
  ) {
    await assert.rejects(server(entry), (error) => {
      assert.ok(error instanceof McpxError);
      assert.equal(error.code, "missing-variable");
      assert.ok(error.message.includes(`mcpServers.demo.${field} in `), error.message);
      return true;
    });
  }
});

Deno.test("what expands to an unusable url or header is refused", async () => {
  await assert.rejects(server({ url: "${U}" }, { U: "file:///etc/passwd" }), /a whole URL/);
  const url = "https://example.org/";
  await assert.rejects(server({ url, headers: { A: "${H}" } }, { H: "a\r\nB: c" }), /line break/);
  await assert.rejects(server({ url, headers: { "a b": "c" } }), /cannot be the name of a header/);
});

Deno.test("the digest follows everything that shapes the process, and nothing else", async () => {
  const entry = { command: "x", args: ["${A}"], env: { B: "b", C: "c" }, envPassthrough: ["P"] };
  const digest = async (change: unknown, env: Record<string, string> = {}): Promise<string> =>
    (await server({ ...entry, ...change as object }, { A: "a", ...env })).digest;
  const base = await digest({});
  assert.equal(
    await digest({ env: { C: "c", B: "b" }, mcpx: { max: 3, tools: ["x"] } }, { UNUSED: "u" }),
    base,
  );
  const others = [
    await digest({}, { A: "other" }),
    await digest({}, { P: "p" }),
    await digest({ cwd: "/" }),
    await digest({ mcpx: { protocol: "legacy" } }),
    await digest({ env: { B: "b" } }),
  ];
  assert.equal(new Set([base, ...others]).size, 6);
});

Deno.test("a server of an untrusted file expands no command, whoever made its definition", async () => {
  await using at = await testFolder({
    "home/.mcpx.json": { mcpServers: { demo: { command: "${cmd:echo x}" } } },
  });
  const [demo] = (await loadFrom(at)).servers;
  assert.ok(demo);
  const untrusted = { ...demo, source: { ...demo.source, trusted: false } };
  await assert.rejects(expandServer(untrusted, {}), { code: "untrusted-config" });
  const alias = { ...demo, targetSource: untrusted.source };
  await assert.rejects(expandServer(alias, {}), { code: "untrusted-config" });
});

Deno.test("a server with an error of its own is not expanded", async () => {
  await assert.rejects(server({ command: "x", url: "https://x/" }), { code: "server-config" });
});
