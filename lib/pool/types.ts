import type { Scope, Sharing } from "../config/types.ts";
import type { ErrorCode } from "../errors/mod.ts";
import type { ConnectionEnd, ConnectOptions, ConnectUpstream, Era } from "../mcp/types.ts";
import type { UpstreamConnection, UpstreamTarget } from "../mcp/types.ts";

/** Who makes a call, as far as instances are keyed by it. */
export interface CallerIdentity {
  /** Working directory of the caller: absolute. */
  cwd?: string;
  /** The caller's parent process, watched for `pid` scope. */
  pid?: number;
  /** The session that it belongs to. */
  session?: string;
  /** The session that started its session. */
  parentSession?: string;
  /** The repository's and the worktree's top folder, where `cwd` lies in one. */
  repo?: string;
  /** The root of the work tree that it works in. */
  worktree?: string;
}

/** One server as the pool sees it: expanded for one caller, with every default applied. */
export interface PooledServer {
  /** The server's name. */
  name: string;
  /** Digest of all that shapes the process: target, protocol, passthrough values. Part of the instance key. */
  definition: string;
  /** How its process or endpoint is reached. */
  target: UpstreamTarget;
  /** Which era is spoken. */
  protocol: "auto" | "legacy" | "modern";
  /** Whether many callers share an instance. */
  sharing: Sharing;
  /** What an instance is keyed by. */
  scope: Scope;
}

/** The limits in force for one server; read again at every use, so a change is hot. Times in ms. */
export interface PoolLimits {
  /** Kept started for the servers that `maintain` names; at most `max`, and one under the `global` scope. */
  min: number;
  /** Live instances per server, those still stopping included. */
  max: number;
  /** 0 stops an instance as soon as nobody uses it; `Infinity` keeps it. */
  idleTimeoutMs: number;
  /** How long a start may take. */
  startTimeoutMs: number;
  /** How long a call may be silent. */
  callTimeoutMs: number;
  /** How long `server/discover` may stay unanswered. */
  probeTimeoutMs: number;
  /** How long a caller waits for its turn; the start itself is bounded by `startTimeoutMs`. */
  queueTimeoutMs: number;
  /** How many callers may wait for their turn at one server; waiting for one's own start is no queueing. */
  queueMax: number;
  /** Between closing stdin and TERM, and between TERM and KILL. */
  stopGraceMs: number;
  /** How much of its stderr is kept. */
  stderrTailBytes: number;
  /** The largest single message taken from it. */
  maxMessageBytes: number;
}

/** What `status` and `ls` show of one instance. */
export interface InstanceStatus {
  /** The server's name. */
  server: string;
  /** What it is keyed by. */
  key: string;
  /** Where it stands between start and end. */
  state: "starting" | "ready" | "stopping";
  /** Its process, where it has one. */
  pid?: number;
  /** The era that is spoken. */
  era?: Era;
  /** The revision that was agreed on. */
  protocolVersion?: string;
  /** Callers that hold it now. */
  leases: number;
  /** Calls that it has served. */
  calls: number;
  /** ISO 8601, UTC. */
  startedAt: string;
  /** Since when nobody holds it: ISO 8601, UTC. */
  idleSince?: string;
}

/** What `status` and `ls` show of one server's failures. */
export interface ServerFailure {
  /** The error's code. */
  code: string;
  /** What went wrong. */
  message: string;
  /** ISO 8601, UTC. */
  at: string;
  /** How many starts failed in a row. */
  attempts: number;
  /** When the next start is allowed. */
  retryAt: string;
  /** The last words on its stderr. */
  stderrTail?: string;
}

/** Why an instance stopped, or stops once its last lease is given back. */
export type StopReason =
  | "idle"
  | "evicted"
  | "surplus"
  | "abandoned"
  | "call-ended"
  | "run-ended"
  | "scope-ended"
  | "discarded"
  | "reloaded"
  | "restarted"
  | "exited"
  | "lost"
  | "closed";

