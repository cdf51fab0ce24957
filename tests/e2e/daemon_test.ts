import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually, fixtureServer, World } from "../support/world.ts";

interface Instance {
  server: string;
  key: string;
  pid: number;
}

async function instances(world: World): Promise<Instance[]> {
  return (await world.json(["status"])).value.instances as Instance[];
}

Deno.test("a reload keeps the instances whose entry did not change, and ends those whose entry did", async () => {
  const [kept, changed] = [fixtureServer("odd.mjs"), fixtureServer("odd.mjs", { A: "1" })];
  await using world = await World.open({ mcpServers: { kept, changed } });
  await world.run(["ls"]);
  const before = new Map((await instances(world)).map(({ server, pid }) => [server, pid]));
  await world.configure({
    mcpServers: { kept, changed: fixtureServer("odd.mjs", { A: "2" }), added: fixtureServer("odd.mjs") },
  });
  await eventually(
    async () => ((await world.json(["ls"])).value.servers as unknown[]).length === 3,
    "the new server is listed",
  );
  await world.run(["call", "changed.words"]);
  const after = new Map((await instances(world)).map(({ server, pid }) => [server, pid]));
  assert.equal(after.get("kept"), before.get("kept"));
  assert.notEqual(after.get("changed"), before.get("changed"));
  assert.ok(!(await world.processes()).includes(before.get("changed") ?? 0), "the old process is gone");
});

Deno.test("a broken edit keeps what runs, and says where it is broken", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["ls"]);
  const [{ pid } = { pid: 0 }] = await instances(world);
  await Deno.writeTextFile(join(world.project, ".mcpx.json"), '{\n  "mcpServers": { oops }\n}\n');
  const reload = await world.json(["reload"]);
  assert.equal(reload.code, 1);
  assert.match(JSON.stringify(reload.value.error), /\.mcpx\.json:2:\d+/);
  assert.equal((await world.run(["call", "odd.words"])).stdout, "error\n");
  assert.equal((await instances(world))[0]?.pid, pid);
  for (const command of ["ls", "status", "config"]) {
    assert.match((await world.run([command])).stderr, /\.mcpx\.json:2:\d+.* stays in use/, command);
  }
  await world.configure({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["reload"]);
  assert.equal((await world.run(["ls"])).stderr, "");
});

Deno.test("a file that cannot be used is named once, with what to do, by every command that finds it", async () => {
  await using world = await World.open({ mcpServers: {}, schlüssel: 1 });
  for (const command of ["ls", "tools"]) {
    const { code, stdout, stderr } = await world.run([command]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(
      stderr,
      /^error: Cannot start the daemon: Cannot use \S+\.mcpx\.json:1:\d+: "schlüssel" is no key .*\nhint: Remove it.*\n$/,
    );
  }
});

Deno.test("where no server is configured, the list says so and what to do", async () => {
  await using world = await World.open({});
  const { code, stdout, stderr } = await world.run(["ls"]);
  assert.deepEqual([code, stdout], [0, ""]);
  assert.match(stderr, /^note: No server is configured here\..*mcpx init/);
});

Deno.test("scopes key instances by session, folder and call; an exclusive server serves one caller at a time", async () => {
  await using world = await World.open({
    mcpServers: {
      session: { ...fixtureServer("odd.mjs"), mcpx: { scope: "session" } },
      cwd: { ...fixtureServer("odd.mjs"), mcpx: { scope: "cwd" } },
      call: { ...fixtureServer("odd.mjs"), mcpx: { scope: "call" } },
      single: { ...fixtureServer("odd.mjs"), mcpx: { sharing: "exclusive", max: 1 } },
    },
  });
  await Deno.mkdir(join(world.project, "inner"));
  await world.run(["ls"]);
  await world.run(["restart"]);
  for (const session of ["one", "two", "one"]) {
    await world.run(["call", "session.words", "--session", session]);
  }
  await world.run(["call", "cwd.words"]);
  await world.run(["call", "cwd.words"], { cwd: join(world.project, "inner") });
  await world.run(["call", "call.words"]);
  const keys = (await instances(world)).map(({ server, key }) =>
    `${server} ${key.replace(world.project, "<project>")}`
  ).sort();
  assert.deepEqual(keys.filter((key) => !key.startsWith("call")), [
    "cwd cwd:<project>",
    "cwd cwd:<project>/inner",
    "session session:one",
    "session session:two",
  ]);
  await eventually(
    async () => (await instances(world)).every(({ server }) => server !== "call"),
    "the call's instance has ended",
  );
  const both = await Promise.all(
    [1, 2].map(() => world.json(["call", "single.working", "steps=2", "every=100"])),
  );
  assert.deepEqual(both.map(({ value }) => value.result), ["worked", "worked"]);
  assert.equal((await instances(world)).filter(({ server }) => server === "single").length, 1);
});

Deno.test("limits are hot: an idle timeout set while the daemon runs ends what is idle already", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["call", "odd.words"]);
  assert.equal((await instances(world)).length, 1);
  const { value } = await world.json(["settings", "set", "pool.idleTimeout", "100ms"]);
  assert.equal(value.restartRequired, false);
  await eventually(async () => (await instances(world)).length === 0, "the idle instance has ended");
  await world.run(["settings", "set", "pool.min", "1"]);
  await eventually(async () => (await instances(world)).length === 1, "one instance is kept started");
});

