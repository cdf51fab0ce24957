import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { onFakes, outcomeOf, server, settle, stateOf } from "./testdata/fakes.ts";
import type { Lease, PoolEvent } from "./types.ts";

const session = (name: string): { session: string } => ({ session: name });
const kinds = (events: PoolEvent[]): string[] =>
  events.map((event) => event.type === "stopped" ? `stopped ${event.reason}` : event.type);
const broken = (): McpxError =>
  new McpxError("upstream-start-exited", "Cannot start demo: it exited with code 3.", {
    hint: "Run it by hand.",
    data: { stderrTail: "no such module" },
  });

// Sharing.

Deno.test("six callers that come while an instance starts share the one start", () =>
  onFakes(async ({ pool, upstream }) => {
    const gate = Promise.withResolvers<void>();
    upstream.opening = gate.promise;
    const waiting = Array.from({ length: 6 }, () => pool.lease(server(), {}));
    await settle();
    assert.equal(upstream.attempts, 1);
    gate.resolve();
    const leases = await Promise.all(waiting);
    assert.equal(new Set(leases.map((lease) => lease.connection)).size, 1);
    assert.deepEqual(leases.map((lease) => lease.fresh), [true, false, false, false, false, false]);
    assert.equal(pool.status()[0]?.leases, 6);
    for (const lease of leases) await lease.release();
    assert.equal(pool.status()[0]?.leases, 0);
  }));

Deno.test("an exclusive instance serves one caller at a time, in order of arrival", () =>
  onFakes(async ({ pool, upstream }) => {
    const exclusive = server({ sharing: "exclusive" });
    const served: number[] = [];
    const held: Lease[] = [];
    for (let i = 0; i < 4; i++) {
      pool.lease(exclusive, {}).then((lease) => {
        served.push(i);
        held.push(lease);
      });
    }
    for (let i = 0; i < 4; i++) {
      await settle();
      assert.deepEqual(served, [0, 1, 2, 3].slice(0, i + 1));
      assert.equal(pool.status()[0]?.leases, 1);
      held[i]?.release();
    }
    assert.equal(upstream.attempts, 1);
  }));

Deno.test("a caller that comes as the instance is given back does not pass the line", () =>
  onFakes(async ({ pool }) => {
    const exclusive = server({ sharing: "exclusive" });
    const first = await pool.lease(exclusive, {});
    const second = pool.lease(exclusive, {});
    first.release();
    const third = pool.lease(exclusive, {});
    const lease = await second;
    assert.equal(await stateOf(third), "pending");
    lease.release();
    await (await third).release();
  }));

Deno.test("a lease given back twice counts once", () =>
  onFakes(async ({ pool }) => {
    const exclusive = server({ sharing: "exclusive" });
    const first = await pool.lease(exclusive, {});
    await first.release();
    const second = await pool.lease(exclusive, {});
    await first.release();
    const third = pool.lease(exclusive, {});
    assert.equal(await stateOf(third), "pending");
    second.release();
    (await third).release();
  }));

Deno.test("a lease given back twice does not make its instance younger", () =>
  onFakes(async ({ pool, clock, upstream }) => {
    const lease = await pool.lease(server(), {});
    await lease.release();
    await clock.advance(30_000);
    await lease.release();
    await clock.advance(30_000);
    assert.equal(upstream.live.size, 0);
  }));

Deno.test("each lease of one caller counts", () =>
  onFakes(async ({ pool }) => {
    const caller = session("a");
    const first = await pool.lease(server(), caller);
    const second = await pool.lease(server(), caller);
    assert.equal(pool.status()[0]?.leases, 2);
    await first.release();
    assert.equal(pool.status()[0]?.leases, 1);
    await second.release();
  }));

Deno.test("a server that turned exclusive waits for those who share it still", () =>
  onFakes(async ({ pool }) => {
    const shared = await pool.lease(server(), {});
    const alone = pool.lease(server({ sharing: "exclusive" }), {});
    assert.equal(await stateOf(alone), "pending");
    shared.release();
    const lease = await alone;
    const late = pool.lease(server(), {});
    assert.equal(await stateOf(late), "pending");
    lease.release();
    (await late).release();
  }));

// The line.

