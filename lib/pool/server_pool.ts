import { McpxError } from "../errors/mod.ts";
import type { ConnectionEnd, UpstreamConnection } from "../mcp/types.ts";
import { addressOf, Instance, type InstanceListener } from "./instance.ts";
import { InstanceSet } from "./instance_set.ts";
import { KeptServers } from "./kept_servers.ts";
import { startedEvent, stoppedEvent } from "./pool_event.ts";
import { StartFailures } from "./start_failures.ts";
import type {
  InstanceStatus,
  Lease,
  PoolClock,
  PooledServer,
  PoolEvent,
  PoolLimits,
  StopReason,
} from "./types.ts";
import { type Waiter, WaitingLine, type Wish } from "./waiting_line.ts";

/** What the pools of all servers share: the options with their defaults, and one alarm. */
export interface PoolContext {
  connect: (instance: Instance, signal: AbortSignal) => Promise<UpstreamConnection>;
  limits: (server: PooledServer) => PoolLimits;
  emit: (event: PoolEvent) => void;
  clock: PoolClock;
  processStamp: (pid: number) => string | undefined;
  pidPollMs: number;
  backoff: { baseMs: number; maxMs: number };
  /** Asks for a {@link ServerPool.sweep} by that time. */
  wake: (at: number) => void;
}

const SETTLED: Promise<void> = Promise.resolve();

/**
 * The instances of one server, and the callers in line for them.
 *
 * Every change of state ends in `#pump`, which serves whom it can in order of arrival: on a ready instance of the
 * caller's key, else by starting one, else by stopping an idle one of another key to make room. Nothing in this
 * class awaits between a look and a step, so nothing can change in between.
 */
export class ServerPool implements InstanceListener {
  readonly failures: StartFailures;
  readonly #name: string;
  readonly #context: PoolContext;
  readonly #instances = new InstanceSet();
  readonly #line: WaitingLine;
  readonly #kept: KeptServers;
  /** The server as it was asked for last: whose limits are in force. */
  #latest: PooledServer;
  #staleGraceMs = 0;
  #closed = false;

