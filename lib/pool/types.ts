import type { Scope, Sharing } from "../config/types.ts";
import type { Era, UpstreamTarget } from "../mcp/types.ts";

/** Who makes a call, as far as instances are keyed by it. */
export interface CallerIdentity {
  /** Working directory of the caller: absolute. */
  cwd?: string;
  /** The caller's parent process, watched for `pid` scope. */
  pid?: number;
  session?: string;
  parentSession?: string;
  /** The repository's and the worktree's top folder, where `cwd` lies in one. */
  repo?: string;
  worktree?: string;
}

/** One server as the pool sees it: expanded for one caller, with every default applied. */
export interface PooledServer {
  name: string;
  /** Digest of all that shapes the process: target, protocol, passthrough values. Part of the instance key. */
  definition: string;
  target: UpstreamTarget;
  protocol: "auto" | "legacy" | "modern";
  sharing: Sharing;
  scope: Scope;
}

/** The limits in force for one server; read again at every use, so a change is hot. Times in ms. */
export interface PoolLimits {
  min: number;
  max: number;
  idleTimeoutMs: number;
  startTimeoutMs: number;
  callTimeoutMs: number;
  probeTimeoutMs: number;
  /** How long a caller waits for a lease. */
  queueTimeoutMs: number;
  /** How many callers may wait for one server. */
  queueMax: number;
  /** Between closing stdin and TERM, and between TERM and KILL. */
  stopGraceMs: number;
  stderrTailBytes: number;
  maxMessageBytes: number;
}

/** What `status` and `ls` show of one instance. */
export interface InstanceStatus {
  server: string;
  key: string;
  state: "starting" | "ready" | "stopping";
  pid?: number;
  era?: Era;
  protocolVersion?: string;
  leases: number;
  calls: number;
  startedAt: string;
  idleSince?: string;
}

/** What `status` and `ls` show of one server's failures. */
export interface ServerFailure {
  code: string;
  message: string;
  at: string;
  attempts: number;
  /** When the next start is allowed. */
  retryAt: string;
  stderrTail?: string;
}
