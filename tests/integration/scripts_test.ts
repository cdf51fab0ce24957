import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually, fixtureServer, World } from "../support/world.ts";

const DEMO = { mcpServers: { demo: fixtureServer("plain_tools.mjs") } };

type Body = Record<string, unknown>;

async function exec(world: World, body: Body, settings: Body = {}): Promise<Body> {
  const response = await world.http("/v1/exec", {
    method: "POST",
    body: JSON.stringify(body),
    headers: {
      "x-mcpx-caller": JSON.stringify({ cwd: world.project }),
      "x-mcpx-settings": JSON.stringify(settings),
    },
  });
  return await response.json();
}

/** Calls `mcpx_exec` and gives what came back. */
async function overMcp(world: World, input: Body, settings: Body = {}): Promise<string> {
  const response = await world.http("/mcp", {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "mcpx_exec",
      "x-mcpx-settings": JSON.stringify(settings),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "mcpx_exec",
        arguments: input,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  return await response.text();
}

Deno.test("an agent gets nothing but tools until the user's own file says otherwise", async () => {
  await using world = await World.open(DEMO);
  const config = join(world.env.HOME ?? "", ".config/mcpx");
  await Deno.mkdir(config, { recursive: true });
  await Deno.writeTextFile(join(world.project, "data.txt"), "hello");
  const input = { code: "return typeof Deno", profile: "read" };
  await world.run(["exec", "return 1"]);
  const none = await overMcp(world, input);
  assert.match(none, /"result":"undefined"/);
  assert.match(none, /script.permissionsMaxAgent/);
  await world.run(["stop"]);
  await Deno.writeTextFile(
    join(config, "config.json"),
    JSON.stringify({ script: { permissionsMaxAgent: "read" } }),
  );
  await world.run(["exec", "return 1"]);
  const read = await overMcp(world, { code: 'return await Deno.readTextFile("data.txt")', profile: "read" });
  assert.match(read, /"result":"hello"/);
  const wider = await overMcp(world, { ...input, code: "return 1", profile: "none", allowRead: ["/etc"] });
  assert.match(wider, /"granted":{}/);
});

Deno.test("a profile grants what it says, and what a ceiling takes away is said", async () => {
  await using world = await World.open(DEMO);
  await Deno.writeTextFile(join(world.project, "data.txt"), "hello");
  const read = 'return await Deno.readTextFile("data.txt")';
  const { value } = await world.json(["exec", read, "--profile", "read"]);
  assert.equal(value.result, "hello");
  assert.deepEqual(value.permissions, {
    requested: "read",
    granted: { read: [await Deno.realPath(world.project)] },
  });

  const unknown = await world.json(["exec", "return 1", "--profile", "raed"]);
  assert.equal(unknown.code, 2);
  assert.equal((unknown.value.error as Body).code, "unknown-profile");

  const seen = await world.json([
    "exec",
    'return [Deno.env.get("ONE"), Deno.env.get("HOME") ?? null]',
    "--allow-env=ONE",
  ], {
    env: { ONE: "1" },
  });
  assert.deepEqual(seen.value.result, ["1", null]);
  const echoed = await world.json([
    "exec",
    'return (await new Deno.Command("echo", { args: ["hi"] }).output()).stdout.length',
    "--allow-run=echo",
  ]);
  assert.equal(echoed.value.result, 3);
  const refused = await world.json([
    "exec",
    'return await new Deno.Command("id").output()',
    "--allow-run=echo",
  ]);
  assert.equal(refused.code, 1);
  const file = await world.json([
    "exec",
    'return await Deno.readTextFile("/etc/hostname")',
    "--allow-read=/etc/hostname",
  ]);
  assert.equal(file.value.result, await Deno.readTextFile("/etc/hostname"));
  const nothing = await world.json(["exec", "return 1", "--allow-read=./missing"]);
  assert.equal(nothing.code, 2);

  await world.run(["stop"]);
  const max = { env: { MCPX_SCRIPT_PERMISSIONS_MAX: "write" } };
  const lowered = await world.json(["exec", `return typeof Deno`, "--profile", "read"], max);
  assert.equal(lowered.value.result, "undefined");
  const { clampedBy, granted } = lowered.value.permissions as { clampedBy: Body; granted: Body };
  assert.deepEqual(granted, {});
  assert.equal(clampedBy.setting, "script.permissionsMax");
  assert.equal(clampedBy.source, "MCPX_SCRIPT_PERMISSIONS_MAX");
  assert.match(String((lowered.value.notes as string[])[0]), /given less than read/);
});

Deno.test("a project's file lowers a ceiling and never raises it; hooks and profiles of it wait for trust", async () => {
  await using world = await World.open({
    ...DEMO,
    script: { permissionsMaxAgent: "all", permissionsMax: "read", profile: "read", before: "emit('hook')" },
  });
  const { value } = await world.json(["exec", "return typeof Deno"]);
  assert.equal(value.result, "undefined");
  assert.equal(value.results, undefined);
  const max = await world.json(["settings", "get", "script.permissionsMax"]);
  assert.equal(max.value.text, "read");
  const agent = await world.json(["settings", "get", "script.permissionsMaxAgent"]);
  assert.equal(agent.value.text, "none");
  const wide = await world.json(["exec", "return 1", "--profile", "write"]);
  assert.equal(((wide.value.permissions as Body).clampedBy as Body).value, "read");
});

Deno.test("a scratch folder is a run's own and gone with it", async () => {
  await using world = await World.open(DEMO);
  const { value } = await world.json([
    "exec",
    'await Deno.mkdir("a/b", { recursive: true }); await Deno.writeTextFile("a/b/c.txt", "x"); return args.scratch',
    "--allow-write",
  ]);
  assert.match(String(value.result), /scratch/);
  await assert.rejects(Deno.stat(String(value.result)), Deno.errors.NotFound);
  const taken = await world.json(["exec", "return 1", "scratch=x", "--allow-write"]);
  assert.equal(taken.code, 2);
});

Deno.test("hooks run around every script in its sandbox, files and snippets alike, and see how it ended", async () => {
  await using world = await World.open(DEMO);
  const config = join(world.env.HOME ?? "", ".config/mcpx");
  await Deno.mkdir(config, { recursive: true });
  await Deno.writeTextFile(join(config, "after.ts"), "emit(['after', outcome.result as number])");
  await Deno.writeTextFile(
    join(config, "config.json"),
    JSON.stringify({
      script: {
        before: "emit('before')",
        onSuccess: "./after.ts",
        onError: "emit(outcome.error.message); throw 1",
      },
    }),
  );
  await Deno.writeTextFile(join(world.project, "one.ts"), "return 1");
  for (const words of [["exec", "return 1"], ["run", "./one.ts"]]) {
    const { value } = await world.json(words);
    assert.deepEqual(value.results, ["before", ["after", 1]]);
  }
  const failed = await world.json(["exec", "throw new Error('no')"]);
  assert.deepEqual(failed.value.results, ["before", "no"]);
  assert.equal((failed.value.error as Body).message, "no");
  assert.match(JSON.stringify(failed.value.logs), /script.onError failed/);
  const stopped = await world.json(["exec", "return 1", "--script-before", "throw new Error('stop')"]);
  assert.match(String((stopped.value.error as Body).message), /script.before failed: Error: stop/);
  const off = await world.json(["exec", "return 1", "--hooks-autonomy", "off"]);
  assert.equal(off.value.results, undefined);
  // A request over HTTP brings source; no file is read for it.
  const file = await exec(world, { code: "return 1" }, { "script.before": "/etc/hostname" });
  assert.equal((file.error as Body).code, "invalid-input");
});

Deno.test("a dry run makes the calls that only read, says which others it would make, and runs after a yes", async () => {
  await using world = await World.open(DEMO);
  const code =
    "const { a } = await demo.echo({ a: 1 }); const n = await demo.note({ text: 'x' }); await artifact('f', 'y'); return [a, n.id, n.raw._meta]";
  const { value, code: exit } = await world.json(["exec", code, "--dry-run"]);
  assert.equal(exit, 0);
  assert.deepEqual(value.result, [1, 0, { "dev.mcpx/dryRun": true }]);
  assert.deepEqual((value.planned as { tool: string }[]).map(({ tool }) => tool), ["demo.note", "artifact"]);
  assert.match(JSON.stringify(value.notes), /Would call demo.note/);
  const listed = await world.json(["artifact", "list"]);
  assert.deepEqual(listed.value.artifacts, []);
  const first = await world.json(["exec", "return (await demo.note({ text: 'x' })).id"]);
  assert.equal(first.value.result, 1, "nothing was written before");

  const asked = await world.json(["exec", code, "--approve"]);
  assert.equal(asked.code, 75, JSON.stringify(asked.value));
  const questions = await world.json(["elicit", "list"]);
  const [question] = questions.value.questions as { id: string; message: string }[];
  assert.match(question?.message ?? "", /Would call demo.note/);
  await world.run(["elicit", "answer", question?.id ?? "", "confirm=true"]);
  await eventually(async () => {
    const { value } = await world.json(["artifact", "list"]);
    return (value.artifacts as unknown[]).length === 1;
  }, "the approved run stores its artifact");
});

Deno.test("types are checked in memory, with the user's line and column", async () => {
  await using world = await World.open(DEMO);
  const good =
    'import { demo } from "mcpx";\nexport default async (a: { n: number }) => (await demo.echo({ n: a.n }) as { n: number }).n;';
  const fits = await world.json(["exec", good, "n=2", "--typecheck"]);
  assert.equal(fits.value.result, 2, JSON.stringify(fits.value.error));
  const bad =
    'const n: number = await demo.note({ text: 1 });\nlog.with({ a: 1 }).info("x");\nreturn nowhere;';
  const { code, value } = await world.json(["exec", bad, "--typecheck", "--no-diagnose-preflight"]);
  assert.equal(code, 1);
  const error = value.error as {
    code: string;
    message: string;
    data: { problems: { line: number; column: number }[] };
  };
  assert.equal(error.code, "script-types");
  assert.deepEqual(error.data.problems.map(({ line, column }) => [line, column]), [[1, 7], [1, 37], [3, 8]]);
  const leak = await world.json([
    "exec",
    '/// <reference path="/etc/hostname" />\nimport x from "/etc/hostname";\nreturn x',
    "--typecheck",
  ]);
  assert.ok(!JSON.stringify(leak.value).includes((await Deno.readTextFile("/etc/hostname")).trim() + "'"));
});

Deno.test("the declared types of a script's globals are what they give", async () => {
  await using world = await World.open(DEMO);
  const code =
    `const found: { name: string; wireName: string; server: string; signature: string; score: number } = (await search("echo"))[0]!;
    const told: mcpx.ToolDescription = await describe("demo.echo"); const kept: mcpx.Artifact = await artifact("f.txt", "x");
    const keys = (value: object, known: string[]) => Object.keys(value).filter((key) => !known.includes(key));
    return [keys(found, ["name", "wireName", "server", "signature", "score", "description", "annotations"]),
      keys(told, ["tool", "types", "inputSchema", "outputSchema"]), keys(kept, ["id", "name", "path", "mimeType", "bytes"]),
      typeof found.score, told.tool.name, typeof told.types, kept.bytes, typeof log, typeof log.with({}).info]`;
  const { value } = await world.json(["exec", code, "--typecheck"]);
  assert.deepEqual(value.result, [[], [], [], "number", "demo.echo", "string", 1, "function", "function"]);
});

Deno.test("scripts and artifacts are listed, read and removed", async () => {
  await using world = await World.open(DEMO);
  const folder = join(world.project, ".mcpx/scripts");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "hello.ts"), "// Says hello. And more.\nreturn 'hello'");
  const scripts = await world.json(["scripts"]);
  const hello = (scripts.value.scripts as Body[]).find(({ name }) => name === "hello");
  assert.equal(hello?.summary, "Says hello.");
  assert.equal((await world.json(["run", "hello"])).value.result, "hello");
  const { value } = await world.json(["exec", "return await artifact('r.json', { a: 1 })"]);
  const { id } = value.result as { id: string };
  assert.equal((await world.json(["artifact", "get", id, "--content"])).value.text, '{"a":1}');
  assert.equal((await world.json(["artifact", "delete", id])).value.deleted, id);
  assert.equal((await world.json(["artifact", "get", id])).code, 1);
});

