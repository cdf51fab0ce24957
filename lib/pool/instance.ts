import type { Sharing } from "../config/types.ts";
import { McpxError } from "../errors/mod.ts";
import type { ConnectionEnd, UpstreamConnection } from "../mcp/types.ts";
import type { CallerIdentity, InstanceStatus, InstanceView, PooledServer, StopReason } from "./types.ts";

/** What an instance tells the queue it belongs to; nothing is told before {@link Instance.open} has returned. */
export interface InstanceListener {
  ready(instance: Instance): void;
  /** The start failed by itself; `gone` follows. */
  failed(instance: Instance, error: McpxError): void;
  /** The connection ended by itself; `gone` follows once it is cleaned up. */
  ended(instance: Instance): void;
  gone(instance: Instance, end: ConnectionEnd | undefined, problem: string | undefined): void;
}

/** What an instance is found by: its definition and its scope key. */
export function addressOf(server: PooledServer, key: string): string {
  return `${server.definition}\n${key}`;
}

/** What an instance is made with. */
export interface InstanceOptions {
  server: PooledServer;
  key: string;
  /** Whose end is the instance's end: a call's, a run's, or nobody's. */
  owner: "call" | "run" | "pool";
  connect: (instance: Instance, signal: AbortSignal) => Promise<UpstreamConnection>;
  listener: InstanceListener;
  now: () => number;
  /** Between closing stdin and TERM, and between TERM and KILL: read when it stops. */
  stopGraceMs: () => number;
}

/**
 * One process of, or connection to, a server: starting, then ready, then stopping, then gone.
 *
 * It knows nothing of queues. `ready` and `gone` are told exactly once, `ready` not at all after a failed start.
 */
export class Instance implements InstanceView {
  readonly server: PooledServer;
  readonly startedAt: number;
  /** Settles when nothing of it is left; never rejects. */
  readonly gone: Promise<void>;
  key: string;
  owner: InstanceOptions["owner"];
  state: "starting" | "ready" | "stopping" | "gone" = "starting";
  connection: UpstreamConnection | undefined;
  calls = 0;
  idleSince: number | undefined;
  /** Set: no new lease, and it stops when the last one is given back, or at `drainUntil`. */
  retiring: StopReason | undefined;
  drainUntil = Infinity;
  /** Set once it stops. */
  reason: StopReason | undefined;
  /** Whether another instance waits to take its place. */
  superseded = false;
  /** Whether no instance of its server may start before it is gone. */
  goesFirst = false;
  /** The process whose end is the instance's end, in `pid` scope. */
  watch: { pid: number; stamp: string | undefined } | undefined;
  #exclusive = false;
  #keepers = 0;
  readonly #leases = new Set<CallerIdentity>();
  readonly #options: InstanceOptions;
  readonly #abort = new AbortController();
  readonly #settleGone: () => void;

  constructor(options: InstanceOptions) {
    this.#options = options;
    this.server = options.server;
    this.key = options.key;
    this.owner = options.owner;
    this.startedAt = options.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gone = promise;
    this.#settleGone = resolve;
  }

  get leases(): number {
    return this.#leases.size;
  }

  /** Address of the instance: a lease asks for a definition under a key. */
  get address(): string {
    return addressOf(this.server, this.key);
  }

  /** Starting or ready, and not on its way out. */
  get serves(): boolean {
    return this.retiring === undefined && (this.state === "starting" || this.state === "ready");
  }

  /** Whether nobody uses it and nobody owns it; one of a run's is kept for the run. */
  get isIdle(): boolean {
    return this.state === "ready" && !this.isUsed && this.owner !== "run";
  }

  /** Whether somebody holds it or wants it kept. */
  get isUsed(): boolean {
    return this.#leases.size > 0 || this.#keepers > 0;
  }

  /** Whether one more lease can be given on it now. */
  admits(sharing: Sharing): boolean {
    return this.state === "ready" && (this.#leases.size === 0 || (sharing === "shared" && !this.#exclusive));
  }

  callers(): CallerIdentity[] {
    return [...this.#leases];
  }

  /** Counts one lease in; what comes back counts it out, and must be called once. */
  take(caller: CallerIdentity, sharing: Sharing): () => void {
    this.#exclusive = sharing === "exclusive";
    // A copy: one caller may hold several leases, and each counts.
    const entry = { ...caller };
    this.#leases.add(entry);
    this.calls++;
    this.idleSince = undefined;
    return () => {
      this.#leases.delete(entry);
      this.#rest();
    };
  }

  /** Keeps it from being idle; what comes back ends that, and must be called once. */
  keep(): () => void {
    this.#keepers++;
    this.idleSince = undefined;
    return () => {
      this.#keepers--;
      this.#rest();
    };
  }

  /**
   * Starts it.
   *
   * @param after what has to be gone first, so that an old process never lives beside the new one
   */
  async open(after: readonly Promise<void>[]): Promise<void> {
    const { connect, listener } = this.#options;
    const { signal } = this.#abort;
    let connection: UpstreamConnection;
    try {
      await Promise.all(after);
      signal.throwIfAborted();
      connection = await connect(this, signal);
    } catch (thrown) {
      this.state = "stopping";
      if (!signal.aborted) listener.failed(this, McpxError.from(thrown));
      this.#finish();
      return;
    }
    this.connection = connection;
    if (signal.aborted) return await this.#close();
    this.state = "ready";
    this.idleSince = this.#options.now();
    connection.ended.then((end) => this.#onEnded(end));
    listener.ready(this);
  }

  /** Stops it, whatever it is doing; settles when it is gone. Only the first call's reason counts. */
  stop(reason: StopReason): Promise<void> {
    if (this.state === "starting") {
      this.state = "stopping";
      this.reason = reason;
      this.#abort.abort(); // open() finishes it.
    } else if (this.state === "ready") {
      this.state = "stopping";
      this.reason = reason;
      this.#close();
    }
    return this.gone;
  }

  /** What `status` shows of it. */
  status(): InstanceStatus {
    const connection = this.connection;
    const leaving = this.retiring !== undefined || this.state === "stopping" || this.state === "gone";
    return {
      server: this.server.name,
      key: this.key,
      state: leaving ? "stopping" : this.state === "ready" ? "ready" : "starting",
      ...(connection?.pid === undefined ? {} : { pid: connection.pid }),
      ...(connection ? { era: connection.era, protocolVersion: connection.protocolVersion } : {}),
      leases: this.leases,
      calls: this.calls,
      startedAt: new Date(this.startedAt).toISOString(),
      ...(this.idleSince === undefined ? {} : { idleSince: new Date(this.idleSince).toISOString() }),
    };
  }

  #rest(): void {
    if (!this.isUsed) this.idleSince = this.#options.now();
  }

  #onEnded(end: ConnectionEnd): void {
    if (this.state !== "ready") return;
    this.state = "stopping";
    this.reason = end.kind === "exited" ? "exited" : "lost";
    this.#options.listener.ended(this);
    // The leader is gone, but what it started may not be: closing cleans up its process group.
    this.#close(end);
  }

  async #close(end?: ConnectionEnd): Promise<void> {
    let problem: string | undefined;
    try {
      await this.connection?.close({ graceMs: this.#options.stopGraceMs() });
    } catch (thrown) {
      problem = McpxError.from(thrown).message;
    }
    this.#finish(end, problem);
  }

  #finish(end?: ConnectionEnd, problem?: string): void {
    this.state = "gone";
    this.#options.listener.gone(this, end, problem);
    this.#settleGone();
  }
}
