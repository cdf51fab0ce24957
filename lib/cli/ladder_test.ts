import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { FakeDaemon, type Outcome, run, TestWorld } from "./fake_daemon_test.ts";
import { compareVersions, parseEndpoint } from "./ladder.ts";
import { SAMPLE } from "./sample_manifest_test.ts";

const PROCESS = new URL("./fake_daemon_process_test.ts", import.meta.url).pathname;

/** Starts stand in for a daemon in a world; gives the command and the pids that it started. */
function starter(
  world: TestWorld,
  behaviour = "serve",
): { command: () => string[]; started: () => number[] } {
  const starts = `${world.home}/starts`;
  return {
    command: () => [
      Deno.execPath(),
      "run",
      "-A",
      "--no-config",
      "--no-lock",
      PROCESS,
      world.files.socket,
      world.key,
      SAMPLE.version,
      behaviour,
      starts,
    ],
    started: () => {
      let text = "";
      try {
        text = Deno.readTextFileSync(starts);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
      return text.split("\n").filter((line) => line !== "").map(Number);
    },
  };
}

/** Runs a command that may start a daemon, and sees to it that the daemon ends with the world. */
async function runStarting(world: TestWorld, argv: readonly string[], behaviour?: string): Promise<Outcome> {
  const { command, started } = starter(world, behaviour);
  const outcome = await run(world, argv, { io: { daemonCommand: command } });
  if (outcome.status === 0) { for (const pid of started()) world.pids.add(pid); }
  return outcome;
}

/** Waits until a process has ended, whether or not somebody has collected it. */
async function ended(pid: number): Promise<void> {
  for (let state = "?"; state !== "" && !state.startsWith("Z");) {
    const ps = await new Deno.Command("ps", { args: ["-o", "stat=", "-p", String(pid)] }).output();
    state = new TextDecoder().decode(ps.stdout).trim();
  }
}

Deno.test("a command starts a daemon where none runs, and the next one uses it", async () => {
  await using world = new TestWorld();
  const first = await runStarting(world, ["call", "demo.f", "--json"]);
  assert.equal(first.status, 0, first.stderr);
  const second = await runStarting(world, ["call", "demo.f", "--json"]);
  assert.equal(second.stdout, first.stdout);
  assert.equal(starter(world).started().length, 1);
});

Deno.test("commands that race end with one daemon", async () => {
  await using world = new TestWorld();
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, () => runStarting(world, ["call", "demo.f", "--json"])),
  );
  assert.deepEqual(new Set(outcomes.map((one) => one.stdout)).size, 1, JSON.stringify(outcomes));
  assert.equal(starter(world).started().length, 1);
});

Deno.test("a socket that a crashed daemon left is replaced in one try", async () => {
  await using world = new TestWorld();
  await runStarting(world, ["call", "demo.f"]);
  const [pid = 0] = starter(world).started();
  Deno.kill(pid, "SIGKILL");
  world.pids.clear();
  Deno.statSync(world.files.socket);
  const { status, stdout } = await runStarting(world, ["call", "demo.f", "--json"]);
  world.pids.delete(pid);
  assert.equal(status, 0);
  assert.notEqual(JSON.parse(stdout).pid, pid);
});

Deno.test("a daemon that ends or hangs before it is ready is an error with the end of its log", async () => {
  await using world = new TestWorld();
  const failed = await runStarting(world, ["call", "demo.f"], "fail");
  assert.equal(failed.status, 1);
  assert.match(
    failed.stderr,
    /ended before it was ready\.\ncannot read the configuration\nhint: cat .*daemon-/,
  );
  const hung = await runStarting(world, ["call", "demo.f", "--daemon-start-timeout", "700ms"], "hang");
  assert.equal(hung.status, 1);
  assert.match(hung.stderr, /not ready within 0.7 s \(daemon.startTimeout\)/);
  for (const pid of starter(world).started()) await ended(pid);
});

Deno.test("files of mcpx's own that cannot be opened are named, with what to look at", async () => {
  await using world = new TestWorld();
  for (const path of [world.files.lock, `${world.home}/.local/state/mcpx/logs`]) {
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true, mode: 0o700 });
    if (path === world.files.lock) Deno.mkdirSync(path);
    else Deno.writeTextFileSync(path, "");
    const { status, stderr } = await runStarting(world, ["call", "demo.f"]);
    assert.equal(status, 1);
    assert.ok(stderr.startsWith("error: Cannot ") && stderr.includes(path), stderr);
    Deno.removeSync(path);
  }
});