Deno.test("daemon.inline does the work in the command and leaves nothing behind", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  const { code, stdout, stderr } = await world.run(["call", "odd.words", "--daemon-inline"]);
  assert.equal(stdout, "error\n", stderr);
  assert.equal(code, 0);
  await eventually(async () => (await world.processes()).length === 0, "nothing is left running");
});

Deno.test("a configured endpoint is used, and never replaced by a local daemon", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["ls", "--http-listen", "127.0.0.1:0"]);
  const { url, token } = await world.daemon();
  const other = join(world.root, "elsewhere");
  await Deno.mkdir(other);
  const env = { MCPX_DAEMON_ENDPOINT: url ?? "", MCPX_DAEMON_TOKEN: token ?? "" };
  assert.equal((await world.run(["call", "odd.words"], { cwd: other, env })).stdout, "error\n");
  const refused = await world.run(["call", "odd.words"], {
    cwd: other,
    env: { ...env, MCPX_DAEMON_TOKEN: "wrong" },
  });
  assert.equal(refused.code, 1);
  await world.run(["stop"]);
  const gone = await world.json(["call", "odd.words"], { cwd: other, env });
  assert.equal((gone.value.error as { code: string }).code, "daemon-unreachable");
  await eventually(async () => (await world.processes()).length === 0, "no daemon was started");
});