Deno.test("the wait for an exclusive instance is bounded, and says by what", () =>
  onFakes(async ({ pool, clock }) => {
    const exclusive = server({ sharing: "exclusive" });
    const lease = await pool.lease(exclusive, {});
    const waiting = pool.lease(exclusive, {});
    const outcome = outcomeOf(waiting);
    await clock.advance(9_999);
    assert.equal(await stateOf(waiting), "pending");
    await clock.advance(1);
    assert.equal(await outcome, "queue-timeout");
    await assert.rejects(waiting, { code: "queue-timeout", message: /within 10 s \(pool\.queueTimeout\)/ });
    lease.release();
  }));

Deno.test("the line is bounded, and a place in it comes free when somebody leaves", () =>
  onFakes(async ({ pool, limits }) => {
    limits.queueMax = 2;
    const exclusive = server({ sharing: "exclusive" });
    const lease = await pool.lease(exclusive, {});
    const leaving = new AbortController();
    const first = pool.lease(exclusive, {}, { signal: leaving.signal });
    const second = pool.lease(exclusive, {});
    await assert.rejects(pool.lease(exclusive, {}), { code: "queue-full" });
    leaving.abort();
    await assert.rejects(first, { code: "cancelled" });
    const third = pool.lease(exclusive, {});
    assert.equal(await stateOf(third), "pending");
    lease.release();
    (await second).release();
    (await third).release();
  }));

Deno.test("waiting for one's own start is no queueing", () =>
  onFakes(async ({ pool, upstream, limits, clock }) => {
    limits.queueMax = 0;
    const gate = Promise.withResolvers<void>();
    upstream.opening = gate.promise;
    const shared = [pool.lease(server(), {}), pool.lease(server(), {})];
    const other = server({ name: "other", sharing: "exclusive" });
    const alone = pool.lease(other, {});
    await assert.rejects(pool.lease(other, {}), { code: "queue-full" });
    await clock.advance(60_000);
    assert.equal(await stateOf(Promise.all(shared)), "pending");
    gate.resolve();
    for (const lease of await Promise.all([...shared, alone])) lease.release();
  }));

Deno.test("those whose own start is going on leave the line to others", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    limits.queueMax = 1;
    limits.max = 1;
    const gate = Promise.withResolvers<void>();
    upstream.opening = gate.promise;
    const demo = server({ scope: "session" });
    const starting = Array.from({ length: 5 }, () => pool.lease(demo, session("a")));
    const queuing = pool.lease(demo, session("b"));
    await assert.rejects(pool.lease(demo, session("c")), { code: "queue-full" });
    gate.resolve();
    for (const lease of await Promise.all(starting)) lease.release();
    (await queuing).release();
  }));

Deno.test("a caller that cancels in line leaves it, and those behind move up", () =>
  onFakes(async ({ pool, clock }) => {
    const exclusive = server({ sharing: "exclusive" });
    const lease = await pool.lease(exclusive, {});
    const leaving = new AbortController();
    const second = pool.lease(exclusive, {}, { signal: leaving.signal });
    const third = pool.lease(exclusive, {});
    leaving.abort();
    await assert.rejects(second, { code: "cancelled" });
    await lease.release();
    await (await third).release();
    assert.equal(clock.pending, 1, "only the idle timeout is left");
  }));

Deno.test("a caller's own reason for going away is kept", () =>
  onFakes(async ({ pool }) => {
    const reason = new McpxError("call-timeout", "Cannot finish: --timeout.");
    const exclusive = server({ sharing: "exclusive" });
    const lease = await pool.lease(exclusive, {});
    const leaving = new AbortController();
    const second = pool.lease(exclusive, {}, { signal: leaving.signal });
    leaving.abort(reason);
    await assert.rejects(second, reason);
    await assert.rejects(pool.lease(exclusive, {}, { signal: leaving.signal }), reason);
    lease.release();
  }));

// Places.

Deno.test("callers of other keys wait when all places are leased, and are served in order", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    limits.max = 2;
    const demo = server({ scope: "session" });
    const a = await pool.lease(demo, session("a"));
    const b = await pool.lease(demo, session("b"));
    const c = pool.lease(demo, session("c"));
    const d = pool.lease(demo, session("d"));
    assert.equal(await stateOf(c), "pending");
    b.release();
    (await c).release();
    (await d).release();
    a.release();
    assert.equal(upstream.attempts, 4);
  }));

