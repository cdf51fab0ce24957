import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { isInstanceOf } from "./scope_key.ts";
import { onFakes, outcomeOf, server, settle, stateOf } from "./testdata/fakes.ts";
import type { InstanceView, PoolEvent } from "./types.ts";

const session = (name: string): { session: string } => ({ session: name });
const only = <T extends PoolEvent["type"]>(events: PoolEvent[], type: T): Extract<PoolEvent, { type: T }>[] =>
  events.filter((event): event is Extract<PoolEvent, { type: T }> => event.type === type);
const exited = (): McpxError => new McpxError("upstream-exited", "Cannot finish: the process ended.");

// Keys.

Deno.test("callers with the same key share an instance, others have their own", () =>
  onFakes(async ({ pool }) => {
    const demo = server({ scope: "session" });
    const a = await pool.lease(demo, session("a"));
    const again = await pool.lease(demo, session("a"));
    const b = await pool.lease(demo, session("b"));
    const otherDefinition = await pool.lease({ ...demo, definition: "d2" }, session("a"));
    assert.equal(a.connection, again.connection);
    assert.equal(new Set([a, b, otherDefinition].map((lease) => lease.connection)).size, 3);
    for (const lease of [a, again, b, otherDefinition]) await lease.release();
  }));

Deno.test("a scope that cannot be resolved degrades to call, and says so once per server", () =>
  onFakes(async ({ pool, upstream, events }) => {
    const demo = server({ scope: "session" });
    for (let i = 0; i < 3; i++) {
      const lease = await pool.lease(demo, {});
      assert.match(lease.instanceKey, /^call:/);
      await lease.release();
    }
    await (await pool.lease({ ...demo, name: "other" }, {})).release();
    assert.equal(upstream.attempts, 4);
    assert.equal(upstream.live.size, 0);
    assert.deepEqual(only(events, "degraded").map((event) => event.server), ["demo", "other"]);
    assert.match(only(events, "degraded")[0]?.message ?? "", /MCPX_SESSION_ID/);
  }));

Deno.test("a call-scoped instance is gone when its lease has been given back", () =>
  onFakes(async ({ pool, upstream, events }) => {
    await pool.run(server({ scope: "call" }), {}, () => Promise.resolve());
    await settle();
    assert.equal(upstream.live.size, 0);
    {
      await using lease = await pool.lease(server({ scope: "call" }), {});
      assert.equal(lease.fresh, true);
    }
    assert.equal(upstream.live.size, 0);
    assert.deepEqual(only(events, "stopped").map((event) => event.reason), ["call-ended", "call-ended"]);
  }));

Deno.test("a caller may take a live instance by its key, or a new one of its own", () =>
  onFakes(async ({ pool, upstream }) => {
    const demo = server({ scope: "session" });
    const a = await pool.lease(demo, session("a"));
    const chosen = await pool.lease(demo, session("b"), { instance: "session:a" });
    assert.equal(chosen.connection, a.connection);
    const own = await pool.lease(demo, session("a"), { instance: "new" });
    assert.notEqual(own.connection, a.connection);
    await own.release();
    assert.equal(upstream.live.size, 1);
    await a.release();
    await chosen.release();
  }));

Deno.test("the end of a session stops its instances once their calls are over", () =>
  onFakes(async ({ pool, upstream }) => {
    const demo = server({ scope: "session" });
    const a = await pool.lease(demo, session("a"));
    await (await pool.lease(demo, session("b"))).release();
    const ended = pool.endScope("session:a");
    assert.equal(await stateOf(ended), "pending");
    assert.equal(pool.status()[0]?.state, "stopping");
    await a.release();
    await ended;
    assert.deepEqual([...upstream.live].length, 1);
  }));

// Runs.

Deno.test("the calls of a run share one call-scoped instance, which ends with the run", () =>
  onFakes(async ({ pool, upstream, clock, limits }) => {
    limits.max = 1;
    const demo = server({ scope: "call" });
    const run = pool.openRun();
    for (let i = 0; i < 3; i++) await (await pool.lease(demo, {}, { run })).release();
    await clock.advance(600_000);
    assert.equal(upstream.attempts, 1, "no idle timeout while the run is open");
    const other = pool.lease(demo, {});
    assert.equal(await stateOf(other), "pending", "it is not evicted either");
    await run.close();
    assert.equal(upstream.opened[0]?.isClosed, true);
    await (await other).release();
    await run.close();
  }));

