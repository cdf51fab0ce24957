import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually, fixtureServer, realServer, World } from "../support/world.ts";

interface Tool {
  name: string;
  wireName: string;
  findings?: { message: string; hint?: string }[];
}

const COUNT = 37;
const BROKEN = 8;

Deno.test("names that are no identifiers, schemas that are odd and results of every kind come through", async (t) => {
  await using world = await World.open({
    mcpServers: { odd: fixtureServer("odd.mjs", { ODD: "broken" }), other: fixtureServer("odd.mjs") },
  });
  const call = (...words: string[]) => world.json(["call", ...words]);
  const tools = (await world.json(["tools", "odd"])).value.tools as Tool[];
  const finding = (wire: string): string =>
    JSON.stringify(tools.find(({ wireName }) => wireName === wire)?.findings ?? []);

  await t.step("one bad tool never hides the rest, and is flagged and callable", async () => {
    assert.equal(tools.length, COUNT + BROKEN);
    assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
    assert.match(finding("schemaless"), /inputSchema/);
    assert.match(finding("stringly"), /object/);
    assert.match(finding("integral"), /did you mean .*integer/i);
    assert.match(finding("nested"), /required/);
    assert.match(finding("dangling"), /Nowhere/);
    assert.match(finding("bare"), /no parameters/i);
    assert.match(finding("badoutput"), /outputSchema/);
    for (const name of ["schemaless", "stringly", "integral", "dangling"]) {
      assert.equal((await call(`odd.${name}`)).value.result, `called ${name}`);
    }
  });

  await t.step("the types of such tools pass deno check", async () => {
    const file = join(world.root, "odd.d.ts");
    await Deno.writeTextFile(file, (await world.run(["types", "odd"])).stdout);
    const script = join(world.root, "uses.ts");
    await Deno.writeTextFile(
      script,
      `/// <reference path="./odd.d.ts" />\nawait odd.delete({}); await odd["get-user"](); await odd.get_user(); await odd.then_();\n` +
        `await odd.reference({ r: { q: "x" } }); await odd.recursive({ node: { children: [{ children: [] }] } }); await odd.nullable({ a: null });\nexport {};\n`,
    );
    const check = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--no-config", "--no-lock", script],
      env: { NO_COLOR: "1" },
    }).output();
    assert.equal(check.code, 0, new TextDecoder().decode(check.stderr));
  });

  await t.step("every spelling sends the tool's own name", async () => {
    const { value } = await world.json([
      "exec",
      `return [await odd["get-user"](), await odd.get_user(), await odd.then_(), await call("odd.then"), await call("odd.naïve 日本"), typeof (await odd)]`,
    ]);
    assert.deepEqual(value.result, [
      "called get-user",
      "called get-user",
      "called then",
      "called then",
      "called naïve 日本",
      "object",
    ]);
  });

  await t.step("a bare name that two servers have is refused with both", async () => {
    const { code, value } = await call("get-user");
    assert.equal(code, 1);
    assert.equal((value.error as { code: string }).code, "ambiguous-tool");
    assert.match(JSON.stringify(value.error), /odd\.get.user.*other\.get.user/);
  });

  await t.step("arguments keep what was typed where the schema says string", async () => {
    const { value } = await call("odd.arguments", "pin=000123", "count=5", "on=true", "tags=a", "tags=b");
    assert.deepEqual(value.result, { pin: "000123", count: 5, on: true, tags: ["a", "b"] });
    for (const typed of ["null", "true", "1e3", "9007199254740993", "{}"]) {
      assert.equal(
        ((await call("odd.arguments", `pin=${typed}`)).value.result as { pin: string }).pin,
        typed,
      );
    }
    const refused = await call("odd.arguments", "count=many");
    assert.equal(refused.code, 2);
    assert.match(JSON.stringify(refused.value), /count/);
  });

  await t.step("UTF-16, a byte order mark and a file are read alike", async () => {
    const utf16 = new Uint8Array([
      0xff,
      0xfe,
      ...new Uint8Array(Uint16Array.from('{"pin":"é"}', (letter) => letter.charCodeAt(0)).buffer),
    ]);
    for (const stdin of [utf16, '\ufeff{"pin":"é"}']) {
      const { stdout } = await world.run(["call", "odd.arguments", "-"], { stdin });
      assert.deepEqual(JSON.parse(stdout), { pin: "é" });
    }
    await Deno.writeFile(join(world.project, "arguments.json"), utf16);
    assert.deepEqual((await call("odd.arguments", "--args", "@arguments.json")).value.result, { pin: "é" });
  });

  await t.step("results lose nothing", async () => {
    assert.deepEqual((await call("odd.structured")).value.result, { n: 7 });
    assert.deepEqual((await call("odd.unstructured")).value.result, { n: 7 });
    assert.match((await world.run(["call", "odd.bignumber"])).stdout, /9007199254740993/);
    assert.equal((await call("odd.unicode")).value.result, "日本語 🧳 \u2028 end");
    assert.deepEqual((await call("odd.hologram")).value.result, [{ type: "hologram", depth: 3 }, "after"]);
    assert.deepEqual((await call("odd.words")).value.result, "error");
    const picture = await world.run(["call", "odd.picture"]);
    assert.match(picture.stdout, /\.png \(image\/png, 8 B\)/);
    assert.doesNotMatch(picture.stdout, /iVBORw0KGgo/);
  });

  await t.step(
    "a result that does not fit its schema is given with a warning, and refused when asked to be strict",
    async () => {
      const { code, value } = await call("odd.misfit");
      assert.equal(code, 0);
      assert.deepEqual(value.result, { n: "seven" });
      assert.match(JSON.stringify(value.notes), /\/structuredContent\/n/);
      const strict = await call("odd.misfit", "--output-strict");
      assert.equal((strict.value.error as { code: string }).code, "result-schema");
    },
  );

  await t.step("failures exit 1 with a code of their own each, and isError keeps all its parts", async () => {
    const codes: unknown[] = [];
    for (const name of ["odd.failing", "odd.refusing", "odd.nothing", "nobody.x", "odd.exit"]) {
      const { code, value } = await call(name);
      assert.equal(code, 1, name);
      codes.push((value.error as { code: string }).code);
    }
    assert.deepEqual(codes, [
      "tool-error",
      "upstream-error",
      "unknown-tool",
      "unknown-server",
      "upstream-exited",
    ]);
    const { value } = await call("odd.failing");
    const { message, data } = value.error as { message: string; data: { structuredContent: unknown } };
    assert.equal(message, "boom");
    assert.deepEqual(data.structuredContent, { code: "RATE", retry: 30 });
    const caught = await world.json([
      "exec",
      "try { await odd.failing() } catch (error) { return [error.message, error.data.structuredContent] }",
    ]);
    assert.deepEqual(caught.value.result, ["boom", { code: "RATE", retry: 30 }]);
  });

  await t.step("a large result comes through a pipe whole, to the last byte", async () => {
    const { stdout } = await world.run(["call", "odd.sized", `bytes=${8 * 1024 ** 2}`]);
    assert.equal(stdout.length, 4 * 1024 ** 2 + 1);
    const script = await world.json([
      "exec",
      `return (await odd.sized({ bytes: ${32 * 1024 ** 2} })).length`,
    ]);
    assert.equal(script.value.result, 16 * 1024 ** 2);
  });
});

