import assert from "node:assert/strict";
import type { McpxError } from "../errors/mod.ts";
import { connectUpstream, type UpstreamConnection } from "../mcp/mod.ts";
import { childEnv } from "./child_env.ts";
import { ConnectionPool } from "./connection_pool.ts";
import { processStamp } from "./process_stamp.ts";
import { LIMITS, server as fakeServer } from "./testdata/fakes.ts";
import type { PooledServer, PoolEvent, PoolLimits } from "./types.ts";

const FIXTURE = new URL("./testdata/server.mjs", import.meta.url).pathname;
const COMMAND = [Deno.execPath(), "run", "--no-config", "--no-lock", "-A", FIXTURE];
const LIMITS_HERE: PoolLimits = { ...LIMITS, startTimeoutMs: 30_000, stopGraceMs: 2_000 };

interface Stage {
  pool: ConnectionPool;
  folder: string;
  /** Settles when an event of that type has come, or has come already. */
  heard<T extends PoolEvent["type"]>(type: T): Promise<Extract<PoolEvent, { type: T }>>;
}

async function onProcesses(test: (stage: Stage) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const events: PoolEvent[] = [];
  const listeners = new Set<() => void>();
  const pids = new Set<number>();
  const pool = new ConnectionPool({
    connect: connectUpstream,
    limits: () => LIMITS_HERE,
    clientInfo: { name: "mcpx", version: "0" },
    pidPollMs: 20,
    onEvent: (event) => {
      events.push(event);
      if (event.type === "started" && event.pid !== undefined) pids.add(event.pid);
      for (const listener of listeners) listener();
    },
  });
  const heard = <T extends PoolEvent["type"]>(type: T): Promise<Extract<PoolEvent, { type: T }>> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = events.find((event): event is Extract<PoolEvent, { type: T }> => event.type === type);
        if (!found) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
    });
  try {
    await test({ pool, folder, heard });
  } finally {
    await pool.close();
    await Deno.remove(folder, { recursive: true });
  }
  assert.ok(pids.size > 0 || events.some((event) => event.type === "failed"));
  for (const pid of pids) assert.equal(processStamp(pid), undefined, `process ${pid} outlived the pool`);
}

function server(
  args: string[] = [],
  rest: Partial<PooledServer> & { env?: Record<string, string> } = {},
): PooledServer {
  const { env = {}, ...others } = rest;
  const [command = "", ...before] = COMMAND;
  const childs = childEnv({ base: Deno.env.toObject(), own: env });
  return fakeServer({
    definition: JSON.stringify(args),
    target: { kind: "stdio", command, args: [...before, ...args], env: childs },
    ...others,
  });
}

async function call(
  connection: UpstreamConnection,
  name: string,
  args: Record<string, string> = {},
): Promise<unknown> {
  const result = await connection.request("tools/call", { name, arguments: args });
  const [block] = Array.isArray(result.content) ? result.content : [];
  return JSON.parse(block.text);
}

Deno.test("six callers of a cold server start one process", () =>
  onProcesses(async ({ pool }) => {
    const pids = await Promise.all(
      Array.from({ length: 6 }, () => pool.run(server(), {}, (connection) => call(connection, "pid"))),
    );
    assert.equal(new Set(pids).size, 1);
    assert.equal(pool.status()[0]?.calls, 6);
  }));

Deno.test("after its process was killed, the next caller gets a fresh one with every tool", () =>
  onProcesses(async ({ pool, heard }) => {
    const list = async (connection: UpstreamConnection): Promise<string[]> =>
      (await connection.readListing()).tools.map(({ name }) => name);
    const before = await pool.run(server(), {}, list);
    const { pid } = await heard("started");
    assert.ok(pid);
    Deno.kill(pid, "SIGKILL");
    const stopped = await heard("stopped");
    assert.equal(stopped.reason, "exited");
    assert.equal(stopped.end?.signal, "SIGKILL");
    assert.deepEqual(await pool.run(server(), {}, list), before);
    assert.notEqual(pool.status()[0]?.pid, pid);
  }));

Deno.test("a killed process that nobody noticed yet costs an idempotent caller nothing", () =>
  onProcesses(async ({ pool, heard }) => {
    await pool.run(server(), {}, (connection) => call(connection, "pid"));
    const { pid } = await heard("started");
    assert.ok(pid);
    Deno.kill(pid, "SIGKILL");
    const next = await pool.run(server(), {}, (connection) => call(connection, "pid"), { idempotent: true });
    assert.notEqual(next, pid);
  }));

