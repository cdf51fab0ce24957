import { McpxError } from "../../errors/mod.ts";
import type { ServerListing } from "../../catalog/types.ts";
import type {
  ConnectionEnd,
  ConnectOptions,
  ConnectUpstream,
  UpstreamConnection,
  UpstreamTarget,
} from "../../mcp/types.ts";
import type { JsonObject } from "../../schema/types.ts";
import { ConnectionPool } from "../connection_pool.ts";
import type { PoolClock, PooledServer, PoolEvent, PoolLimits, PoolOptions } from "../types.ts";

/** A clock that stands still until it is told to go on. */
export class FakeClock implements PoolClock {
  #now = Date.UTC(2026, 0, 1);
  #timers = new Set<{ at: number; fn: () => void }>();

  now(): number {
    return this.#now;
  }

  setTimer(fn: () => void, ms: number): () => void {
    const timer = { at: this.#now + ms, fn };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Goes on by `ms`, ringing every timer at its own time, and lets what follows from each happen. */
  async advance(ms: number): Promise<void> {
    await settle();
    const until = this.#now + ms;
    for (let rings = 0;; rings++) {
      if (rings > 10_000) throw new Error("the timers never come to rest");
      const next = [...this.#timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.fn();
      await settle();
    }
    this.#now = until;
    await settle();
  }
}

/** Lets everything happen that waits for nothing but promises. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 40; i++) await Promise.resolve();
}

/** A connection that does what the test says. */
export class FakeConnection implements UpstreamConnection {
  readonly era = "legacy";
  readonly protocolVersion = "2025-11-25";
  readonly serverInfo: JsonObject = { name: "fake" };
  readonly capabilities: JsonObject = {};
  readonly ended: Promise<ConnectionEnd>;
  /** What each request is answered with. */
  answer: () => Promise<JsonObject> = () => Promise.resolve({});
  isClosed = false;
  hasEnded = false;
  #settleEnded: (end: ConnectionEnd) => void;
  #closed: Promise<void> | undefined;

  constructor(readonly pid: number, readonly upstream: FakeUpstream, readonly target: UpstreamTarget) {
    const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
    this.ended = promise;
    this.#settleEnded = resolve;
  }

  stderrTail(): string {
    return "";
  }

  request(): Promise<JsonObject> {
    return this.answer();
  }

  notify(): Promise<void> {
    return Promise.resolve();
  }

  readListing(): Promise<ServerListing> {
    throw new Error("not part of the fake");
  }

  /** Ends as a killed process does. */
  crash(kind: "exited" | "lost" = "exited"): void {
    this.hasEnded = true;
    this.#settleEnded({ kind, code: 137, message: "the process ended with code 137" });
  }

  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  async #close(): Promise<void> {
    await this.upstream.closing;
    this.isClosed = true;
    this.upstream.live.delete(this);
    this.hasEnded = true;
    this.#settleEnded({ kind: "closed", message: "closed by mcpx" });
  }
}

/** Opens fake connections and remembers them all. */
export class FakeUpstream {
  readonly opened: FakeConnection[] = [];
  readonly live = new Set<FakeConnection>();
  readonly options: ConnectOptions[] = [];
  /** Where starts are going on to. */
  readonly starting: UpstreamTarget[] = [];
  /** Starts wait for it. */
  opening: Promise<void> = Promise.resolve();
  /** Closings wait for it. */
  closing: Promise<void> = Promise.resolve();
  /** Starts fail with it. */
  failure: McpxError | undefined;
  attempts = 0;
  cancelledStarts = 0;
  /** Called as a start begins. */
  onStart: (target: UpstreamTarget) => void = () => {};

  readonly connect: ConnectUpstream = async (target, options) => {
    this.starting.push(target);
    let connection: FakeConnection;
    try {
      connection = await this.#open(target, options);
    } finally {
      this.starting.splice(this.starting.indexOf(target), 1);
    }
    this.opened.push(connection);
    this.live.add(connection);
    return connection;
  };

  async #open(target: UpstreamTarget, options: ConnectOptions): Promise<FakeConnection> {
    this.attempts++;
    this.options.push(options);
    this.onStart(target);
    const aborted = Promise.withResolvers<void>();
    options.signal?.addEventListener("abort", () => aborted.resolve());
    await Promise.race([this.opening, aborted.promise]);
    if (options.signal?.aborted) {
      this.cancelledStarts++;
      throw new McpxError("cancelled", "the start was cancelled");
    }
    if (this.failure) throw this.failure;
    return new FakeConnection(1000 + this.attempts, this, target);
  }

  /** The connection opened last. */
  get last(): FakeConnection {
    const connection = this.opened.at(-1);
    if (!connection) throw new Error("nothing was opened");
    return connection;
  }
}

/** Limits that no test runs into unless it means to. */
export const LIMITS: PoolLimits = {
  min: 0,
  max: 4,
  idleTimeoutMs: 60_000,
  startTimeoutMs: 5_000,
  callTimeoutMs: 7_000,
  probeTimeoutMs: 1_000,
  queueTimeoutMs: 10_000,
  queueMax: 100,
  stopGraceMs: 500,
  stderrTailBytes: 4096,
  maxMessageBytes: 1 << 20,
};

/** A server, shared and global unless told otherwise. */
export function server(rest: Partial<PooledServer> = {}): PooledServer {
  return {
    name: "demo",
    definition: "d1",
    target: { kind: "stdio", command: "demo", args: [], env: {} },
    protocol: "auto",
    sharing: "shared",
    scope: "global",
    ...rest,
  };
}

/** A pool on fakes, with everything a test looks at. */
export interface Bench {
  pool: ConnectionPool;
  upstream: FakeUpstream;
  clock: FakeClock;
  limits: PoolLimits;
  events: PoolEvent[];
}

/** Builds a pool on fakes, hands it to the test, and sees that closing it leaves nothing. */
export async function onFakes(
  test: (bench: Bench) => Promise<void>,
  options: Partial<PoolOptions> = {},
): Promise<void> {
  const upstream = new FakeUpstream();
  const clock = new FakeClock();
  const limits = { ...LIMITS };
  const events: PoolEvent[] = [];
  const pool = new ConnectionPool({
    connect: upstream.connect,
    limits: () => limits,
    clientInfo: { name: "mcpx", version: "0" },
    onEvent: (event) => events.push(event),
    clock,
    processStamp: () => undefined,
    ...options,
  });
  try {
    await test({ pool, upstream, clock, limits, events });
  } finally {
    upstream.opening = upstream.closing = Promise.resolve();
    await pool.close();
  }
  if (upstream.live.size > 0) throw new Error(`${upstream.live.size} connections outlived the pool`);
  if (clock.pending > 0) throw new Error(`${clock.pending} timers outlived the pool`);
  if (pool.status().length > 0) throw new Error("the closed pool still shows instances");
}

/** Where a promise stands, once everything has happened that waits for nothing else. */
export async function stateOf<T>(promise: Promise<T>): Promise<string> {
  let state = "pending";
  outcomeOf(promise).then((outcome) => state = outcome);
  await settle();
  return state;
}

/** What a promise ends with: the code of its error, or `fulfilled`. */
export function outcomeOf<T>(promise: Promise<T>): Promise<string> {
  return promise.then(
    () => "fulfilled",
    (thrown) => thrown instanceof McpxError ? thrown.code : String(thrown),
  );
}