Deno.test("an idle instance of another key makes room, and is gone before the new one starts", () =>
  onFakes(async ({ pool, upstream, limits, events, clock }) => {
    limits.max = 2;
    const demo = server({ scope: "session" });
    const a = await pool.lease(demo, session("a"));
    await a.release();
    await clock.advance(10);
    const b = await pool.lease(demo, session("b"));
    await b.release();
    const gate = Promise.withResolvers<void>();
    upstream.closing = gate.promise;
    const c = pool.lease(demo, session("c"));
    assert.equal(await stateOf(c), "pending");
    assert.equal(upstream.attempts, 2, "the old process lives still");
    gate.resolve();
    const lease = await c;
    assert.equal(upstream.live.size, 2);
    assert.deepEqual(pool.status().map(({ key }) => key), ["session:b", "session:c"]);
    assert.deepEqual(kinds(events), ["started", "started", "stopped evicted", "started"]);
    await lease.release();
  }));

Deno.test("several idle instances make room at the same time", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    limits.max = 2;
    const demo = server({ scope: "session" });
    for (const name of ["a", "b"]) await (await pool.lease(demo, session(name))).release();
    const gate = Promise.withResolvers<void>();
    upstream.closing = gate.promise;
    const coming = [pool.lease(demo, session("c")), pool.lease(demo, session("d"))];
    assert.deepEqual(pool.status().map(({ key, state }) => `${key} ${state}`), [
      "session:a stopping",
      "session:b stopping",
      "session:c starting",
      "session:d starting",
    ]);
    gate.resolve();
    for (const lease of await Promise.all(coming)) lease.release();
  }));

Deno.test("with max lowered below what is leased, what is given back stops though nobody waits", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    const demo = server({ scope: "session" });
    const a = await pool.lease(demo, session("a"));
    const b = await pool.lease(demo, session("b"));
    limits.max = 1;
    pool.reconsider();
    await a.release();
    await settle();
    assert.equal(upstream.live.size, 1);
    await b.release();
  }));

Deno.test("a start that max was lowered under is still used by those who wait for it", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    const demo = server({ scope: "session" });
    const a = await pool.lease(demo, session("a"));
    const gate = Promise.withResolvers<void>();
    upstream.opening = gate.promise;
    const b = pool.lease(demo, session("b"));
    await settle();
    limits.max = 1;
    pool.reconsider();
    gate.resolve();
    const lease = await b;
    assert.equal(upstream.attempts, 2);
    await lease.release();
    assert.equal(upstream.live.size, 1);
    await a.release();
  }));

Deno.test("a raised max lets those in line in at once, and a lowered one stops what is idle", () =>
  onFakes(async ({ pool, upstream, limits, events }) => {
    limits.max = 1;
    const demo = server({ scope: "session" });
    const a = await pool.lease(demo, session("a"));
    const waiting = pool.lease(demo, session("b"));
    assert.equal(await stateOf(waiting), "pending");
    limits.max = 2;
    pool.reconsider();
    const b = await waiting;
    await b.release();
    limits.max = 1;
    pool.reconsider();
    await settle();
    assert.equal(upstream.live.size, 1);
    assert.equal(kinds(events).at(-1), "stopped surplus");
    await a.release();
    assert.equal(upstream.live.size, 1);
  }));

Deno.test("with max lowered below what is leased, nothing starts until enough was given back", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    const demo = server({ scope: "session" });
    const a = await pool.lease(demo, session("a"));
    const b = await pool.lease(demo, session("b"));
    limits.max = 1;
    const c = pool.lease(demo, session("c"));
    await a.release();
    assert.equal(await stateOf(c), "pending");
    assert.equal(upstream.live.size, 1);
    await b.release();
    await (await c).release();
    assert.equal(upstream.live.size, 1);
  }));

Deno.test("an idle instance stops after idleTimeout, and not before", () =>
  onFakes(async ({ pool, upstream, clock, events }) => {
    const lease = await pool.lease(server(), {});
    await clock.advance(120_000);
    await lease.release();
    await clock.advance(59_999);
    assert.equal(upstream.live.size, 1);
    await clock.advance(1);
    assert.equal(upstream.live.size, 0);
    assert.deepEqual(kinds(events), ["started", "stopped idle"]);
    assert.deepEqual(pool.status(), []);
  }));

Deno.test("a shorter idleTimeout applies to what is idle already", () =>
  onFakes(async ({ pool, upstream, clock, limits }) => {
    await (await pool.lease(server(), {})).release();
    await clock.advance(5_000);
    limits.idleTimeoutMs = 6_000;
    pool.reconsider();
    await clock.advance(999);
    assert.equal(upstream.live.size, 1);
    await clock.advance(1);
    assert.equal(upstream.live.size, 0);
  }));