Deno.test("a daemon that has stopped answering is told apart from none, with what to do, whatever is asked of it", async () => {
  await using world = new TestWorld();
  const { socket } = world.files;
  Deno.mkdirSync(socket.slice(0, socket.lastIndexOf("/")), { recursive: true, mode: 0o700 });
  using _deaf = Deno.listen({ transport: "unix", path: socket });
  for (const argv of [["call", "demo.f"], ["status"], ["stop"]]) {
    const { status, stderr } = await run(world, [...argv, "--daemon-start-timeout", "100ms"]);
    assert.equal(status, 1);
    assert.match(stderr, /it has not answered for 0\.1 s\.\nhint: mcpx daemons/);
  }
});

Deno.test("a home that is too deep for a socket works all the same", async () => {
  await using world = new TestWorld();
  world.env.XDG_RUNTIME_DIR = `${world.home}/${"deep/".repeat(30)}run`;
  const { status, stderr } = await runStarting(world, ["call", "demo.f"]);
  assert.equal(status, 0, stderr);
  const folder = world.files.socket.slice(0, world.files.socket.lastIndexOf("/"));
  assert.equal((Deno.statSync(folder).mode ?? 0) & 0o777, 0o700);
  Deno.removeSync(folder, { recursive: true });
});

Deno.test("status and stop start nothing", async () => {
  await using world = new TestWorld();
  for (const argv of [["status"], ["stop"], ["status", "--json"]]) {
    const { status, stdout } = await runStarting(world, argv);
    assert.equal(status, 0);
    assert.match(stdout, argv.includes("--json") ? /^{"running":false}\n$/ : /No daemon is running/);
  }
  assert.deepEqual(starter(world).started(), []);
});

Deno.test("stop returns when the daemon no longer listens", async () => {
  await using world = new TestWorld();
  await runStarting(world, ["call", "demo.f"]);
  world.pids.clear();
  const { status, stdout } = await run(world, ["stop"]);
  assert.equal(status, 0);
  assert.match(stdout, /^Stopped the daemon \(pid \d+\)\.\n$/);
  assert.throws(() => Deno.statSync(world.files.socket), Deno.errors.NotFound);
});

Deno.test("a flag for a daemon goes to one that is started and is refused where one runs", async () => {
  await using world = new TestWorld();
  const seen: string[][] = [];
  const { command } = starter(world);
  const argv = ["call", "demo.f", "--http-listen", "127.0.0.1:0"];
  const io = {
    daemonCommand: (args: readonly string[]): string[] => {
      seen.push([...args]);
      return command();
    },
  };
  const first = await run(world, argv, { io });
  for (const pid of starter(world).started()) world.pids.add(pid);
  assert.equal(first.status, 0, first.stderr);
  assert.deepEqual(seen, [["--detached", "--settings-json", '{"http.listen":"127.0.0.1:0"}']]);
  const second = await run(world, argv, { io });
  assert.equal(second.status, 2);
  assert.match(
    second.stderr,
    /^error: Cannot use --http-listen: .* running already \(pid \d+\)\.\nhint: mcpx stop/,
  );
});

Deno.test("an older daemon is drained and replaced, a newer one is used with a note", async () => {
  await using world = new TestWorld();
  const old = world.serve({
    "POST /v1/stop": () => {
      queueMicrotask(() => void old.close());
      return Response.json({ stopping: true });
    },
  }, { version: "1.2.2", pid: 1 });
  const replaced = await runStarting(world, ["call", "demo.f", "--json"]);
  assert.equal(replaced.status, 0, replaced.stderr);
  assert.equal(old.last.body, '{"drain":true}');
  assert.match(replaced.stderr, /Replacing the daemon of version 1.2.2/);
  await using other = new TestWorld();
  other.serve({ "POST /v1/call": () => Response.json({ result: "new" }) }, { version: "1.3.0" });
  const used = await run(other, ["call", "demo.f"]);
  assert.equal(used.stdout, "new\n");
  assert.match(used.stderr, /newer than this command/);
});

