import { McpxError } from "../errors/mod.ts";
import type { UpstreamConnection } from "../mcp/types.ts";
import { Alarm, systemClock } from "./clock.ts";
import type { Instance } from "./instance.ts";
import { isLost, outcomeUnknown } from "./lost_call.ts";
import { processStamp } from "./process_stamp.ts";
import { scopeKey } from "./scope_key.ts";
import { type PoolContext, ServerPool } from "./server_pool.ts";
import type {
  CallerIdentity,
  InstanceStatus,
  InstanceView,
  Lease,
  LeaseOptions,
  PooledServer,
  PoolEvent,
  PoolOptions,
  PoolRun,
  RunOptions,
  ServerFailure,
} from "./types.ts";
import { cancelled, type Wish } from "./waiting_line.ts";

/** How long leases may stay open on instances whose definition is gone, ms. */
const RELOAD_GRACE_MS = 10_000;

/**
 * Keeps connections to servers and leases them to callers: started when first needed, shared or exclusive, one per
 * scope key, within limits that may change at any time.
 *
 * It repeats no call: only `run` does, once, where its caller says that the tool is idempotent.
 *
 * @see spec/01, Pool
 * @example
 * ```ts
 * import { ConnectionPool } from "./connection_pool.ts";
 * import type { CallerIdentity, PooledServer, PoolOptions } from "./types.ts";
 *
 * async function listTools(options: PoolOptions, server: PooledServer, caller: CallerIdentity): Promise<number> {
 *   await using pool = new ConnectionPool(options);
 *   const listing = await pool.run(server, caller, (connection) => connection.readListing(), { idempotent: true });
 *   return listing.tools.length;
 * }
 * console.assert(typeof listTools === "function");
 * ```
 */