Deno.test("pages, noise, floods on stderr and split characters change nothing", async () => {
  await using world = await World.open({
    mcpServers: {
      odd: fixtureServer("odd.mjs", { ODD: "pages,noise,stderr,chunks" }),
      loop: fixtureServer("odd.mjs", { ODD: "pages,loop" }),
    },
  });
  for (const server of ["odd", "loop"]) {
    assert.equal(((await world.json(["tools", server])).value.tools as Tool[]).length, COUNT);
  }
  assert.equal((await world.json(["call", "odd.unicode"])).value.result, "日本語 🧳 \u2028 end");
});

Deno.test("a call that may have taken effect is never sent again, unless the tool only reads", async () => {
  await using world = await World.open({});
  const log = join(world.root, "effects.log");
  await world.configure({ mcpServers: { odd: fixtureServer("odd.mjs", { LOG: log }) } });
  const { code, value } = await world.json(["call", "odd.count"]);
  assert.equal(code, 1);
  assert.match(JSON.stringify(value.error), /outcome is unknown/);
  const effects = async (): Promise<string[]> =>
    (await Deno.readTextFile(log)).split("\n").filter((line) => line.startsWith("effect"));
  assert.deepEqual(await effects(), ["effect count"]);
  await world.json(["call", "odd.reading"]);
  assert.deepEqual(await effects(), ["effect count", "effect reading", "effect reading"]);
});