Deno.test("a call whose process dies takes effect once, and its error says that the outcome is unknown", () =>
  onProcesses(async ({ pool, folder }) => {
    const file = `${folder}/marks`;
    const mark = (connection: UpstreamConnection): Promise<unknown> =>
      call(connection, "mark_and_die", { file });
    await assert.rejects(pool.run(server(), {}, mark), (error: McpxError) => {
      assert.equal(error.code, "upstream-exited");
      assert.match(error.message, /outcome is unknown/);
      assert.equal(error.message.match(/unknown/g)?.length, 1);
      return true;
    });
    assert.equal(await Deno.readTextFile(file), "x");
    await assert.rejects(pool.run(server(), {}, mark, { idempotent: true }), { code: "upstream-exited" });
    assert.equal(await Deno.readTextFile(file), "xxx", "idempotent: one retry");
  }));

Deno.test("stopping a server takes along what its command started", () =>
  onProcesses(async ({ pool }) => {
    // A background job of a shell has no input of its own: it is handed the shell's.
    const args = ["-c", 'exec 3<&0; "$@" <&3 & wait', "sh", ...COMMAND];
    const env = childEnv({ base: Deno.env.toObject() });
    const wrapped = fakeServer({ target: { kind: "stdio", command: "sh", args, env } });
    const lease = await pool.lease(wrapped, {});
    const pid = await call(lease.connection, "pid");
    assert.equal(typeof pid, "number");
    assert.notEqual(pid, lease.connection.pid);
    await lease.release();
    await pool.stopServer("demo");
    assert.equal(processStamp(Number(pid)), undefined);
  }));

Deno.test("after changed arguments the old process is gone before the new one starts", () =>
  onProcesses(async ({ pool, folder }) => {
    const old = server(["--pid", `${folder}/pid`]);
    const changed = server(["--pid", `${folder}/pid`, "--changed"]);
    const open = await pool.lease(old, {});
    const reloaded = pool.reload(({ definition }) => definition === changed.definition);
    const beside = pool.run(changed, {}, (connection) => call(connection, "beside"));
    assert.equal(await call(open.connection, "beside"), false);
    await open.release();
    await reloaded;
    assert.equal(await beside, false);
  }));

Deno.test("a child sees its own variables and the basics, and no secret of the daemon's", () =>
  onProcesses(async ({ pool }) => {
    const base = { ...Deno.env.toObject(), SECRET_TOKEN: "1", MCPX_CONFIG: "/c", LANG: "C.UTF-8" };
    const plain = server();
    assert.ok(plain.target.kind === "stdio");
    const target = {
      ...plain.target,
      env: childEnv({ base, own: { OWN: "2" }, marker: { MCPX_DAEMON: "1" } }),
    };
    const env = await pool.run({ ...plain, target }, {}, (connection) => call(connection, "env"));
    assert.ok(typeof env === "object" && env !== null);
    const names = new Set(Object.keys(env));
    for (const name of ["PATH", "HOME", "LANG", "OWN", "MCPX_DAEMON"]) assert.ok(names.has(name), name);
    for (const name of ["SECRET_TOKEN", "MCPX_CONFIG", "TERM"]) assert.equal(names.has(name), false, name);
  }));

Deno.test("each way to fail has its own reason, which the held back start repeats", () =>
  onProcesses(async ({ pool }) => {
    const missing = fakeServer({
      name: "missing",
      target: { kind: "stdio", command: "no-such-command-here", args: [], env: {} },
    });
    const failing = server(["--fail", "no config found"], { name: "failing" });
    await assert.rejects(pool.lease(missing, {}), { code: "upstream-command-missing" });
    await assert.rejects(pool.lease(failing, {}), { code: "upstream-start-exited" });
    await assert.rejects(pool.lease(failing, {}), (error: McpxError) => {
      assert.equal(error.code, "upstream-backoff");
      assert.match(String(error.data?.stderrTail), /no config found/);
      return true;
    });
    assert.match(pool.failures().get("failing")?.stderrTail ?? "", /no config found/);
    assert.equal(pool.failures().get("missing")?.attempts, 1);
  }));

Deno.test("a pid-scoped process stops when the process that it belongs to has exited", () =>
  onProcesses(async ({ pool, heard }) => {
    const owner = new Deno.Command("cat", { stdin: "piped", stdout: "null" }).spawn();
    await pool.run(server([], { scope: "pid" }), { pid: owner.pid }, (connection) => call(connection, "pid"));
    await owner.stdin.close();
    await owner.status;
    assert.equal((await heard("stopped")).reason, "scope-ended");
  }));

Deno.test("closing during a real start leaves no process", () =>
  onProcesses(async ({ pool, folder }) => {
    const file = `${folder}/pid`;
    await pool.run(server(), {}, (connection) => call(connection, "pid"));
    const starting = pool.lease(server(["--pid", file], { name: "late" }), {});
    const refused = assert.rejects(starting, { code: "daemon-stopping" });
    await pool.close();
    await refused;
    const noted = await Deno.readTextFile(file).catch(() => undefined);
    if (noted !== undefined) assert.equal(processStamp(Number(noted)), undefined);
  }));