/** Each limit with the code and the sentence that it yields, and the exit status. */
const LIMITS: [source: string, settings: Body, code: string, says: RegExp, exit: number][] = [
  [
    "for (;;);",
    { "exec.timeout": "300ms" },
    "script-timeout",
    /ran longer than 300 ms \(exec.timeout\)/,
    124,
  ],
  ["for (;;);", { "exec.cpu": "1s" }, "script-cpu", /more than 1 s of CPU time \(exec.cpu\)/, 1],
  [
    "for (;;) await demo.echo({})",
    { "exec.maxCalls": 3 },
    "script-calls",
    /more than 3 calls and look-ups \(exec.maxCalls\)/,
    1,
  ],
  [
    "for (;;) console.log('x'.repeat(100))",
    { "exec.maxOutput": "1000B" },
    "script-output",
    /printed more than 1000 bytes \(exec.maxOutput\)/,
    1,
  ],
  [
    "return 'x'.repeat(2000)",
    { "exec.maxResult": "1000B" },
    "script-result",
    /larger than 1000 bytes \(exec.maxResult\)/,
    1,
  ],
  [
    "await artifact('a', 'x'.repeat(2000))",
    { "exec.maxArtifacts": "1000B" },
    "script-storage",
    /more than 1000 bytes as artifacts \(exec.maxArtifacts\)/,
    1,
  ],
  [
    "await demo.never({})",
    { "exec.maxWait": "300ms", "exec.timeout": "60s" },
    "script-timeout",
    /waited longer than 300 ms \(exec.maxWait\)/,
    124,
  ],
  [
    "const a = []; for (;;) a.push(new Uint8Array(5e7).fill(1))",
    {},
    "script-memory",
    /more memory than its limit \(exec.heap\)/,
    1,
  ],
];