Deno.test("an endless idleTimeout sets no timer", () =>
  onFakes(async ({ pool, clock, limits }) => {
    limits.idleTimeoutMs = Infinity;
    await (await pool.lease(server(), {})).release();
    assert.equal(clock.pending, 0);
  }));

// Min.

Deno.test("min instances are started ahead, replaced when they die, and not stopped for being idle", () =>
  onFakes(async ({ pool, upstream, clock, limits, events }) => {
    limits.min = 1;
    pool.maintain([server()]);
    await settle();
    assert.equal(upstream.live.size, 1);
    await clock.advance(600_000);
    assert.equal(upstream.attempts, 1);
    upstream.last.crash();
    await settle();
    assert.equal(upstream.attempts, 1, "a death is followed by a wait");
    await clock.advance(1_000);
    assert.equal(upstream.live.size, 1);
    assert.deepEqual(kinds(events), ["started", "stopped exited", "started"]);
    const lease = await pool.lease(server(), {});
    assert.equal(upstream.attempts, 2, "the caller gets what was started ahead");
    await lease.release();
  }));

Deno.test("of a kept server, idle instances beyond min stop", () =>
  onFakes(async ({ pool, upstream, clock, limits }) => {
    limits.min = 1;
    const demo = server({ scope: "session" });
    pool.maintain([demo]);
    for (const name of ["a", "b", "c"]) await (await pool.lease(demo, session(name))).release();
    assert.equal(upstream.live.size, 3);
    await clock.advance(60_000);
    assert.equal(upstream.live.size, 1);
  }));

Deno.test("a kept server that dies over and over is started ever more rarely", () =>
  onFakes(async ({ pool, upstream, clock, limits }) => {
    limits.min = 1;
    pool.maintain([server()]);
    await settle();
    for (let second = 0; second < 300; second++) {
      for (const connection of upstream.live) if (!connection.hasEnded) connection.crash();
      await clock.advance(1_000);
    }
    assert.ok(upstream.attempts >= 10 && upstream.attempts <= 16, `${upstream.attempts} starts in 300 s`);
  }));

Deno.test("a kept server that lived for long before it died is soon started again", () =>
  onFakes(async ({ pool, upstream, clock, limits }) => {
    limits.min = 1;
    pool.maintain([server()]);
    for (let death = 0; death < 5; death++) {
      await clock.advance(60_000);
      upstream.last.crash();
      await clock.advance(1_000);
      assert.equal(upstream.live.size, 1);
    }
  }));

Deno.test("a restart clears the wait of a kept server that died", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    limits.min = 1;
    pool.maintain([server()]);
    await settle();
    upstream.last.crash();
    await settle();
    assert.equal(upstream.live.size, 0);
    await pool.stopServer("demo");
    await settle();
    assert.equal(upstream.live.size, 1);
  }));

Deno.test("after a failure, what is kept is tried one at a time", () =>
  onFakes(async ({ pool, upstream, clock, limits }) => {
    limits.min = 3;
    upstream.failure = broken();
    pool.maintain([server({ scope: "session" })]);
    await settle();
    const first = upstream.attempts;
    await clock.advance(4_000);
    assert.equal(upstream.attempts, first + 1);
    upstream.failure = undefined;
    await clock.advance(60_000);
    assert.equal(upstream.live.size, 3);
  }));

Deno.test("a kept server that cannot start is tried ever more rarely", () =>
  onFakes(async ({ pool, upstream, clock, limits }) => {
    limits.min = 2;
    upstream.failure = broken();
    pool.maintain([server({ scope: "session" })]);
    await clock.advance(300_000);
    assert.ok(upstream.attempts >= 10 && upstream.attempts <= 32, `${upstream.attempts} starts in 300 s`);
    upstream.failure = undefined;
    await clock.advance(30_000);
    assert.equal(upstream.live.size, 2);
    assert.equal(pool.failures().size, 0);
  }));

Deno.test("what is started ahead goes to the first caller of a new key, and is replaced only below min", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    limits.min = 2;
    const demo = server({ scope: "call" });
    pool.maintain([demo]);
    await settle();
    assert.equal(upstream.attempts, 2);
    const first = await pool.lease(demo, {});
    assert.equal(first.fresh, true);
    assert.equal(upstream.attempts, 2);
    await first.release();
    await settle();
    assert.equal(upstream.attempts, 3);
    assert.equal(upstream.live.size, 2);
  }));