Deno.test("progress extends a call's time, the whole is bounded, and the error names the limit", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  const worked = await world.json([
    "call",
    "odd.working",
    "steps=6",
    "every=200",
    "--pool-call-timeout",
    "500ms",
  ]);
  assert.equal(worked.value.result, "worked");
  const whole = await world.json([
    "call",
    "odd.working",
    "steps=50",
    "every=100",
    "--pool-call-timeout",
    "500ms",
    "--pool-max-total",
    "1s",
  ]);
  assert.equal(whole.code, 124);
  assert.match(
    JSON.stringify(whole.value.error),
    /no answer after 1s \(pool\.maxTotal \(--pool-max-total\)\)/,
  );
  const silent = await world.json(["call", "odd.silent", "--pool-call-timeout", "300ms"]);
  assert.equal(silent.code, 124);
  assert.match(JSON.stringify(silent.value.error), /for 300ms \(pool\.callTimeout \(--pool-call-timeout\)\)/);
});

Deno.test("a caller that goes away cancels the call upstream", async () => {
  await using world = await World.open({});
  const log = join(world.root, "requests.log");
  await world.configure({ mcpServers: { odd: fixtureServer("odd.mjs", { LOG: log }) } });
  await world.run(["ls"]);
  const child = world.spawn(["call", "odd.silent"]);
  const logged = (line: string) => async () => (await Deno.readTextFile(log)).includes(line);
  await eventually(logged("tools/call silent"), "the call has arrived");
  child.kill("SIGINT");
  assert.equal((await child.output()).code, 130);
  await eventually(logged("notifications/cancelled requestId"), "the cancellation has arrived");
});

Deno.test("a storm of notices costs two readings, and the new tool is there", async () => {
  await using world = await World.open({});
  const log = join(world.root, "requests.log");
  await world.configure({ mcpServers: { odd: fixtureServer("odd.mjs", { LOG: log }) } });
  await world.run(["ls"]);
  await world.run(["call", "odd.words"]);
  const readings = async (): Promise<number> =>
    (await Deno.readTextFile(log)).split("\n").filter((line) => line === "tools/list").length;
  const before = await readings();
  await world.run(["call", "odd.changing"]);
  await eventually(async () => {
    const { value } = await world.json(["tools", "odd", "--cached"]);
    return (value.tools as Tool[]).some(({ name }) => name.startsWith("odd.new_"));
  }, "the new tool is listed");
  const history = await world.json(["history", "show", "odd"]);
  assert.match(JSON.stringify(history.value.changes), /tool-added/);
  assert.ok(await readings() - before <= 2, `${await readings() - before} readings`);
});

Deno.test("a child sees PATH, HOME and the locale, and nothing else of the caller's environment unless it is named", async () => {
  await using world = await World.open({
    mcpServers: {
      closed: fixtureServer("odd.mjs"),
      open: { ...fixtureServer("odd.mjs"), envPassthrough: ["ALSO_SEEN"] },
    },
  });
  const env = { SECRET_TOKEN: "secret", ALSO_SEEN: "yes" };
  const seen = async (server: string): Promise<string[]> =>
    JSON.parse((await world.run(["call", `${server}.environment`], { env })).stdout);
  const closed = await seen("closed");
  for (const name of ["PATH", "HOME", "LANG"]) assert.ok(closed.includes(name), name);
  assert.ok(!closed.includes("SECRET_TOKEN") && !closed.includes("ALSO_SEEN"));
  assert.ok((await seen("open")).includes("ALSO_SEEN"));
});