Deno.test("a run that is over gets no lease, and whoever waits for it in line is refused", () =>
  onFakes(async ({ pool }) => {
    const demo = server({ scope: "call", sharing: "exclusive" });
    const run = pool.openRun();
    const lease = await pool.lease(demo, {}, { run });
    const waiting = pool.lease(demo, {}, { run });
    const state = outcomeOf(waiting);
    await run.close();
    assert.equal(await state, "cancelled");
    await assert.rejects(pool.lease(demo, {}, { run }), { code: "cancelled" });
    await lease.release();
    assert.deepEqual(pool.status(), []);
  }));

Deno.test("a run that ends during a start cancels the start", () =>
  onFakes(async ({ pool, upstream }) => {
    upstream.opening = new Promise(() => {});
    const run = pool.openRun();
    const state = outcomeOf(pool.lease(server({ scope: "call" }), {}, { run }));
    await settle();
    await run.close();
    assert.equal(await state, "cancelled");
    assert.equal(upstream.cancelledStarts, 1);
  }));

// Lost calls.

Deno.test("a call is not repeated after a lost connection, and the error says that the outcome is unknown", () =>
  onFakes(async ({ pool, upstream }) => {
    let calls = 0;
    const call = (): Promise<never> => {
      calls++;
      return Promise.reject(exited());
    };
    await assert.rejects(pool.run(server(), {}, call), {
      code: "upstream-exited",
      message: /outcome is unknown/,
      data: { sent: true },
    });
    assert.equal(calls, 1);
    const before = upstream.last;
    await settle();
    assert.equal(before.isClosed, true, "a connection that has not noticed yet is not used again");
    await pool.run(server(), {}, () => Promise.resolve());
    assert.notEqual(upstream.last, before);
  }));

Deno.test("what the connection already says about the outcome is not said again", () =>
  onFakes(async ({ pool }) => {
    const unsent = new McpxError("upstream-exited", "Cannot finish: it was not sent.", {
      data: { sent: false },
    });
    await assert.rejects(pool.run(server(), {}, () => Promise.reject(unsent)), unsent);
    const unknown = new McpxError("outcome-unknown", "Cannot finish: the outcome is unknown.");
    await assert.rejects(pool.run(server(), {}, () => Promise.reject(unknown)), unknown);
  }));

Deno.test("an idempotent call is repeated once after a lost connection, on a fresh one", () =>
  onFakes(async ({ pool, upstream }) => {
    const pids: (number | undefined)[] = [];
    const result = await pool.run(server(), {}, (connection) => {
      pids.push(connection.pid);
      return pids.length === 1 ? Promise.reject(exited()) : Promise.resolve("second");
    }, { idempotent: true });
    assert.equal(result, "second");
    assert.equal(new Set(pids).size, 2);
    await assert.rejects(
      pool.run(server(), {}, (connection) => {
        pids.push(connection.pid);
        return Promise.reject(exited());
      }, { idempotent: true }),
      { code: "upstream-exited" },
    );
    assert.equal(pids.length, 4, "once, not more");
    await settle();
    assert.equal(upstream.live.size, 0);
  }));

Deno.test("an idempotent call is not repeated for a caller that went away, nor after any other error", () =>
  onFakes(async ({ pool }) => {
    const leaving = new AbortController();
    let calls = 0;
    const lose = (): Promise<never> => {
      calls++;
      leaving.abort();
      return Promise.reject(exited());
    };
    await assert.rejects(pool.run(server(), {}, lose, { idempotent: true, signal: leaving.signal }), {
      code: "upstream-exited",
    });
    assert.equal(calls, 1);
    const failing = (): Promise<never> => {
      calls++;
      return Promise.reject(new McpxError("upstream-error", "no"));
    };
    await assert.rejects(pool.run(server(), {}, failing, { idempotent: true }), { code: "upstream-error" });
    assert.equal(calls, 2);
  }));

Deno.test("one lost stream of an HTTP connection does not end the calls beside it", () =>
  onFakes(async ({ pool, upstream }) => {
    const remote = server({ target: { kind: "http", url: "http://x", headers: {}, transport: "http" } });
    const beside = await pool.lease(remote, {});
    const lost = new McpxError("outcome-unknown", "Cannot finish: the stream broke.");
    await assert.rejects(pool.run(remote, {}, () => Promise.reject(lost)), lost);
    assert.equal(pool.status()[0]?.state, "ready");
    await beside.release();
    assert.equal(upstream.live.size, 1);
  }));

// Reload and restart.

