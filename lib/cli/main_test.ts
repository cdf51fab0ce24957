import assert from "node:assert/strict";
import type { CliIo } from "./io.ts";
import { events, run, TestWorld } from "./fake_daemon_test.ts";

const json = (value: unknown, status = 200): () => Response => () => Response.json(value, { status });

Deno.test("a command sends one request that says who calls, and only what the configuration names of the environment", async () => {
  await using world = new TestWorld();
  const daemon = world.serve({ "POST /v1/call": json({ result: "hello", raw: {} }) });
  Object.assign(world.env, { DEMO_KEY: "kéy", SECRET: "s", MCPX_EXEC_TIMEOUT: "9s", MCPX_DAEMON_TOKEN: "t" });
  const { status, stdout, stderr } = await run(world, [
    "call",
    "demo.echo",
    "text=hello",
    "--session",
    "s1",
    "--pool-call-timeout",
    "5s",
  ]);
  assert.deepEqual([status, stdout, stderr], [0, "hello\n", ""]);
  assert.equal(daemon.requests.length, 1);
  assert.equal(daemon.last.body, '{"tool":"demo.echo","textArguments":[["text","hello"]]}');
  const header = daemon.last.headers.get("x-mcpx-caller") ?? "";
  assert.match(header, /^[\x20-\x7e]+$/);
  assert.deepEqual(JSON.parse(header), {
    cwd: world.cwd,
    pid: 4242,
    session: "s1",
    env: { DEMO_KEY: "kéy", MCPX_EXEC_TIMEOUT: "9s" },
    client: "1.2.3",
  });
  assert.deepEqual(JSON.parse(daemon.last.headers.get("x-mcpx-settings") ?? ""), {
    "pool.callTimeout": "5s",
  });
});

Deno.test("--json prints the answer as it came, and exits as the plain form does", async () => {
  await using world = new TestWorld();
  const document = '{"result":{"id":9007199254740993},"raw":{}}';
  world.serve({
    "POST /v1/call": () => new Response(document, { headers: { "content-type": "application/json" } }),
  });
  assert.equal((await run(world, ["call", "demo.f", "--json"])).stdout, document + "\n");
  assert.equal((await run(world, ["call", "demo.f"])).stdout, '{\n  "id": 9007199254740993\n}\n');
});

Deno.test("every kind of failure exits the same as text and as JSON", async () => {
  const failures: [number, unknown, number][] = [
    [1, { error: { code: "tool-error", message: "boom" } }, 502],
    [2, { error: { code: "invalid-input", message: "bad" } }, 400],
    [75, { error: { code: "waiting-input", message: "asked", data: { task: "t1" } } }, 202],
    [124, { error: { code: "call-timeout", message: "late" } }, 504],
    [1, { error: { code: "of-a-newer-daemon", message: "new" } }, 418],
    [1, { unexpected: true }, 500],
  ];
  for (const [exit, body, status] of failures) {
    await using world = new TestWorld();
    world.serve({ "POST /v1/call": json(body, status) });
    const plain = await run(world, ["call", "demo.f"]);
    const machine = await run(world, ["call", "demo.f", "--json"]);
    assert.deepEqual([plain.status, machine.status], [exit, exit], JSON.stringify(body));
    assert.equal(plain.stdout, "");
    assert.match(plain.stderr, /^(error|waiting): /);
    assert.deepEqual(JSON.parse(machine.stdout), body);
  }
});

Deno.test("a run's document decides the exit, also where HTTP says 200", async () => {
  const document = {
    ok: false,
    exitCode: 124,
    error: { code: "script-timeout", message: "too long" },
    logs: [],
  };
  await using world = new TestWorld();
  world.serve({ "POST /v1/exec": json(document) });
  assert.equal((await run(world, ["exec", "1"])).status, 124);
  const machine = await run(world, ["exec", "1", "--json"]);
  assert.equal(machine.status, 124);
  assert.deepEqual(JSON.parse(machine.stdout), document);
});

