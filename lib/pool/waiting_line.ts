import { McpxError } from "../errors/mod.ts";
import { addressOf, type Instance } from "./instance.ts";
import type { CallerIdentity, Lease, PoolClock, PooledServer, PoolLimits } from "./types.ts";

/** What a caller wants of one server's pool. */
export interface Wish {
  server: PooledServer;
  /** The scope key of the instance. */
  key: string;
  caller: CallerIdentity;
  /** Whose end is the end of an instance that has to be started for it. */
  owner: Instance["owner"];
  /** The process that such an instance must not outlive. */
  watchPid?: number;
}

/** One caller in line. */
export interface Waiter {
  readonly wish: Wish;
  readonly address: string;
  /** Asked for a definition that is no longer configured: what is started for it does not stay. */
  stale: boolean;
  resolve(lease: Lease): void;
  reject(error: McpxError): void;
  /** Ends its timer and lets go of its signal. */
  leave(): void;
}

/** What a line asks of the pool it belongs to. */
export interface WaitingLineOptions {
  clock: PoolClock;
  limits: (server: PooledServer) => PoolLimits;
  /** Whether an instance at that address is being started. */
  isStarting: (address: string) => boolean;
  /** Told after somebody went without being served. */
  onLeft: (waiter: Waiter) => void;
}

/**
 * The callers in line at one server, in order of arrival.
 *
 * Everybody leaves it exactly once: served, refused, cancelled or timed out. Who waits for a start that will serve
 * them is not queuing: neither `queueMax` nor `queueTimeout` counts then, for the start has a limit of its own.
 */
export class WaitingLine implements Iterable<Waiter> {
  readonly #server: string;
  readonly #options: WaitingLineOptions;
  readonly #waiters = new Set<Waiter>();

  constructor(server: string, options: WaitingLineOptions) {
    this.#server = server;
    this.#options = options;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** In order of arrival; whoever is served or refused meanwhile is left out. */
  [Symbol.iterator](): Iterator<Waiter> {
    return this.#waiters.values();
  }

  /** Puts a caller at the end; {@link hold} has to follow if it cannot be served at once. */
  join(wish: Wish): { waiter: Waiter; lease: Promise<Lease> } {
    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const address = addressOf(wish.server, wish.key);
    const waiter: Waiter = { wish, address, stale: false, resolve, reject, leave: () => {} };
    this.#waiters.add(waiter);
    return { waiter, lease: promise };
  }

  /** Bounds the wait of one that joined and is still there: refused if the line is full, else timed. */
  hold(waiter: Waiter, signal: AbortSignal | undefined): void {
    const { clock, limits } = this.#options;
    const { server } = waiter.wish;
    const { queueMax } = limits(server);
    if (this.size > queueMax && !this.#willBeServed(waiter) && this.#queuing() > queueMax) {
      return this.refuse(waiter, queueFull(this.#server, queueMax));
    }
    let cancelTimer: () => void = () => {};
    const arm = (): void => {
      const { queueTimeoutMs } = limits(server);
      if (queueTimeoutMs === Infinity) return;
      cancelTimer = clock.setTimer(() => {
        if (this.#willBeServed(waiter)) arm();
        else this.refuse(waiter, queueTimeout(this.#server, waiter.wish, queueTimeoutMs));
      }, queueTimeoutMs);
    };
    arm();
    const onAbort = (): void => this.refuse(waiter, cancelled(this.#server, signal?.reason));
    signal?.addEventListener("abort", onAbort);
    waiter.leave = () => {
      cancelTimer();
      signal?.removeEventListener("abort", onAbort);
    };
  }

  has(waiter: Waiter): boolean {
    return this.#waiters.has(waiter);
  }

  /** Whether anybody waits for the instance at that address. */
  wants(address: string): boolean {
    return this.#first(address) !== undefined;
  }

  /** Whether anybody waits for a definition that is no longer configured. */
  get hasStale(): boolean {
    for (const waiter of this.#waiters) if (waiter.stale) return true;
    return false;
  }

  serve(waiter: Waiter, lease: Lease): void {
    this.#waiters.delete(waiter);
    waiter.leave();
    waiter.resolve(lease);
  }

  refuse(waiter: Waiter, error: McpxError): void {
    if (!this.#waiters.delete(waiter)) return;
    waiter.leave();
    waiter.reject(error);
    this.#options.onLeft(waiter);
  }

  #first(address: string): Waiter | undefined {
    for (const waiter of this.#waiters) if (waiter.address === address) return waiter;
    return undefined;
  }

  /** Whether a start that is going on serves it: any number on a shared instance, the first on an exclusive one. */
  #willBeServed(waiter: Waiter): boolean {
    if (!this.#options.isStarting(waiter.address)) return false;
    return waiter.wish.server.sharing === "shared" || this.#first(waiter.address) === waiter;
  }

  #queuing(): number {
    let count = 0;
    const served = new Set<string>();
    for (const { address, wish } of this.#waiters) {
      if (
        !this.#options.isStarting(address) || (served.has(address) && wish.server.sharing === "exclusive")
      ) {
        count++;
      } else served.add(address);
    }
    return count;
  }
}

/** The error of a caller that went away before it was served. */
export function cancelled(server: string, reason: unknown): McpxError {
  if (reason instanceof McpxError) return reason;
  return new McpxError("cancelled", `Cannot use ${server}: the caller cancelled while it waited for it.`, {
    cause: reason,
  });
}

function queueFull(server: string, queueMax: number): McpxError {
  return new McpxError("queue-full", `Cannot use ${server}: ${queueMax} callers wait for it already.`, {
    hint: `Try again later, or allow more: mcpx settings set pool.queueMax ${Math.max(1, queueMax * 2)}`,
    data: { queueMax },
  });
}

function queueTimeout(server: string, wish: Wish, queueTimeoutMs: number): McpxError {
  const why = wish.server.sharing === "exclusive"
    ? "its exclusive instance did not come free"
    : "none of its instances came free";
  return new McpxError(
    "queue-timeout",
    `Cannot use ${server}: ${why} within ${queueTimeoutMs / 1000} s (pool.queueTimeout).`,
    { hint: "See who holds it: mcpx status", data: { queueTimeoutMs, key: wish.key } },
  );
}