Deno.test("a reload keeps what did not change, and stops what did before its successor starts", () =>
  onFakes(async ({ pool, upstream, events }) => {
    const kept = await pool.lease(server({ name: "kept" }), {});
    await kept.release();
    await (await pool.lease(server(), {})).release();
    const gate = Promise.withResolvers<void>();
    upstream.closing = gate.promise;
    const reloaded = pool.reload((known) => known.name === "kept" || known.definition === "d2");
    const next = pool.lease(server({ definition: "d2" }), {});
    assert.equal(await stateOf(next), "pending");
    assert.equal(upstream.attempts, 2, "the old process lives still");
    gate.resolve();
    await reloaded;
    await (await next).release();
    assert.equal((await pool.lease(server({ name: "kept" }), {})).connection, kept.connection);
    assert.deepEqual(only(events, "stopped").map((event) => event.reason), ["reloaded"]);
  }));

Deno.test("calls that are open at a reload finish first, up to the grace", () =>
  onFakes(async ({ pool, upstream, clock }) => {
    const open = await pool.lease(server(), {});
    const hung = await pool.lease(server({ name: "hung" }), {});
    const reloaded = pool.reload((known) => known.definition === "d2", { graceMs: 5_000 });
    const next = pool.lease(server({ definition: "d2" }), {});
    assert.equal(await stateOf(next), "pending");
    open.release();
    (await next).release();
    await clock.advance(4_999);
    assert.equal(upstream.live.has(upstream.opened[1] ?? upstream.last), true);
    await clock.advance(1);
    await reloaded;
    assert.equal(upstream.opened[1]?.isClosed, true);
    await hung.release();
  }));

Deno.test("who waits in line at a reload is still served, by what stops after them", () =>
  onFakes(async ({ pool, upstream }) => {
    const old = server({ sharing: "exclusive" });
    const first = await pool.lease(old, {});
    const second = pool.lease(old, {});
    const reloaded = pool.reload((known) => known.definition === "d2");
    const third = pool.lease({ ...old, definition: "d2" }, {});
    first.release();
    await reloaded;
    const late = await second;
    assert.equal(await stateOf(third), "pending", "old and new do not run side by side");
    await late.release();
    const lease = await third;
    assert.equal(upstream.live.size, 1);
    await lease.release();
    assert.equal(upstream.attempts, 3);
  }));

Deno.test("several who wait in line at a reload are all served before anything new starts", () =>
  onFakes(async ({ pool, upstream }) => {
    const old = server({ sharing: "exclusive" });
    const first = await pool.lease(old, {});
    const waiting = [pool.lease(old, {}), pool.lease(old, {})];
    const reloaded = pool.reload((known) => known.definition === "d2");
    const last = pool.lease({ ...old, definition: "d2" }, {});
    first.release();
    await reloaded;
    for (const lease of waiting) {
      const held = await lease;
      assert.equal(await stateOf(last), "pending");
      assert.equal(upstream.live.size, 1);
      await held.release();
    }
    await (await last).release();
  }));

Deno.test("what is kept started comes after those who waited before a reload", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    limits.min = 1;
    const old = server({ sharing: "exclusive", scope: "session" });
    const changed = { ...old, definition: "d2" };
    const first = await pool.lease(old, session("a"));
    const waiting = [pool.lease(old, session("a")), pool.lease(old, session("a"))];
    const reloaded = pool.reload((known) => known.definition === "d2");
    pool.maintain([changed]);
    first.release();
    await reloaded;
    for (const lease of waiting) {
      const held = await lease;
      assert.equal(upstream.live.size, 1);
      await held.release();
    }
    await settle();
    assert.deepEqual(pool.status().map(({ key, state }) => `${key} ${state}`), ["spare:1 ready"]);
  }));

Deno.test("a start that somebody waits for at a reload is finished for them, and then stops", () =>
  onFakes(async ({ pool, upstream }) => {
    const gate = Promise.withResolvers<void>();
    upstream.opening = gate.promise;
    const waiting = pool.lease(server(), {});
    await settle();
    const reloaded = pool.reload(() => false);
    gate.resolve();
    const lease = await waiting;
    const other = pool.lease(server(), {});
    await lease.release();
    await reloaded;
    assert.notEqual((await other).connection, lease.connection);
    await (await other).release();
  }));

Deno.test("a reload forgets the failures and the prestarts of what is gone", () =>
  onFakes(async ({ pool, upstream, limits, clock }) => {
    limits.min = 1;
    upstream.failure = new McpxError("upstream-command-missing", "Cannot start demo: no such command.");
    pool.maintain([server()]);
    await settle();
    assert.equal(pool.failures().get("demo")?.code, "upstream-command-missing");
    await pool.reload(() => false);
    assert.equal(pool.failures().size, 0);
    await clock.advance(100_000);
    assert.equal(upstream.attempts, 1);
  }));