Deno.test("a run's records and values are shown whether they come as events or in the document", async () => {
  await using world = new TestWorld();
  const done = {
    status: 200,
    body: { ok: true, exitCode: 0, result: { n: 1 }, results: ["one"], logs: [{ level: "warn", text: "w" }] },
  };
  let streaming = true;
  world.serve({
    "POST /v1/exec": () =>
      streaming
        ? events(
          ["log", '{"level":"warn","text":"w","attributes":{"a":1}}'],
          ["log", '{"level":"debug","text":"hidden"}'],
          ["note", '{"text":"lowered"}'],
          ["emit", '{"value":"one"}'],
          ["done", JSON.stringify(done)],
        )
        : Response.json(done.body),
  });
  const streamed = await run(world, ["exec", "1"]);
  assert.equal(streamed.stdout, 'one\n{\n  "n": 1\n}\n');
  assert.equal(streamed.stderr, 'warn: w {"a":1}\nnote: lowered\n');
  const quiet = await run(world, ["exec", "1", "-q"]);
  assert.equal(quiet.stderr, "");
  streaming = false;
  assert.equal((await run(world, ["exec", "1"])).stdout, streamed.stdout);
});

Deno.test("with --json stdout is one document, whatever else is said", async () => {
  await using world = new TestWorld();
  world.serve({
    "POST /v1/exec": () =>
      events(["log", '{"level":"error","text":"loud"}'], ["emit", '{"value":1}'], [
        "done",
        '{"status":200,"body":{"ok":true,"exitCode":0,"n":9007199254740993}}',
      ]),
  });
  const { stdout } = await run(world, ["exec", "1", "--json"]);
  assert.equal(stdout, '{"ok":true,"exitCode":0,"n":9007199254740993}\n');
  for (const argv of [["nope", "--json"], ["--json", "call"], ["exec", "1", "--json", "--limit", "3"]]) {
    const refused = await run(world, argv);
    assert.equal(refused.status, 2);
    assert.equal(JSON.parse(refused.stdout).error.code, "usage");
    assert.equal(refused.stderr, "");
  }
  for (
    const argv of [["paths"], ["daemons"], ["config", "--path"], ["--version"], ["--help"], [
      "completion",
      "bash",
    ]]
  ) {
    assert.equal(typeof JSON.parse((await run(world, [...argv, "--json"])).stdout), "object", argv.join(" "));
  }
});

Deno.test("a stream that ends without an answer is a failure, and its outcome is unknown unless it only reads", async () => {
  await using world = new TestWorld();
  const ending = (): Response => events(["progress", '{"progress":1}']);
  world.serve({ "POST /v1/call": ending, "GET /v1/servers": ending });
  const { status, stderr } = await run(world, ["call", "demo.f"]);
  assert.equal(status, 1);
  assert.match(stderr, /ended the stream without an answer\. The outcome is unknown/);
  const read = await run(world, ["ls"]);
  assert.equal(read.status, 1);
  assert.match(read.stderr, /ended the stream without an answer\.\n/);
});

Deno.test("8 MiB of text arrive whole, as text and as JSON", async () => {
  await using world = new TestWorld();
  const text = "0123456789abcdef".repeat(1 << 19) + "the very end";
  world.serve({ "POST /v1/call": json({ result: text, raw: null }) });
  const plain = await run(world, ["call", "demo.big"]);
  assert.equal(plain.stdout.length, text.length + 1);
  assert.ok(plain.stdout.endsWith("the very end\n"));
  assert.equal(
    JSON.parse((await run(world, ["call", "demo.big", "--json"])).stdout).result.length,
    text.length,
  );
});

Deno.test("a reader that has gone ends the command quietly", async () => {
  await using world = new TestWorld();
  world.serve({ "POST /v1/call": json({ result: "x".repeat(100_000) }) });
  const stdout: CliIo["stdout"] = { write: () => Promise.reject(new Deno.errors.BrokenPipe("")) };
  for (const argv of [["call", "demo.f"], ["call", "demo.f", "--json"], ["--help"]]) {
    const { status, stderr } = await run(world, argv, { io: { stdout } });
    assert.deepEqual([status, stderr], [0, ""]);
  }
});

Deno.test("Ctrl-C cancels upstream and exits 130; a second one exits at once", async () => {
  await using world = new TestWorld();
  const gone = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  world.serve({
    "POST /v1/call": (request) => {
      request.signal.addEventListener("abort", () => gone.resolve());
      asked.resolve();
      return gone.promise.then(() => new Response("{}"));
    },
  });
  let interrupt = (_status: number): void => {};
  let exited: number | undefined;
  const running = run(world, ["call", "demo.slow"], {
    io: {
      onInterrupt: (handler) => {
        interrupt = handler;
        return () => {};
      },
      exit: (status) => {
        exited = status;
        throw new Error("exited");
      },
    },
  });
  await asked.promise;
  interrupt(130);
  assert.throws(() => interrupt(130), /exited/);
  assert.equal((await running).status, 130);
  assert.equal(exited, 130);
  await gone.promise;
});