Deno.test("a caller takes over a start that was made ahead of it", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    limits.min = 1;
    const gate = Promise.withResolvers<void>();
    upstream.opening = gate.promise;
    const demo = server({ scope: "session" });
    pool.maintain([demo]);
    const lease = pool.lease(demo, session("a"));
    await settle();
    assert.equal(upstream.attempts, 1);
    gate.resolve();
    assert.equal((await lease).instanceKey, "session:a");
    (await lease).release();
  }));

Deno.test("a raised min starts more at once, never beyond max, and nothing is kept that is not named", () =>
  onFakes(async ({ pool, upstream, limits, clock }) => {
    const demo = server({ scope: "session" });
    pool.maintain([demo]);
    limits.min = 9;
    pool.reconsider();
    await settle();
    assert.equal(upstream.live.size, 4);
    pool.maintain([]);
    await clock.advance(60_000);
    assert.equal(upstream.live.size, 0);
  }));

// Failures.

Deno.test("a failed start fails everybody who waited for it, with its own reason", () =>
  onFakes(async ({ pool, upstream, events }) => {
    upstream.failure = broken();
    const waiting = [pool.lease(server(), {}), pool.lease(server(), {})];
    const results = await Promise.allSettled(waiting);
    for (const result of results) {
      assert.equal(result.status === "rejected" && result.reason, upstream.failure);
    }
    assert.equal(upstream.attempts, 1);
    assert.deepEqual(kinds(events), ["failed"]);
    assert.deepEqual(pool.status(), []);
  }));

Deno.test("the start after a failed one is held back, and the refusal carries the reason", () =>
  onFakes(async ({ pool, upstream, clock }) => {
    upstream.failure = broken();
    await assert.rejects(pool.lease(server(), {}), { code: "upstream-start-exited" });
    await assert.rejects(pool.lease(server(), {}), (error: McpxError) => {
      assert.equal(error.code, "upstream-backoff");
      assert.match(error.message, /failed once .* for 1 s\. Last failure: .*exited with code 3/);
      assert.match(error.hint ?? "", /Run it by hand\. Then mcpx restart demo/);
      assert.equal(error.data?.code, "upstream-start-exited");
      assert.equal(error.data?.stderrTail, "no such module");
      assert.equal(error.data?.retryAt, "2026-01-01T00:00:01.000Z");
      return true;
    });
    assert.equal(upstream.attempts, 1);
    await clock.advance(1_000);
    upstream.failure = undefined;
    await (await pool.lease(server(), {})).release();
    assert.equal(pool.failures().size, 0);
  }));

Deno.test("waits double from failure to failure up to 30 s", () =>
  onFakes(async ({ pool, upstream, clock }) => {
    upstream.failure = broken();
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      await assert.rejects(pool.lease(server(), {}), { code: "upstream-start-exited" });
      const failure = pool.failures().get("demo");
      assert.ok(failure);
      assert.equal(failure.attempts, i + 1);
      const wait = Date.parse(failure.retryAt) - clock.now();
      waits.push(wait / 1000);
      await clock.advance(wait);
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 30, 30, 30]);
  }));

Deno.test("a changed definition starts at once", () =>
  onFakes(async ({ pool, upstream }) => {
    upstream.failure = broken();
    await assert.rejects(pool.lease(server(), {}), { code: "upstream-start-exited" });
    upstream.failure = undefined;
    await (await pool.lease(server({ definition: "d2" }), {})).release();
  }));

Deno.test("whoever waited for a place is told why when the server does not start any more", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    limits.max = 1;
    const demo = server({ scope: "session" });
    const gate = Promise.withResolvers<void>();
    upstream.opening = gate.promise;
    upstream.failure = broken();
    const a = pool.lease(demo, session("a"));
    const b = pool.lease(demo, session("b"));
    gate.resolve();
    await assert.rejects(a, { code: "upstream-start-exited" });
    await assert.rejects(b, { code: "upstream-backoff" });
  }));

// Ends.

Deno.test("an instance that ended leaves at once, and the next caller gets a fresh one", () =>
  onFakes(async ({ pool, upstream, events }) => {
    const lease = await pool.lease(server(), {});
    upstream.last.crash();
    await settle();
    const next = await pool.lease(server(), {});
    assert.notEqual(next.connection, lease.connection);
    assert.equal(next.fresh, true);
    await lease.release();
    await next.release();
    assert.deepEqual(kinds(events), ["started", "stopped exited", "started"]);
    assert.equal(upstream.live.size, 1);
  }));