Deno.test("over TCP a foreign origin or host, a body that is not JSON, and a caller without the token are refused", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["ls", "--http-listen", "127.0.0.1:0"]);
  const { url = "", token = "" } = await world.daemon();
  const authorization = `Bearer ${token}`;
  const body = '{"tool":"odd.words"}';
  const status = async (headers: Record<string, string>): Promise<number> => {
    const response = await fetch(`${url}/v1/call`, { method: "POST", body, headers });
    await response.body?.cancel();
    return response.status;
  };
  const json = { "content-type": "application/json" };
  assert.equal(await status({ ...json, authorization }), 200);
  assert.equal(await status({ ...json, authorization, origin: "http://localhost:1234" }), 200);
  assert.equal(await status({ ...json }), 401);
  assert.equal(await status({ ...json, authorization: "Bearer no" }), 401);
  assert.equal(await status({ ...json, authorization, origin: "http://evil.example" }), 403);
  assert.equal(await status({ ...json, authorization, origin: "null" }), 403);
  assert.equal(await status({ "content-type": "text/plain", authorization }), 415);
  const address = new URL(url);
  const connection = await Deno.connect({ hostname: address.hostname, port: Number(address.port) });
  await connection.write(
    new TextEncoder().encode(
      `GET /v1/status HTTP/1.1\r\nHost: evil.example\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    ),
  );
  const answer = new Uint8Array(64);
  await connection.read(answer);
  connection.close();
  assert.match(new TextDecoder().decode(answer), /^HTTP\/1\.1 403/);
});

Deno.test("an entry that is mcpx itself is left out with a note, and nothing loops", async () => {
  await using world = await World.open({
    mcpServers: { odd: fixtureServer("odd.mjs"), mcpx: { command: "mcpx", args: ["serve"] } },
  });
  const { value } = await world.json(["ls"]);
  assert.deepEqual((value.servers as { server: string }[]).map(({ server }) => server), ["odd"]);
  assert.match(JSON.stringify(value.notes), /mcpx/);
});

Deno.test("a port that another daemon has stops no other project, unless it was asked for by name", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  try {
    await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
    await Deno.mkdir(join(world.env.HOME ?? "", ".config/mcpx"), { recursive: true });
    await Deno.writeTextFile(
      join(world.env.HOME ?? "", ".config/mcpx/config.json"),
      JSON.stringify({ http: { listen: `127.0.0.1:${port}` } }),
    );
    const { code, stderr } = await world.run(["call", "odd.words"]);
    assert.equal(code, 0, stderr);
    assert.equal((await world.daemon()).url, undefined);
    await world.run(["stop"]);
    const asked = await world.run(["daemon", "--http-listen", `127.0.0.1:${port}`]);
    assert.equal(asked.code, 1);
    assert.match(
      asked.stderr,
      /^error: .*Cannot listen on 127\.0\.0\.1:\d+ \(.*\): another program has that port\.\nhint: /,
    );
  } finally {
    listener.close();
  }
});

Deno.test("a daemon does not connect to itself over HTTP, by whatever name of this machine", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  const daemon = world.spawn(["daemon", "--http-listen", "127.0.0.1:0"]);
  try {
    const { url = "", token = "" } = await eventually(async () => {
      const record = await world.daemon().catch(() => undefined);
      return record?.url === undefined ? undefined : record;
    }, "the daemon listens");
    const entry = (host: string): object => ({
      url: `${url.replace("127.0.0.1", host)}/mcp`,
      headers: { authorization: `Bearer ${token}` },
    });
    const itself = { a: entry("127.0.0.1"), b: entry("localhost") };
    await world.configure({ mcpServers: { odd: fixtureServer("odd.mjs"), ...itself } });
    const { stdout, stderr } = await world.run(["ls"]);
    assert.match(stdout, /^odd +ready/m);
    for (const name of Object.keys(itself)) {
      assert.match(stdout + stderr, new RegExp(`Cannot use ${name}: \\S+ is mcpx itself`), stdout + stderr);
    }
  } finally {
    daemon.kill("SIGTERM");
    await daemon.output();
  }
});

Deno.test("a HOME that is deep and XDG variables that are empty work", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  const home = join(world.root, "a".repeat(60), "b".repeat(60), "c".repeat(60));
  await Deno.mkdir(home, { recursive: true });
  const env = {
    HOME: home,
    XDG_RUNTIME_DIR: "",
    XDG_CONFIG_HOME: "",
    XDG_STATE_HOME: "",
    XDG_CACHE_HOME: "",
  };
  const { stdout, stderr } = await world.run(["call", "odd.words"], { env });
  assert.equal(stdout, "error\n", stderr);
  assert.equal((await world.run(["stop"], { env })).code, 0);
});

Deno.test("the socket is for its owner alone", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["ls"]);
  const { socket } = await world.daemon();
  assert.equal(((await Deno.stat(socket)).mode ?? 0) & 0o777, 0o600);
  assert.equal(((await Deno.stat(join(socket, ".."))).mode ?? 0) & 0o777, 0o700);
});

Deno.test("a daemon whose socket is removed or replaced binds it anew, and its servers stay", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["call", "odd.words"]);
  const before = [await instances(world), (await world.daemon()).pid].flat();
  const { socket } = await world.daemon();
  const folder = socket.slice(0, socket.lastIndexOf("/"));
  const accidents = [
    () => Deno.remove(socket),
    async () => {
      await Deno.writeTextFile(`${socket}.new`, "");
      await Deno.rename(`${socket}.new`, socket);
    },
    () => Deno.remove(folder, { recursive: true }),
  ];
  for (const accident of accidents) {
    await accident();
    await eventually(
      () => Deno.lstat(socket).then(({ isSocket }) => isSocket === true, () => false),
      "the socket is there again",
    );
    assert.deepEqual([await instances(world), (await world.daemon()).pid].flat(), before);
  }
  assert.match((await world.run(["stop"])).stdout, /^Stopped the daemon/);
  await eventually(async () => (await world.processes()).length === 0, "nothing is left running");
});

Deno.test("a daemon that nobody uses ends by itself", async () => {
  await using world = await World.open({
    mcpServers: { odd: fixtureServer("odd.mjs") },
    daemon: { idleExit: "300ms" },
  });
  await world.run(["call", "odd.words"]);
  await eventually(async () => (await world.processes()).length === 0, "daemon and server have ended");
  assert.equal((await world.run(["call", "odd.words"])).stdout, "error\n");
});

Deno.test("two callers with different tokens never share a process", async () => {
  await using world = await World.open({
    mcpServers: { odd: { ...fixtureServer("odd.mjs"), env: { TOKEN_SEEN: "${CALLER_TOKEN}" } } },
  });
  for (const token of ["first-token", "second-token"]) {
    await world.run(["call", "odd.words"], { env: { CALLER_TOKEN: token } });
  }
  assert.equal((await instances(world)).length, 2);
  const unset = await world.json(["call", "odd.words"]);
  assert.equal((unset.value.error as { code: string }).code, "missing-variable");
  const folder = join(world.env.HOME ?? "", ".local/state/mcpx");
  for await (const { name } of Deno.readDir(join(folder, "logs"))) {
    assert.doesNotMatch(await Deno.readTextFile(join(folder, "logs", name)), /first-token|second-token/);
  }
});

Deno.test("a caller that was not told the runtime folder uses the daemon that there is, and starts no second one", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["ls"]);
  const { pid } = await world.daemon();
  const bare = { env: { XDG_RUNTIME_DIR: "" } };
  const attended = { env: { XDG_RUNTIME_DIR: "", MCPX_DAEMON_START_TIMEOUT: "60s" } };
  for (const options of [bare, attended]) {
    assert.equal((await world.run(["call", "odd.words"], options)).code, 0);
    assert.equal((await world.json(["status"], options)).value.pid, pid);
  }
  const second = await world.run(["daemon"], bare);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /another one serves this configuration on \S+\.sock\.\nhint: mcpx stop/);
  assert.equal((await world.run(["stop"], bare)).code, 0);
  await eventually(async () => !(await world.processes()).includes(pid), "the one daemon has ended");
  // What a killed daemon left on record leads nowhere.
  await world.run(["ls"]);
  const left = await world.daemon();
  Deno.kill(left.pid, "SIGKILL");
  assert.equal((await world.run(["call", "odd.words"], bare)).code, 0);
});