export class ConnectionPool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #context: PoolContext;
  readonly #alarm: Alarm;
  readonly #servers = new Map<string, ServerPool>();
  readonly #openRuns = new Set<PoolRun>();
  /** Servers that were said to degrade, with the scope that could not be resolved. */
  readonly #degraded = new Set<string>();
  #minted = 0;
  #closing = false;

  /** @param options how to connect, the limits in force, and optionally listeners and a clock */
  /**
   * Makes an empty pool.
   *
   * @param options how connections are opened, and the limits of each server
   */
  constructor(options: PoolOptions) {
    const { clock = systemClock, pidPollMs = 2000, backoff = { baseMs: 1000, maxMs: 30_000 } } = options;
    this.#options = options;
    this.#alarm = new Alarm(clock, () => this.reconsider());
    this.#context = {
      clock,
      pidPollMs,
      backoff,
      limits: options.limits,
      connect: (instance, signal) => this.#connect(instance, signal),
      processStamp: options.processStamp ?? processStamp,
      emit: (event) => this.#emit(event),
      wake: (at) => this.#alarm.by(at),
    };
  }

  /**
   * Leases a connection for one call; it has to be released.
   *
   * @param server the server, expanded for the caller
   * @param caller whom the instance is keyed by
   * @param options a signal that ends the wait, the run it belongs to, an instance to prefer over the scope's
   * @throws {McpxError} `queue-timeout`, `queue-full`, `upstream-backoff`, `cancelled`, `daemon-stopping`, and
   * whatever the start failed with
   */
  // deno-lint-ignore require-await -- it throws, and callers are promised a rejection
  async lease(server: PooledServer, caller: CallerIdentity, options: LeaseOptions = {}): Promise<Lease> {
    if (this.#closing) throw stopping(server.name);
    if (options.signal?.aborted) throw cancelled(server.name, options.signal.reason);
    if (options.run && !this.#openRuns.has(options.run)) throw runOver(server.name);
    return this.#serverPool(server).acquire(this.#wish(server, caller, options), options.signal);
  }

  /**
   * Leases a connection, calls `fn` with it and releases it.
   *
   * @param server the server, expanded for the caller
   * @param caller whom the instance is keyed by
   * @param fn uses the connection; it is called once more, on a fresh lease, only after a lost connection and only
   * where `idempotent` is said
   * @param options as for {@link ConnectionPool.lease}, and `idempotent`
   * @returns what `fn` gave
   * @throws {McpxError} what `lease` throws, and what `fn` throws; after a lost connection the message says that the
   * outcome is unknown
   */
  async run<T>(
    server: PooledServer,
    caller: CallerIdentity,
    fn: (connection: UpstreamConnection, lease: Lease) => Promise<T>,
    options: RunOptions = {},
  ): Promise<T> {
    for (let mayRetry = options.idempotent ?? false;; mayRetry = false) {
      const lease = await this.lease(server, caller, options);
      try {
        return await fn(lease.connection, lease);
      } catch (thrown) {
        if (!isLost(thrown)) throw thrown;
        // Of an HTTP connection one stream may be lost while others live on; a process is lost as a whole.
        lease.release({ discard: thrown.code === "upstream-exited" || server.target.kind === "stdio" });
        if (!mayRetry || options.signal?.aborted) throw outcomeUnknown(thrown);
      } finally {
        lease.release(); // The result does not wait for a process to end.
      }
    }
  }

  /** Opens a run: leases that name it share one `call`-scoped instance per server, which ends with the run. */
  openRun(): PoolRun {
    const id = `run:${++this.#minted}`;
    const close = async (): Promise<void> => {
      this.#openRuns.delete(run);
      const drainUntil = this.#context.clock.now();
      await this.#all((pool, name) =>
        pool.endKey(id, { reason: "run-ended", drainUntil, error: runOver(name) })
      );
    };
    const run: PoolRun = { id, close, [Symbol.asyncDispose]: close };
    this.#openRuns.add(run);
    return run;
  }

  /** Stops the instances of a scope key, such as `session:abc`, once their leases are given back. */
  async endScope(key: string): Promise<void> {
    await this.#all((pool) => pool.endKey(key, { reason: "scope-ended" }));
  }

  /** Keeps `min` instances of each of these servers started, restarts them when they die, and no others. */
  maintain(servers: readonly PooledServer[]): void {
    if (this.#closing) return;
    const byName = new Map<string, PooledServer[]>();
    for (const name of this.#servers.keys()) byName.set(name, []);
    for (const server of servers) {
      const same = byName.get(server.name);
      if (same) same.push(server);
      else byName.set(server.name, [server]);
    }
    for (const [name, same] of byName) {
      const pool = same[0] ? this.#serverPool(same[0]) : this.#servers.get(name);
      pool?.keep(same);
    }
  }

  /** Applies changed limits to what is there already: idle instances, the line, what is kept started. */
  reconsider(): void {
    for (const pool of this.#servers.values()) pool.sweep();
  }

  /**
   * Stops the instances whose definition is no longer configured and keeps the others. A new instance of the same
   * server starts when the old ones are gone.
   *
   * @param isCurrent whether a server, as it was once leased, is still configured so
   * @param options `graceMs` bounds how long open leases are waited for (default 10 s)
   * @returns settles when the old instances are gone
   */
  async reload(
    isCurrent: (server: PooledServer) => boolean,
    options: { graceMs?: number } = {},
  ): Promise<void> {
    const drainUntil = this.#until(options.graceMs ?? RELOAD_GRACE_MS);
    await this.#all((pool) => pool.reload(isCurrent, drainUntil));
    for (const [name, pool] of this.#servers) if (pool.isEmpty) this.#servers.delete(name);
  }

  /**
   * Stops a server's instances and forgets its failures; who waits is served by fresh ones.
   *
   * @param name the server's name
   * @param options `graceMs` bounds how long open leases are waited for (default 0: their calls fail)
   */
  async stopServer(name: string, options: { graceMs?: number } = {}): Promise<void> {
    await this.#servers.get(name)?.restart(this.#until(options.graceMs ?? 0));
  }

  /** What serves now, as those see it who answer its servers' requests. */
  instances(): InstanceView[] {
    return [...this.#servers.values()].flatMap((pool) => pool.serving());
  }

  /** Every instance that is not gone. */
  status(): InstanceStatus[] {
    return [...this.#servers.values()].flatMap((pool) => pool.status());
  }

  /** The last failed start of each server that has not started since, by the server's name. */
  failures(): Map<string, ServerFailure> {
    const found = new Map<string, ServerFailure>();
    for (const [name, { failures }] of this.#servers) {
      const latest = failures.latest();
      if (latest) found.set(name, latest);
    }
    return found;
  }

  /**
   * Refuses new leases and everybody in line, then stops all instances, all at once. Closing again is safe, and
   * may shorten the grace.
   *
   * @param options `graceMs` bounds how long open leases are waited for (default 0)
   * @returns settles when no child is left
   */
  async close(options: { graceMs?: number } = {}): Promise<void> {
    this.#closing = true;
    const drainUntil = this.#until(options.graceMs ?? 0);
    await this.#all((pool, name) => pool.close(drainUntil, stopping(name)));
    this.#alarm.off();
  }

  /** Stops every instance. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #until(graceMs: number): number {
    return this.#context.clock.now() + graceMs;
  }

  async #all(act: (pool: ServerPool, name: string) => Promise<void>): Promise<void> {
    await Promise.all([...this.#servers].map(([name, pool]) => act(pool, name)));
  }

  #serverPool(server: PooledServer): ServerPool {
    let pool = this.#servers.get(server.name);
    if (!pool) this.#servers.set(server.name, pool = new ServerPool(server, this.#context));
    return pool;
  }

  /** Decides the key of the instance, and whose end is its end. */
  #wish(server: PooledServer, caller: CallerIdentity, { instance, run }: LeaseOptions): Wish {
    if (instance !== undefined && instance !== "new") return { server, caller, key: instance, owner: "pool" };
    const found = instance === "new" ? { key: "call" } : scopeKey(server.scope, caller);
    if ("missing" in found) this.#noteDegraded(server, found.missing);
    else if (found.key !== "call") {
      const watchPid = server.scope === "pid" ? caller.pid : undefined;
      return {
        server,
        caller,
        key: found.key,
        owner: "pool",
        ...(watchPid === undefined ? {} : { watchPid }),
      };
    }
    return run
      ? { server, caller, key: run.id, owner: "run" }
      : { server, caller, key: `call:${++this.#minted}`, owner: "call" };
  }

  #noteDegraded({ name, scope }: PooledServer, missing: string): void {
    const note = `${name} ${scope}`;
    if (this.#degraded.has(note)) return;
    this.#degraded.add(note);
    const message =
      `Cannot resolve scope ${scope} of ${name}: ${missing}. Until then each call has its own instance.`;
    this.#emit({ type: "degraded", server: name, scope, message });
  }

  #connect(instance: Instance, signal: AbortSignal): Promise<UpstreamConnection> {
    const { server } = instance;
    const limits = this.#options.limits(server);
    return this.#options.connect(server.target, {
      protocol: server.protocol,
      probeTimeoutMs: limits.probeTimeoutMs,
      startTimeoutMs: limits.startTimeoutMs,
      stderrTailBytes: limits.stderrTailBytes,
      maxMessageBytes: limits.maxMessageBytes,
      clientInfo: this.#options.clientInfo,
      handlers: {},
      ...this.#options.openWith?.(instance),
      signal,
    });
  }

  /** A listener runs after the step that it hears of, so that it may use the pool. */
  #emit(event: PoolEvent): void {
    const { onEvent } = this.#options;
    if (onEvent) queueMicrotask(() => onEvent(event));
  }
}

function stopping(server: string): McpxError {
  return new McpxError("daemon-stopping", `Cannot use ${server}: mcpx is shutting down.`, {
    hint: "Run the command again: it starts a new daemon.",
  });
}

function runOver(server: string): McpxError {
  return new McpxError("cancelled", `Cannot use ${server}: the run that asks for it is over.`);
}