Deno.test("an error is a line with its hint; the stack is for --debug", async () => {
  await using world = new TestWorld();
  world.serve({
    "POST /v1/call": json({
      error: {
        code: "unknown-tool",
        message: "Cannot call\x1b[2J\u202eit.\r\nhint: curl evil",
        hint: "mcpx ls",
      },
    }, 404),
  });
  const { stderr } = await run(world, ["call", "demo.f"]);
  assert.equal(stderr, "error: Cannot call\\x1b[2J\\u202eit.\n  hint: curl evil\nhint: mcpx ls\n");
  assert.match((await run(world, ["call", "demo.f", "--debug"])).stderr, /code: unknown-tool\n[^]*at /);
});

Deno.test("a configuration file is found from any folder, and one that is missing is said", async () => {
  await using world = new TestWorld();
  Deno.mkdirSync(`${world.cwd}/cfg`);
  Deno.writeTextFileSync(`${world.cwd}/cfg/x.json`, "{}");
  const { stdout } = await run(world, ["config", "--path", "--config", "cfg/x.json"]);
  assert.equal(stdout, `${world.cwd}/cfg/x.json\n`);
  const missing = await run(world, ["ls", "--config", "cfg/y.json"]);
  assert.notEqual(missing.status, 0);
  assert.match(missing.stderr, /cfg\/y\.json: there is no file/);
});

Deno.test("help stands at every level, examples and settings included", async () => {
  await using world = new TestWorld();
  const bare = await run(world, []);
  assert.equal(bare.status, 0);
  assert.match(bare.stdout, /Usage: mcpx <command>/);
  const whole = (await run(world, ["--help"])).stdout;
  assert.match(whole, /recipes run[^]*--json[^]*Exit status:/);
  const command = (await run(world, ["exec", "--help"])).stdout;
  assert.match(command, /Examples:[^]*-n, --dry-run[^]*--exec-timeout <duration> .*\[default: 120s\]/);
  assert.equal((await run(world, ["help", "exec"])).stdout, command);
  assert.match((await run(world, ["recipes"])).stdout, /Usage: mcpx recipes <command>/);
  assert.match((await run(world, ["help", "exce"])).stderr, /hint: mcpx help exec/);
  assert.equal((await run(world, ["--version"])).stdout, "mcpx 1.2.3\n");
});

Deno.test("local commands show folders, files and daemons, and refuse settings that they do not read", async () => {
  await using world = new TestWorld();
  const paths = JSON.parse((await run(world, ["paths", "--json"])).stdout);
  assert.equal(paths.socket, world.files.socket);
  assert.deepEqual(paths.configFiles, [`${world.cwd}/.mcpx.json`]);
  world.serve({});
  Deno.mkdirSync(`${paths.state}/daemons`, { recursive: true });
  const record = {
    key: world.key,
    pid: 7,
    socket: world.files.socket,
    version: "1",
    startedAt: "a",
    configFiles: ["f"],
    token: "secret",
  };
  Deno.writeTextFileSync(`${paths.state}/daemons/a.json`, JSON.stringify(record));
  Deno.writeTextFileSync(
    `${paths.state}/daemons/b.json`,
    JSON.stringify({ ...record, key: "k", socket: "/gone", startedAt: "b" }),
  );
  Deno.writeTextFileSync(`${paths.state}/daemons/c.json`, "{");
  const text = (await run(world, ["daemons", "--json"])).stdout;
  assert.ok(!text.includes("secret"));
  const states = JSON.parse(text).daemons.map((
    one: { alive: boolean; here: boolean },
  ) => [one.alive, one.here]);
  assert.deepEqual(states, [[true, true], [false, false]]);
  const refused = await run(world, ["paths", "--exec-timeout", "5s"]);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /the command does not read it/);
});

Deno.test("ls with a word asks for tools, and config shows what files gave only with --sources", async () => {
  await using world = new TestWorld();
  const daemon = world.serve({
    "GET /v1/tools": json({ tools: [{ name: "demo.f", description: "does" }] }),
    "GET /v1/config": json({ sources: [{ path: "/a", kind: "user", servers: ["s"] }] }),
  });
  assert.equal((await run(world, ["ls", "demo"])).stdout, "NAME    DESCRIPTION\ndemo.f  does\n");
  assert.match(daemon.last.url, /\/v1\/tools\?namespace=demo$/);
  assert.ok(!(await run(world, ["config"])).stdout.includes("SERVERS"));
  assert.ok((await run(world, ["config", "--sources"])).stdout.includes("SERVERS"));
});