Deno.test("a restart stops the server at once, and clears the wait after failures", () =>
  onFakes(async ({ pool, upstream, events }) => {
    const lease = await pool.lease(server({ sharing: "exclusive" }), {});
    const waiting = pool.lease(server({ sharing: "exclusive" }), {});
    await pool.stopServer("demo");
    assert.equal(upstream.opened[0]?.isClosed, true);
    await lease.release();
    await (await waiting).release();
    assert.deepEqual(only(events, "stopped").map((event) => event.reason), ["restarted"]);
    upstream.failure = exited();
    await assert.rejects(pool.lease(server({ name: "b" }), {}));
    await pool.stopServer("b");
    upstream.failure = undefined;
    await (await pool.lease(server({ name: "b" }), {})).release();
    await pool.stopServer("unknown");
  }));

// Close.

Deno.test("closing refuses who waits and who comes, and waits for open calls up to the grace", () =>
  onFakes(async ({ pool, upstream, clock }) => {
    const exclusive = server({ sharing: "exclusive" });
    const lease = await pool.lease(exclusive, {});
    await (await pool.lease(server({ name: "idle" }), {})).release();
    const waiting = outcomeOf(pool.lease(exclusive, {}));
    const closed = pool.close({ graceMs: 3_000 });
    assert.equal(await waiting, "daemon-stopping");
    await assert.rejects(pool.lease(exclusive, {}), { code: "daemon-stopping" });
    assert.equal(upstream.live.size, 1, "the idle one is stopped at once");
    await clock.advance(2_999);
    assert.equal(await stateOf(closed), "pending");
    await clock.advance(1);
    await closed;
    assert.equal(upstream.live.size, 0);
    await lease.release();
  }));

Deno.test("closing again is safe, and may shorten the grace", () =>
  onFakes(async ({ pool, upstream }) => {
    const lease = await pool.lease(server(), {});
    const slow = pool.close({ graceMs: 60_000 });
    assert.equal(await stateOf(slow), "pending");
    await pool.close();
    await slow;
    assert.equal(upstream.live.size, 0);
    await lease.release();
  }));

Deno.test("closing again does not lengthen the grace", () =>
  onFakes(async ({ pool, clock }) => {
    const lease = await pool.lease(server(), {});
    const closed = pool.close({ graceMs: 1_000 });
    const again = pool.close({ graceMs: 60_000 });
    await clock.advance(1_000);
    await closed;
    await again;
    await lease.release();
  }));

Deno.test("closing ends when the last open call is given back", () =>
  onFakes(async ({ pool, clock }) => {
    const lease = await pool.lease(server(), {});
    const closed = pool.close({ graceMs: 60_000 });
    await settle();
    lease.release();
    await closed;
    assert.equal(clock.pending, 0);
  }));

Deno.test("closing during a start cancels it", () =>
  onFakes(async ({ pool, upstream }) => {
    upstream.opening = new Promise(() => {});
    const waiting = outcomeOf(pool.lease(server(), {}));
    await settle();
    await pool.close();
    assert.equal(await waiting, "daemon-stopping");
    assert.equal(upstream.opened.length, 0);
  }));

Deno.test("a connection that opens although its start was cancelled is closed", async () => {
  const gate = Promise.withResolvers<void>();
  let opened = false;
  let closed = false;
  await onFakes(async ({ pool }) => {
    const waiting = outcomeOf(pool.lease(server(), {}));
    await settle();
    const closing = pool.close();
    assert.equal(await waiting, "daemon-stopping");
    assert.equal(await stateOf(closing), "pending");
    gate.resolve();
    await closing;
  }, {
    connect: async () => {
      await gate.promise;
      opened = true;
      return {
        era: "legacy",
        protocolVersion: "",
        serverInfo: {},
        capabilities: {},
        ended: new Promise(() => {}),
        stderrTail: () => "",
        request: () => Promise.resolve({}),
        notify: () => Promise.resolve(),
        readListing: () => Promise.reject(new Error("unused")),
        close: () => {
          closed = true;
          return Promise.resolve();
        },
      };
    },
  });
  assert.equal(opened && closed, true);
});

Deno.test("two hundred sessions leave no more processes than before", () =>
  onFakes(async ({ pool, upstream }) => {
    const demo = server({ scope: "session" });
    for (let i = 0; i < 200; i++) {
      await (await pool.lease(demo, session(`s${i}`))).release();
      await pool.endScope(`session:s${i}`);
    }
    assert.equal(upstream.live.size, 0);
    assert.equal(upstream.attempts, 200);
    assert.deepEqual(pool.status(), []);
  }));