Deno.test("what a crashed process left behind is gone before its successor starts", () =>
  onFakes(async ({ pool, upstream }) => {
    (await pool.lease(server(), {})).release();
    const gate = Promise.withResolvers<void>();
    upstream.closing = gate.promise;
    upstream.last.crash();
    await settle();
    const next = pool.lease(server(), {});
    assert.equal(await stateOf(next), "pending");
    assert.equal(upstream.attempts, 1);
    gate.resolve();
    await (await next).release();
  }));

Deno.test("those in line for an exclusive instance are served by a fresh one when it crashes", () =>
  onFakes(async ({ pool, upstream }) => {
    const exclusive = server({ sharing: "exclusive" });
    const first = await pool.lease(exclusive, {});
    const second = pool.lease(exclusive, {});
    upstream.last.crash();
    const lease = await second;
    assert.notEqual(lease.connection, first.connection);
    first.release();
    lease.release();
  }));

Deno.test("a start whose callers all went away goes on, for the next caller will want it", () =>
  onFakes(async ({ pool, upstream }) => {
    const gate = Promise.withResolvers<void>();
    upstream.opening = gate.promise;
    const leaving = new AbortController();
    const lease = pool.lease(server(), {}, { signal: leaving.signal });
    leaving.abort();
    await assert.rejects(lease, { code: "cancelled" });
    gate.resolve();
    await settle();
    assert.equal(pool.status()[0]?.state, "ready");
    await (await pool.lease(server(), {})).release();
    assert.equal(upstream.attempts, 1);
  }));

Deno.test("a start for one call is given up with the call", () =>
  onFakes(async ({ pool, upstream }) => {
    upstream.opening = new Promise(() => {});
    const leaving = new AbortController();
    const lease = pool.lease(server({ scope: "call" }), {}, { signal: leaving.signal });
    await settle();
    leaving.abort();
    await assert.rejects(lease, { code: "cancelled" });
    await settle();
    assert.equal(upstream.cancelledStarts, 1);
    assert.deepEqual(pool.status(), []);
    assert.equal(pool.failures().size, 0);
  }));

Deno.test("a start that nobody waits for any more makes room for one that somebody does", () =>
  onFakes(async ({ pool, upstream, limits }) => {
    limits.max = 1;
    const demo = server({ scope: "session" });
    upstream.opening = new Promise(() => {});
    const leaving = new AbortController();
    const a = pool.lease(demo, session("a"), { signal: leaving.signal });
    await settle();
    leaving.abort();
    await assert.rejects(a, { code: "cancelled" });
    upstream.opening = Promise.resolve();
    await (await pool.lease(demo, session("b"))).release();
    assert.equal(upstream.cancelledStarts, 1);
  }));

Deno.test("a start for a run goes on while one of its calls still waits for it", () =>
  onFakes(async ({ pool, upstream }) => {
    const gate = Promise.withResolvers<void>();
    upstream.opening = gate.promise;
    await using run = pool.openRun();
    const leaving = new AbortController();
    const demo = server({ scope: "call" });
    const first = pool.lease(demo, {}, { run, signal: leaving.signal });
    const second = pool.lease(demo, {}, { run });
    await settle();
    leaving.abort();
    await assert.rejects(first, { code: "cancelled" });
    gate.resolve();
    await (await second).release();
    assert.equal(upstream.attempts, 1);
  }));

Deno.test("a pid-scoped instance stops when its process has exited, or its id went to another", async () => {
  const stamps = new Map([[7, "x"], [8, "y"]]);
  await onFakes(async ({ pool, upstream, clock, events }) => {
    const demo = server({ scope: "pid" });
    const lease = await pool.lease(demo, { pid: 7 });
    await (await pool.lease(demo, { pid: 8 })).release();
    await clock.advance(10_000);
    assert.equal(upstream.live.size, 2);
    stamps.delete(7);
    stamps.set(8, "z");
    await clock.advance(2_000);
    assert.equal(upstream.live.size, 1, "a call that is open finishes first");
    await lease.release();
    assert.equal(upstream.live.size, 0);
    assert.deepEqual(kinds(events), [
      "started",
      "started",
      "retired",
      "stopped scope-ended",
      "stopped scope-ended",
    ]);
  }, { processStamp: (pid) => stamps.get(pid) });
});