/** Something that happened in the pool, for the log and the event stream. */
export type PoolEvent =
  | {
    type: "started";
    server: string;
    key: string;
    definition: string;
    pid?: number;
    era: Era;
    tookMs: number;
  }
  | {
    type: "stopped";
    server: string;
    key: string;
    pid?: number;
    reason: StopReason;
    /** How the connection ended, where it ended by itself. */
    end?: ConnectionEnd;
    /** What went wrong while it was closed. */
    problem?: string;
  }
  | { type: "failed"; server: string; code: ErrorCode; message: string; attempts: number; retryAt: string }
  /** The server's scope cannot be resolved for a caller, who gets an instance per call instead. Once per server. */
  | { type: "degraded"; server: string; scope: Scope; message: string }
  /** No new lease is given; it stops when the open ones are given back. */
  | { type: "retired"; server: string; key: string; reason: StopReason; leases: number };

/** One instance as those see it who answer its server's requests. */
export interface InstanceView {
  /** The server. */
  readonly server: PooledServer;
  /** What it is keyed by. */
  readonly key: string;
  /** The connection to it, once it is open. */
  readonly connection?: UpstreamConnection | undefined;
  /** Who holds it now: one entry per open lease, oldest first. */
  callers(): CallerIdentity[];
}

/** One caller's hold on one instance. */
export interface Lease extends AsyncDisposable {
  /** The connection to it. */
  readonly connection: UpstreamConnection;
  /** The instance, as those see it who answer its server's requests. */
  readonly instance: InstanceView;
  /** The scope key of the instance: `global`, `session:…`, `call:…`. */
  readonly instanceKey: string;
  /** Whether this is the first lease of its instance. */
  readonly fresh: boolean;
  /** The call timeout in force when the lease was given. */
  readonly callTimeoutMs: number;
  /**
   * Keeps the instance from being stopped for want of use, in the way of no other caller, until what comes back is disposed.
   * It may outlive the lease.
   */
  keep(): Disposable;
  /**
   * Gives the instance back; doing so again does nothing.
   *
   * @param options `discard` keeps it from all later callers
   * @returns settles when whatever this stops has stopped; at once where the instance stays
   */
  release(options?: { discard?: boolean }): Promise<void>;
}

/** A run of a script: its calls share one `call`-scoped instance per server, which stops with the run. */
export interface PoolRun extends AsyncDisposable {
  /** The run's id. */
  readonly id: string;
  /** Refuses the run's further leases, stops its instances, and settles when they are gone. */
  close(): Promise<void>;
}

/** What a lease may ask for. */
export interface LeaseOptions {
  /** Leaves the queue when aborted. */
  signal?: AbortSignal;
  /** The run that the call belongs to. */
  run?: PoolRun;
  /** The key of the instance to use whatever the scope says, or `new` for one of its own. */
  instance?: string;
}

/** What `run` may be told beside the lease. */
export interface RunOptions extends LeaseOptions {
  /** Whether the tool says `readOnlyHint` or `idempotentHint`: one retry may follow a lost connection. */
  idempotent?: boolean;
}

/** Time as the pool sees it. */
export interface PoolClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `fn` once after `ms`; what comes back prevents it. */
  setTimer(fn: () => void, ms: number): () => void;
}

/** What a pool is made of. */
export interface PoolOptions {
  /** Opens connections. */
  connect: ConnectUpstream;
  /** The limits in force now: asked at every use, so a change is hot. */
  limits: (server: PooledServer) => PoolLimits;
  /** What servers are told of the client. */
  clientInfo: { name: string; version: string };
  /** What else a connection is opened with, asked once per start. */
  openWith?: (
    instance: InstanceView,
  ) => Partial<Pick<ConnectOptions, "handlers" | "onNotification" | "onNote" | "remembered">>;
  /** Told of every start, end and failure. */
  onEvent?: (event: PoolEvent) => void;
  /** Default: the system's. */
  clock?: PoolClock;
  /** Tells a running process from a later one of the same id; undefined when there is none. Default: the system's. */
  processStamp?: (pid: number) => string | undefined;
  /** Between looks at the processes that `pid`-scoped instances belong to, ms. Default 2000. */
  pidPollMs?: number;
  /** Waits after failed starts double from `baseMs` (1000) to `maxMs` (30000). */
  backoff?: { baseMs: number; maxMs: number };
}