Deno.test("a failed start gives its own reason", async () => {
  await using world = await World.open({});
  const unauthorized = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => undefined },
    () => new Response("no", { status: 401 }),
  );
  try {
    await world.configure({
      mcpServers: {
        missing: { command: "a-program-that-is-not-there" },
        nowhere: { command: "node", cwd: "/a/folder/that/is/not/there" },
        exits: { command: "sh", args: ["-c", "echo the reason >&2; exit 1"] },
        silent: { command: "sleep", args: ["60"], mcpx: { startTimeout: "500ms" } },
        closed: { url: `http://127.0.0.1:${unauthorized.addr.port}/mcp` },
        nobody: { url: "http://a-host-that-is-not-there.invalid/mcp" },
        unset: { url: "http://127.0.0.1/${A_VARIABLE_THAT_IS_NOT_SET}" },
      },
    });
    const codes: Record<string, unknown> = {};
    for (const server of ["missing", "nowhere", "exits", "silent", "closed", "nobody", "unset"]) {
      const { value } = await world.json(["call", `${server}.x`]);
      const error = value.error as { code: string; message: string; hint?: string };
      assert.ok(error.hint, `${server} has a hint`);
      codes[server] = error.code;
      if (server === "exits") assert.match(error.message, /the reason/);
    }
    assert.deepEqual(codes, {
      missing: "upstream-command-missing",
      nowhere: "upstream-cwd-missing",
      exits: "upstream-start-exited",
      silent: "upstream-start-timeout",
      closed: "upstream-unauthorized",
      nobody: "upstream-dns",
      unset: "missing-variable",
    });
    const { code, value } = await world.json(["ls"]);
    assert.equal(code, 0);
    assert.equal((value.servers as { state: string }[]).filter(({ state }) => state === "error").length, 7);
  } finally {
    await unauthorized.shutdown();
  }
});

Deno.test("a result that cannot be stored is given whole, since the call has taken effect", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.configureUser({ artifact: { quota: "1KiB" } });
  await world.run(["ls"]);
  const body = JSON.stringify({ tool: "odd.sized", arguments: { bytes: 100_000 }, preview: true });
  const answer = await (await world.http("/v1/call", { method: "POST", body })).json();
  assert.equal(answer.result.length, 50_000);
  assert.match(answer.notes.join(), /artifact\.quota.*given whole/);
});

Deno.test("a server that never answers tools/list holds the others up no longer than it may take to start", async () => {
  await using world = await World.open({
    mcpServers: {
      odd: fixtureServer("odd.mjs"),
      dumb: { ...fixtureServer("odd.mjs", { ODD: "listless" }), mcpx: { startTimeout: "500ms" } },
    },
  });
  const { value } = await world.json(["ls"]);
  const states = (value.servers as { server: string; error?: { code: string } }[]).map((
    { server, error },
  ) => [server, error?.code]);
  assert.deepEqual(states, [["odd", undefined], ["dumb", "call-timeout"]]);
});

Deno.test("what could not be started is in the status, with why and when it is tried again", async () => {
  await using world = await World.open({
    mcpServers: { broken: { command: "node", args: ["-e", "console.error('no licence'); process.exit(3)"] } },
  });
  await world.run(["ls"]);
  const { value } = await world.json(["status"]);
  const [failure, ...others] = value.failures as Record<string, unknown>[];
  assert.deepEqual(others, []);
  assert.deepEqual([failure?.server, failure?.code], ["broken", "upstream-start-exited"]);
  assert.match(JSON.stringify(failure), /no licence/);
  assert.ok(Date.parse(String(failure?.retryAt)) > 0);
  assert.match((await world.run(["status"])).stdout, /failures\n.*\nbroken /);
});

Deno.test("what a server of the user's own may touch is what its entry says, wherever it is called from", async () => {
  await using world = await World.open({});
  const open = `${world.root}/open`;
  await Deno.mkdir(open);
  const home = world.env.HOME ?? "";
  await Deno.mkdir(`${home}/.config/mcpx`, { recursive: true });
  const files = realServer("@modelcontextprotocol/server-filesystem", open);
  const scoped = { ...files, mcpx: { scope: "cwd" } };
  await Deno.writeTextFile(
    `${home}/.config/mcpx/config.json`,
    JSON.stringify({ mcpServers: { files, scoped } }),
  );
  for (const cwd of [world.root, open]) {
    for (let time = 0; time < 2; time++) {
      const { stdout } = await world.run(["call", "files.list_allowed_directories"], { cwd });
      assert.ok(stdout.includes(`directories:\\n${open}"`), stdout);
    }
  }
  await eventually(
    async () =>
      (await world.run(["call", "scoped.list_allowed_directories"])).stdout.includes(
        `directories:\\n${world.project}"`,
      ),
    "the server has asked for its caller's folder",
  );
});
