import assert from "node:assert/strict";
import fc from "fast-check";
import { McpxError } from "../errors/mod.ts";
import type { UpstreamConnection } from "../mcp/types.ts";
import { ConnectionPool } from "./connection_pool.ts";
import { FakeClock, FakeUpstream, LIMITS, server, settle } from "./testdata/fakes.ts";
import type { Lease, PooledServer, PoolRun } from "./types.ts";

/** One random step. Indexes are taken modulo what there is. */
type Step =
  | { do: "lease"; key: number; pinned: boolean; inRun: boolean }
  | { do: "cancel" | "release" | "discard" | "crash"; index: number }
  | { do: "max" | "min" | "idle" | "wait"; value: number }
  | { do: "gate"; starts: boolean; closings: boolean }
  | { do: "failing"; value: boolean }
  | { do: "reload" | "restart" | "endRun"; graceMs: number };

const index = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("lease"),
      key: fc.nat(3),
      pinned: fc.boolean(),
      inRun: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom("release", "release", "cancel", "discard", "crash"), index }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("max", "min", "idle", "wait"), value: fc.nat(5) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("gate"), starts: fc.boolean(), closings: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("failing"), value: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("reload", "restart", "endRun"),
      graceMs: fc.constantFrom(0, 3_000),
    }),
  },
) as fc.Arbitrary<Step>;

const setup = fc.record({
  sharing: fc.constantFrom<PooledServer["sharing"]>("shared", "exclusive"),
  scope: fc.constantFrom<PooledServer["scope"]>("global", "session", "call"),
  maintained: fc.boolean(),
});

const EXPECTED = ["cancelled", "upstream-start-exited", "upstream-backoff", "daemon-stopping"];

interface Waiting {
  address: string;
  abort: AbortController;
  settled: boolean;
}

/** Opens and shuts the way for starts or closings. */
class Gate {
  promise: Promise<void> = Promise.resolve();
  #open: () => void = () => {};

  set(isOpen: boolean): Promise<void> {
    this.#open();
    if (!isOpen) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.promise = promise;
      this.#open = resolve;
    } else this.promise = Promise.resolve();
    return this.promise;
  }
}

/** Plays steps against a pool, and checks after each what must hold whatever happened. */
class Play {
  readonly clock = new FakeClock();
  readonly upstream = new FakeUpstream();
  readonly limits = { ...LIMITS, queueTimeoutMs: Infinity, queueMax: 1_000, max: 2 };
  readonly pool: ConnectionPool;
  readonly leases: Lease[] = [];
  readonly waiting: Waiting[] = [];
  readonly #holders = new Map<UpstreamConnection, number>();
  readonly #starts = new Gate();
  readonly #closings = new Gate();
  readonly #base: PooledServer;
  readonly #maintained: boolean;
  /** The max in force; a lowered one is, once those that had places under the old one have gone. */
  #bound = 2;
  /** What went wrong where no assertion would be heard. */
  readonly #wrong: string[] = [];
  #definition = 1;
  #run: PoolRun;

  constructor(
    options: { sharing: PooledServer["sharing"]; scope: PooledServer["scope"]; maintained: boolean },
  ) {
    this.#base = server({ sharing: options.sharing, scope: options.scope });
    this.#maintained = options.maintained;
    this.pool = new ConnectionPool({
      connect: this.upstream.connect,
      limits: () => this.limits,
      clientInfo: { name: "mcpx", version: "0" },
      clock: this.clock,
    });
    this.#run = this.pool.openRun();
    this.upstream.onStart = (target) => this.#onStart(target.kind === "stdio" ? target.command : "");
    this.#maintain();
  }

  #server(definition = this.#definition): PooledServer {
    const command = `d${definition}`;
    return { ...this.#base, definition: command, target: { kind: "stdio", command, args: [], env: {} } };
  }

  #maintain(): void {
    if (this.#maintained) this.pool.maintain([this.#server()]);
  }

  #onStart(definition: string): void {
    const running = this.upstream.starting.length + this.upstream.live.size;
    if (running > this.#bound) this.#wrong.push(`${running} processes at max ${this.#bound}`);
    if (definition !== `d${this.#definition}`) return;
    const others = [...this.upstream.starting, ...[...this.upstream.live].map(({ target }) => target)]
      .map((target) => target.kind === "stdio" ? target.command : "");
    if (others.some((other) => other !== definition)) this.#wrong.push("old and new side by side");
  }

  async take(step: Step): Promise<void> {
    const at = <T>(list: T[], index: number): T | undefined => list[index % Math.max(1, list.length)];
    switch (step.do) {
      case "lease":
        this.#lease(step);
        break;
      case "cancel":
        at(this.waiting.filter(({ settled }) => !settled), step.index)?.abort.abort();
        break;
      case "release":
      case "discard":
        this.release(at(this.leases, step.index), step.do === "discard");
        break;
      case "crash":
        at([...this.upstream.live].filter(({ hasEnded }) => !hasEnded), step.index)?.crash();
        break;
      case "max":
        this.limits.max = step.value;
        this.#bound = Math.max(this.#bound, step.value);
        this.pool.reconsider();
        break;
      case "min":
        this.limits.min = step.value;
        this.pool.reconsider();
        break;
      case "idle":
        this.limits.idleTimeoutMs = step.value * 1_000;
        this.pool.reconsider();
        break;
      case "wait":
        await this.clock.advance(step.value * 1_000);
        break;
      case "gate":
        this.upstream.opening = this.#starts.set(step.starts);
        this.upstream.closing = this.#closings.set(step.closings);
        break;
      case "failing":
        this.upstream.failure = step.value ? new McpxError("upstream-start-exited", "no") : undefined;
        break;
      case "reload": {
        const current = `d${++this.#definition}`;
        this.pool.reload(({ definition }) => definition === current, { graceMs: step.graceMs });
        this.#maintain();
        break;
      }
      case "restart":
        this.pool.stopServer("demo", { graceMs: step.graceMs });
        break;
      case "endRun":
        this.#run.close();
        this.#run = this.pool.openRun();
        break;
    }
    await settle();
    this.#check();
  }