Deno.test("a kept instance is not stopped for want of use and is in nobody's way, until it is kept no longer", () =>
  onFakes(async ({ pool, upstream, clock, limits }) => {
    const alone = server({ scope: "session", sharing: "exclusive" });
    const lease = await pool.lease(alone, session("a"));
    const keeping = lease.keep();
    await lease.release();
    await clock.advance(limits.idleTimeoutMs * 3);
    assert.equal(upstream.live.size, 1);
    assert.equal(pool.status()[0]?.idleSince, undefined);
    await (await pool.lease(alone, session("a"))).release();
    assert.equal(upstream.attempts, 1);
    keeping[Symbol.dispose]();
    keeping[Symbol.dispose]();
    await clock.advance(limits.idleTimeoutMs + 1);
    assert.equal(upstream.live.size, 0);
  }));

Deno.test("an instance of one call's own lives while it is kept, and a kept one leaves with its definition", () =>
  onFakes(async ({ pool, upstream }) => {
    const lease = await pool.lease(server({ scope: "call" }), {});
    const keeping = lease.keep();
    await lease.release();
    await settle();
    assert.equal(upstream.live.size, 1);
    keeping[Symbol.dispose]();
    await settle();
    assert.equal(upstream.live.size, 0);
    const shared = await pool.lease(server(), {});
    shared.keep();
    await shared.release();
    await pool.reload(() => false);
    assert.equal(upstream.live.size, 0);
  }));

Deno.test("whose an instance is follows from its definition and its scope", () =>
  onFakes(async ({ pool }) => {
    const demo = server({ scope: "session" });
    const lease = await pool.lease(demo, session("a"));
    const [instance] = pool.instances();
    assert.ok(instance && instance === lease.instance);
    assert.equal(isInstanceOf(instance, demo, session("a")), true);
    assert.equal(isInstanceOf(instance, demo, session("b")), false);
    assert.equal(isInstanceOf(instance, demo, {}), false);
    assert.equal(isInstanceOf(instance, { ...demo, definition: "d2" }, session("a")), false);
    assert.equal(isInstanceOf(instance, { ...demo, name: "other" }, session("a")), false);
    await lease.release();
  }));

// What is passed on and shown.

Deno.test("limits and listeners reach the connection, and a listener sees who calls", async () => {
  const views: InstanceView[] = [];
  await onFakes(async ({ pool, upstream, limits }) => {
    limits.startTimeoutMs = 1_234;
    const lease = await pool.lease(server(), { session: "a" });
    assert.equal(lease.callTimeoutMs, 7_000);
    assert.equal(upstream.options[0]?.startTimeoutMs, 1_234);
    assert.equal(upstream.options[0]?.remembered, "modern");
    const second = await pool.lease(server(), { session: "b" });
    assert.deepEqual(views[0]?.callers().map((caller) => caller.session), ["a", "b"]);
    await lease.release();
    assert.deepEqual(views[0]?.callers().map((caller) => caller.session), ["b"]);
    await second.release();
  }, {
    openWith: (view) => {
      views.push(view);
      return { remembered: "modern" };
    },
  });
});

Deno.test("status tells what each instance is doing", () =>
  onFakes(async ({ pool, clock }) => {
    const lease = await pool.lease(server({ scope: "session" }), session("a"));
    const shown = {
      server: "demo",
      key: "session:a",
      pid: 1001,
      era: "legacy",
      protocolVersion: "2025-11-25",
      calls: 1,
      startedAt: "2026-01-01T00:00:00.000Z",
    };
    assert.deepEqual(pool.status(), [{ ...shown, state: "ready", leases: 1 }]);
    await clock.advance(1_000);
    await lease.release();
    const idleSince = "2026-01-01T00:00:01.000Z";
    assert.deepEqual(pool.status(), [{ ...shown, state: "ready", leases: 0, idleSince }]);
  }));

Deno.test("a closing that fails is told, and does not keep the place", () =>
  onFakes(async ({ pool, upstream, events }) => {
    const lease = await pool.lease(server({ scope: "call" }), {});
    upstream.live.clear();
    upstream.last.close = () => Promise.reject(new Error("EPERM"));
    await lease.release();
    assert.match(only(events, "stopped")[0]?.problem ?? "", /EPERM/);
    assert.deepEqual(pool.status(), []);
  }));

Deno.test("a listener may use the pool", async () => {
  const seen: string[] = [];
  await onFakes(async ({ pool }) => {
    const lease = await pool.lease(server({ scope: "call" }), {});
    await lease.release();
    await settle();
    assert.deepEqual(seen, ["started", "stopped"]);
  }, { onEvent: (event) => seen.push(event.type) });
});