Deno.test("a configured endpoint is used, and no local daemon stands in for it", async () => {
  await using world = new TestWorld();
  world.serve({ "POST /v1/call": () => Response.json({ result: "local" }) });
  const socket = `${world.home}/remote.sock`;
  const remote = new FakeDaemon(socket, { "POST /v1/call": () => Response.json({ result: "remote" }) }, {
    key: "another",
    version: SAMPLE.version,
  });
  const there = await run(world, [
    "call",
    "demo.f",
    "--daemon-endpoint",
    `unix:${socket}`,
    "--daemon-token",
    "t0k",
  ]);
  assert.equal(there.stdout, "remote\n");
  assert.equal(remote.last.headers.get("authorization"), "Bearer t0k");
  await remote.close();
  world.env.MCPX_DAEMON_ENDPOINT = socket;
  const gone = await run(world, ["call", "demo.f"]);
  assert.equal(gone.status, 1);
  assert.equal(gone.stdout, "");
  assert.match(gone.stderr, /Cannot reach the daemon at .*remote\.sock \(daemon\.endpoint\)/);
});

Deno.test("a foreign server at the endpoint is refused, whatever it answers", async () => {
  await using world = new TestWorld();
  for (const answer of [() => new Response("<h1>hello</h1>"), () => Response.json({ ok: true })]) {
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
    const { status, stderr } = await run(world, [
      "ls",
      "--daemon-endpoint",
      `http://127.0.0.1:${server.addr.port}`,
    ]);
    await server.shutdown();
    assert.equal(status, 1);
    assert.match(stderr, /what listens there is no daemon of mcpx/);
  }
  const raw = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = raw.accept().then(async (conn) => {
    await conn.write(new TextEncoder().encode("SSH-2.0-x\r\n"));
    await conn.read(new Uint8Array(1024));
    conn.close();
  });
  const { status, stderr } = await run(world, [
    "ls",
    "--daemon-endpoint",
    `http://127.0.0.1:${raw.addr.port}`,
  ]);
  await serving;
  raw.close();
  assert.equal(status, 1);
  assert.match(stderr, /does not speak HTTP/);
});

Deno.test("a token that is wanted and not given is said", async () => {
  await using world = new TestWorld();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ error: { code: "unauthorized", message: "no" } }, { status: 401 }),
  );
  const endpoint = `http://127.0.0.1:${server.addr.port}`;
  const { status, stdout } = await run(world, ["ls", "--json", "--daemon-endpoint", endpoint]);
  await server.shutdown();
  assert.equal(status, 1);
  assert.equal(JSON.parse(stdout).error.code, "unauthorized");
});

Deno.test("a user's file sets the endpoint; a project's file cannot", async () => {
  await using world = new TestWorld('{"mcpServers":{},"daemon":{"endpoint":"/nowhere.sock"}}');
  world.serve({ "POST /v1/call": () => Response.json({ result: "local" }) });
  const project = await run(world, ["call", "demo.f"]);
  assert.equal(project.stdout, "local\n");
  assert.match(project.stderr, /sets daemon.endpoint, which only a user's own file may/);
  Deno.mkdirSync(`${world.home}/.config/mcpx`, { recursive: true });
  Deno.writeTextFileSync(
    `${world.home}/.config/mcpx/config.json`,
    '{"daemon":{"endpoint":"/nowhere.sock"},}',
  );
  const user = await run(world, ["call", "demo.f"]);
  assert.match(user.stderr, /Cannot reach the daemon at \/nowhere\.sock/);
});

Deno.test("a daemon of another configuration on the socket is not used", async () => {
  await using world = new TestWorld();
  world.serve({}, { key: "another" });
  assert.match((await run(world, ["ls"])).stderr, /it serves another configuration/);
});

Deno.test("endpoints and versions are read as they are written", () => {
  assert.deepEqual(parseEndpoint("http://127.0.0.1:7411"), {
    kind: "tcp",
    hostname: "127.0.0.1",
    port: 7411,
  });
  assert.deepEqual(parseEndpoint("http://[::1]:7411/"), { kind: "tcp", hostname: "::1", port: 7411 });
  assert.deepEqual(parseEndpoint("unix:///run/x.sock"), { kind: "unix", path: "/run/x.sock" });
  for (const text of ["https://x", "x.sock", "ftp://x"]) assert.throws(() => parseEndpoint(text), McpxError);
  assert.ok(compareVersions("1.2.3", "1.10.0") < 0);
  assert.ok(compareVersions("2.0.0-rc.1", "2.0.0") < 0);
  assert.equal(compareVersions("1.2.3", "1.2.3"), 0);
});