  constructor(server: PooledServer, context: PoolContext) {
    this.#name = server.name;
    this.#latest = server;
    this.#context = context;
    this.failures = new StartFailures(server.name, context.backoff);
    this.#kept = new KeptServers({
      name: server.name,
      instances: this.#instances,
      backoff: context.backoff,
      now: () => context.clock.now(),
      min: (kept) => Math.min(context.limits(kept).min, kept.scope === "global" ? 1 : this.#max),
      retryAt: (definition) => this.failures.retryAt(definition),
      hasRoom: () => this.#instances.places() < this.#max,
      wake: context.wake,
      start: (kept, key, spare) =>
        this.#start(kept, key, { owner: "pool", after: this.#instances.before(kept, key), spare }),
    });
    this.#line = new WaitingLine(server.name, {
      clock: context.clock,
      limits: context.limits,
      isStarting: (address) => this.#instances.at(address)?.state === "starting",
      onLeft: (waiter) => this.#onLeft(waiter),
    });
  }

  /** Whether there is nothing left to know about it. */
  get isEmpty(): boolean {
    return this.#instances.size + this.#line.size === 0 && this.#kept.isEmpty && !this.failures.latest();
  }

  /** Those that have a connection and do not leave. */
  serving(): Instance[] {
    return [...this.#instances].filter(({ state }) => state === "ready");
  }

  status(): InstanceStatus[] {
    return [...this.#instances].map((instance) => instance.status());
  }

  /** Gives a lease, now or in turn. @throws {McpxError} `queue-full`, `queue-timeout`, `cancelled`, a start's error */
  acquire(wish: Wish, signal?: AbortSignal): Promise<Lease> {
    this.#latest = wish.server;
    const instance = this.#instances.at(addressOf(wish.server, wish.key));
    // Whoever came earlier has been served: a change that frees an instance serves the line before it returns.
    if (instance?.admits(wish.server.sharing)) return Promise.resolve(this.#grant(instance, wish));
    const { waiter, lease } = this.#line.join(wish);
    this.#pump();
    if (this.#line.has(waiter)) this.#line.hold(waiter, signal);
    return lease;
  }

  /** Says which definitions are kept started, up to `min` each. */
  keep(servers: PooledServer[]): void {
    this.#kept.set(servers);
    this.#pump();
  }

  /**
   * Retires the instances that `picks` picks.
   *
   * @returns settles when they are gone: idle ones stop at once, leased ones when given back or at `drainUntil`
   */
  async retire(
    picks: (instance: Instance) => boolean,
    options: { reason: StopReason; drainUntil?: number; goesFirst?: boolean },
  ): Promise<void> {
    const leaving = [...this.#instances].filter(picks);
    for (const instance of leaving) {
      instance.goesFirst ||= options.goesFirst ?? false;
      this.#retire(instance, options.reason, options.drainUntil);
    }
    this.#pump();
    await Promise.all(leaving.map((instance) => instance.gone));
  }

  /** Retires what is no longer configured; whoever waits for it is still served, and it stops after them. */
  reload(isCurrent: (server: PooledServer) => boolean, drainUntil: number): Promise<void> {
    this.#kept.prune(isCurrent);
    this.failures.prune(isCurrent);
    for (const waiter of this.#line) waiter.stale ||= !isCurrent(waiter.wish.server);
    this.#staleGraceMs = drainUntil - this.#context.clock.now();
    return this.retire((instance) => !isCurrent(instance.server), {
      reason: "reloaded",
      drainUntil,
      goesFirst: true,
    });
  }

  /** Stops every instance and forgets the failures, so that the next start is fresh and happens at once. */
  restart(drainUntil: number): Promise<void> {
    this.failures.clear();
    this.#kept.forgive();
    return this.retire(() => true, { reason: "restarted", drainUntil, goesFirst: true });
  }

  /** Refuses whoever waits for the key, and stops its instances. */
  endKey(
    key: string,
    options: { reason: StopReason; drainUntil?: number; error?: McpxError },
  ): Promise<void> {
    const { error } = options;
    if (error) {
      for (const waiter of this.#line) if (waiter.wish.key === key) this.#line.refuse(waiter, error);
    }
    return this.retire((instance) => instance.key === key, options);
  }

  /** Refuses everybody, stops everything by `drainUntil`, and starts nothing any more. */
  close(drainUntil: number, error: McpxError): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#line) this.#line.refuse(waiter, error);
    return this.retire(() => true, { reason: "closed", drainUntil });
  }

  /** Does what time has made due, and asks for the next sweep. */
  sweep(): void {
    const now = this.#context.clock.now();
    for (const instance of this.#instances) {
      if (instance.state === "stopping") continue;
      if (now >= instance.drainUntil) this.#stop(instance, instance.retiring ?? "closed");
      else this.#context.wake(instance.drainUntil);
      if (instance.retiring || !instance.watch) continue;
      if (this.#hasOutlived(instance)) this.#retire(instance, "scope-ended");
      else this.#context.wake(now + this.#context.pidPollMs);
    }
    for (const instance of this.#instances.idle()) {
      const due = (instance.idleSince ?? now) + this.#context.limits(instance.server).idleTimeoutMs;
      if (due > now) this.#context.wake(due);
      else if (!this.#kept.needs(instance)) this.#stop(instance, "idle");
    }
    this.#pump();
  }

  // What an instance tells.

  ready(instance: Instance): void {
    this.failures.clear(instance.server.definition);
    this.#emit(startedEvent(instance, this.#context.clock.now()));
    this.#pump();
    if (instance.retiring) this.#retire(instance, instance.retiring);
    else if (instance.leases === 0) this.#rest(instance);
  }

  failed(instance: Instance, error: McpxError): void {
    const { server, address } = instance;
    const { attempts, retryAt } = this.failures.record(server, error, this.#context.clock.now());
    const { code, message } = error;
    this.#emit({ type: "failed", server: this.#name, code, message, attempts, retryAt });
    this.#instances.detach(instance);
    for (const waiter of this.#line) if (waiter.address === address) this.#line.refuse(waiter, error);
  }

  ended(instance: Instance): void {
    this.#instances.detach(instance);
    this.#kept.died(instance);
    this.#pump();
  }

  gone(instance: Instance, end: ConnectionEnd | undefined, problem: string | undefined): void {
    this.#instances.remove(instance);
    this.#emit(stoppedEvent(instance, { end, problem }));
    this.#pump();
  }

  // Leases.

  #pump(): void {
    if (this.#closed) return;
    for (const waiter of this.#line) {
      const { wish, address } = waiter;
      const instance = this.#instances.at(address) ?? this.#claimSpare(waiter) ?? this.#startFor(waiter);
      if (instance?.admits(wish.server.sharing)) this.#line.serve(waiter, this.#grant(instance, wish));
    }
    this.#trim();
    if (!this.#line.hasStale) this.#kept.fill();
  }

  #grant(instance: Instance, wish: Wish): Lease {
    const { connection } = instance;
    if (!connection) throw new McpxError("internal", `Cannot lease ${this.#name}: it has no connection yet.`);
    const fresh = instance.calls === 0;
    const giveBack = instance.take(wish.caller, wish.server.sharing);
    let released: Promise<void> | undefined;
    const release = (options?: { discard?: boolean }): Promise<void> => {
      if (released) return released;
      giveBack();
      return released = this.#afterRelease(instance, options?.discard ?? false);
    };
    return {
      connection,
      instance,
      instanceKey: instance.key,
      fresh,
      callTimeoutMs: this.#context.limits(wish.server).callTimeoutMs,
      keep: () => this.#keep(instance),
      release,
      [Symbol.asyncDispose]: release,
    };
  }

  #keep(instance: Instance): Disposable {
    let end: (() => void) | undefined = instance.keep();
    return {
      [Symbol.dispose]: () => {
        end?.();
        if (end) this.#unused(instance);
        end = undefined;
      },
    };
  }

  #afterRelease(instance: Instance, discard: boolean): Promise<void> {
    if (instance.state === "ready") {
      if (discard) this.#retire(instance, "discarded");
      else if (instance.leases > 0) return SETTLED;
      else if (instance.retiring) this.#stop(instance, instance.retiring);
      else return this.#unused(instance);
    }
    return this.#settled(instance);
  }

  /** Nobody holds it; it may be kept by somebody. */
  #unused(instance: Instance): Promise<void> {
    if (instance.state === "ready" && !instance.isUsed) {
      if (instance.owner === "call") this.#stop(instance, "call-ended");
      else this.#rest(instance);
    }
    return this.#settled(instance);
  }

  #settled(instance: Instance): Promise<void> {
    if (this.#line.size > 0 || this.#instances.size > this.#max) this.#pump();
    return instance.state === "stopping" ? instance.gone : SETTLED;
  }

  /** A start that nobody else can use is given up; any other goes on, for it will be asked for again. */
  #onLeft(waiter: Waiter): void {
    const instance = this.#instances.at(waiter.address);
    if (instance?.state !== "starting" || instance.owner === "pool") return;
    if (!this.#line.wants(waiter.address)) this.#stop(instance, "abandoned");
  }

  // Starting.

  #claimSpare({ wish }: Waiter): Instance | undefined {
    const spare = this.#instances.claimSpare(wish.server, wish.key, wish.owner);
    if (spare) this.#watch(spare, wish);
    return spare;
  }

  #startFor(waiter: Waiter): Instance | undefined {
    const { server, key, owner } = waiter.wish;
    const refusal = this.failures.refusal(server.definition, this.#context.clock.now());
    if (refusal) {
      this.#line.refuse(waiter, refusal);
      return undefined;
    }
    // Whoever waited before a reload goes first, so that old and new never run side by side.
    if (!waiter.stale && this.#line.hasStale) return undefined;
    const after = this.#instances.before(server, key);
    const places = this.#instances.places();
    if (places >= this.#max) {
      // Taking over one place helps only where there are not too many taken already.
      const leaving = places > this.#max
        ? undefined
        : this.#instances.replaceable(({ address }) => this.#line.wants(address));
      if (!leaving) return undefined;
      if (!leaving.goesFirst) this.#stop(leaving, "evicted");
      leaving.superseded = true;
      if (!after.includes(leaving)) after.push(leaving);
    }
    const instance = this.#start(server, key, { owner, after });
    this.#watch(instance, waiter.wish);
    if (waiter.stale) {
      instance.retiring = "reloaded";
      instance.goesFirst = true;
      const { startTimeoutMs } = this.#context.limits(server);
      instance.drainUntil = this.#context.clock.now() + startTimeoutMs + this.#staleGraceMs;
      this.#context.wake(instance.drainUntil);
    }
    return instance;
  }

  #start(
    server: PooledServer,
    key: string,
    options: { owner: Instance["owner"]; after: Instance[]; spare?: boolean },
  ): Instance {
    const { owner, after, spare = false } = options;
    const { clock, connect, limits } = this.#context;
    const instance = new Instance({
      server,
      key,
      owner,
      connect,
      listener: this,
      now: () => clock.now(),
      stopGraceMs: () => limits(server).stopGraceMs,
    });
    this.#instances.add(instance, { spare });
    instance.open(after.map((earlier) => earlier.gone));
    return instance;
  }

  #watch(instance: Instance, { watchPid }: Wish): void {
    if (watchPid === undefined) return;
    instance.watch = { pid: watchPid, stamp: this.#context.processStamp(watchPid) };
    this.#context.wake(this.#context.clock.now() + this.#context.pidPollMs);
  }

  // Stopping.

  #retire(instance: Instance, reason: StopReason, drainUntil = Infinity): void {
    if (instance.state === "stopping" || instance.state === "gone") return;
    const known = instance.retiring !== undefined;
    instance.retiring ??= reason;
    instance.drainUntil = Math.min(instance.drainUntil, drainUntil);
    const { address, leases } = instance;
    // A start is worth finishing for those who wait for it.
    const isWanted = instance.state === "starting" ? this.#line.wants(address) : leases > 0;
    if (!isWanted || this.#context.clock.now() >= instance.drainUntil) return this.#stop(instance, reason);
    this.#context.wake(instance.drainUntil);
    if (instance.state === "starting") return;
    this.#instances.detach(instance);
    if (!known) {
      this.#emit({ type: "retired", server: this.#name, key: instance.key, reason, leases });
    }
  }

  #stop(instance: Instance, reason: StopReason): void {
    this.#instances.detach(instance);
    instance.stop(reason);
  }

  /** Stops idle ones beyond `max`, which may have been lowered. */
  #trim(): void {
    const surplus = this.#instances.serving() - this.#max;
    if (surplus <= 0) return;
    for (const instance of this.#instances.idle().slice(0, surplus)) this.#stop(instance, "surplus");
  }

  /** Nobody uses it for now: has it stopped in time. */
  #rest(instance: Instance): void {
    this.#context.wake((instance.idleSince ?? 0) + this.#context.limits(instance.server).idleTimeoutMs);
  }

  #hasOutlived({ watch }: Instance): boolean {
    return watch !== undefined &&
      (watch.stamp === undefined || this.#context.processStamp(watch.pid) !== watch.stamp);
  }

  get #max(): number {
    return Math.max(1, this.#context.limits(this.#latest).max);
  }

  #emit(event: PoolEvent | undefined): void {
    if (event) this.#context.emit(event);
  }
}