  #lease(step: { key: number; pinned: boolean; inRun: boolean }): void {
    const abort = new AbortController();
    const pinned = this.#base.scope === "session" && step.pinned;
    const address = `d${this.#definition} ` +
      (pinned ? "s0" : this.#base.scope === "session" ? `s${step.key}` : this.#base.scope);
    const entry: Waiting = { address, abort, settled: false };
    this.waiting.push(entry);
    this.pool.lease(this.#server(), { session: pinned ? "s0" : `s${step.key}` }, {
      signal: abort.signal,
      ...(step.inRun ? { run: this.#run } : {}),
    }).then((lease) => {
      const before = this.waiting.slice(0, this.waiting.indexOf(entry));
      const passed = before.filter((other) => !other.settled && other.address === address);
      if (this.#base.scope !== "call" && passed.length > 0) this.#wrong.push("somebody was passed in line");
      entry.settled = true;
      this.leases.push(lease);
      const holders = (this.#holders.get(lease.connection) ?? 0) + 1;
      this.#holders.set(lease.connection, holders);
      if (this.#base.sharing === "exclusive" && holders > 1) {
        this.#wrong.push("two callers on an exclusive one");
      }
      if (this.upstream.opened.some((connection) => connection === lease.connection && connection.isClosed)) {
        this.#wrong.push("a lease on a closed connection");
      }
    }, (thrown) => {
      entry.settled = true;
      const code = thrown instanceof McpxError ? thrown.code : String(thrown);
      if (!EXPECTED.includes(code)) this.#wrong.push(code);
    });
  }

  release(lease: Lease | undefined, discard = false): void {
    if (!lease) return;
    this.leases.splice(this.leases.indexOf(lease), 1);
    this.#holders.set(lease.connection, (this.#holders.get(lease.connection) ?? 1) - 1);
    lease.release({ discard });
  }

  #check(): void {
    assert.deepEqual(this.#wrong, []);
    const status = this.pool.status();
    if (status.length <= Math.max(1, this.limits.max)) this.#bound = Math.max(1, this.limits.max);
    const serving = status.filter(({ state }) => state !== "stopping");
    const keys = serving.map(({ key }) => key);
    assert.equal(new Set(keys).size, keys.length, "two instances serve one key");
    const shown = status.reduce((sum, { leases }) => sum + leases, 0);
    assert.ok(shown <= this.leases.length, "a lease is counted that nobody holds");
  }

  /** Takes every obstacle away: then nobody may be left waiting. */
  async finish(): Promise<void> {
    this.limits.max = Math.max(1, this.limits.max);
    this.upstream.failure = undefined;
    this.upstream.opening = this.#starts.set(true);
    this.upstream.closing = this.#closings.set(true);
    const run = this.#run.close();
    for (let turn = 0; turn < this.waiting.length + 2; turn++) {
      await this.clock.advance(1_000);
      for (const lease of [...this.leases]) this.release(lease);
      await settle();
    }
    assert.equal(this.waiting.filter(({ settled }) => !settled).length, 0, "somebody waits for ever");
    await run;
  }

  async close(): Promise<void> {
    const closed = this.pool.close({ graceMs: 1_000 });
    await this.clock.advance(1_000);
    await closed;
    assert.equal(this.upstream.live.size, 0, "a connection outlived the pool");
    assert.equal(this.upstream.starting.length, 0, "a start outlived the pool");
    assert.equal(this.clock.pending, 0, "a timer outlived the pool");
    this.#check();
    assert.deepEqual(this.pool.status(), []);
  }
}

Deno.test("whatever happens in whatever order, no limit is passed, nobody waits for ever and nothing is left", async () => {
  const runs = Number(Deno.env.get("POOL_PROPERTY_RUNS") ?? 400);
  await fc.assert(
    fc.asyncProperty(setup, fc.array(step, { maxLength: 40 }), async (options, steps) => {
      const play = new Play(options);
      await settle();
      for (const step of steps) await play.take(step);
      await play.finish();
      await play.close();
    }),
    { numRuns: runs },
  );
});

Deno.test("a pool that is closed in the middle of anything leaves nothing", async () => {
  await fc.assert(
    fc.asyncProperty(setup, fc.array(step, { maxLength: 25 }), async (options, steps) => {
      const play = new Play(options);
      for (const step of steps) await play.take(step);
      const closed = play.close();
      await play.take({ do: "gate", starts: true, closings: true });
      await closed;
    }),
    { numRuns: 200 },
  );
});