Deno.test("each limit yields its own sentence and exit status, over HTTP, on the command line and over MCP", async () => {
  await using world = await World.open(DEMO);
  await world.run(["exec", "return 1"]);
  for (const [code, settings, wanted, says, exit] of LIMITS) {
    const answer = await exec(world, { code }, settings);
    const error = answer.error as { code: string; message: string };
    assert.deepEqual([error.code, answer.exitCode], [wanted, exit], code);
    assert.match(error.message, says);
    const flags = Object.entries(settings).map(([path, value]) =>
      `--${path.replace(".", "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`
    );
    const shown = await world.run(["exec", code, ...flags]);
    assert.equal(shown.code, exit, shown.stderr);
    assert.match(shown.stderr, says);
  }
  const [code] = LIMITS[2] ?? [""];
  const text = await overMcp(world, { code }, { "exec.maxCalls": 3 });
  assert.match(text, /"isError":true/);
  assert.match(text, /more than 3 calls and look-ups/);
});

Deno.test("what a script emits and logs is streamed, and a caller that goes away ends the run", async () => {
  await using world = await World.open(DEMO);
  await world.run(["exec", "return 1"]);
  const { socket, pid } = await world.daemon();
  const sandboxes = async (): Promise<number> =>
    (await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`)).trim().split(" ").length;
  const before = await sandboxes();
  for (const accept of ["text/event-stream", "application/json"]) {
    using client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
    const abort = new AbortController();
    const file = join(world.root, "tmp", "ping");
    const asked = fetch("http://localhost/v1/exec", {
      method: "POST",
      headers: { "content-type": "application/json", accept },
      body: JSON.stringify({ code: "emit({ a: 1 }); log.info('x', { b: 2 }); for (;;);" }),
      signal: abort.signal,
      client,
    });
    if (accept === "text/event-stream") {
      const reader = (await asked).body?.pipeThrough(new TextDecoderStream()).getReader();
      let seen = "";
      while (!seen.includes("event: log")) seen += (await reader?.read())?.value ?? "";
      assert.match(seen, /event: emit\ndata: {"value":{"a":1}}/);
      assert.match(seen, /event: log\ndata: {"level":"info","text":"x","attributes":{"b":2}}/);
      await reader?.cancel();
    } else {
      const status = eventually(async () => {
        const { active } = await (await world.http("/v1/status")).json();
        return active >= 2;
      }, "the run is there");
      await status;
      abort.abort();
      await assert.rejects(asked);
    }
    abort.abort();
    await eventually(async () => {
      const { active } = await (await world.http("/v1/status")).json();
      return active <= 1 && await sandboxes() <= before + 1;
    }, `the run ends with its caller: ${accept} ${file}`);
  }
});

Deno.test("a body that says so is answered with events, whatever its headers accept", async () => {
  await using world = await World.open(DEMO);
  await world.run(["exec", "return 1"]);
  const response = await world.http("/v1/exec", {
    method: "POST",
    body: JSON.stringify({ code: "emit(1); return 2", stream: true }),
  });
  assert.match(response.headers.get("content-type") ?? "", /text\/event-stream/);
  assert.match(await response.text(), /event: emit[\s\S]*event: done\ndata: .*"result":2/);
});

Deno.test("how many scripts run at once is hot", async () => {
  await using world = await World.open(DEMO);
  await world.run(["settings", "set", "exec.maxRuns", "1"]);
  const wait = { code: "await new Promise((r) => setTimeout(r, 60_000))" };
  const first = exec(world, wait, { "exec.timeout": "4s" });
  const second = exec(world, { code: "return 2" });
  await world.run(["settings", "set", "exec.maxRuns", "2"]);
  const order = [first.then(() => "first"), second.then(() => "second")];
  assert.equal(await Promise.race(order), "second", "it does not wait for the first one");
  assert.equal((await second).result, 2);
  assert.equal(((await first).error as Body).code, "script-timeout");
});
