/**
 * The pool: keeps connections to servers and leases them to callers.
 *
 * Read `connection_pool.ts` for what it offers, `server_pool.ts` for how it decides, `instance.ts` for the life of
 * one process, `waiting_line.ts` and `instance_set.ts` for what the decisions are taken on.
 *
 * @module
 */
export { childEnv, type ChildEnvParts } from "./child_env.ts";
export { systemClock } from "./clock.ts";
export { ConnectionPool } from "./connection_pool.ts";
export { processStamp } from "./process_stamp.ts";
export { isInstanceOf, type ScopeKey, scopeKey } from "./scope_key.ts";
export type {
  CallerIdentity,
  InstanceStatus,
  InstanceView,
  Lease,
  LeaseOptions,
  PoolClock,
  PooledServer,
  PoolEvent,
  PoolLimits,
  PoolOptions,
  PoolRun,
  RunOptions,
  ServerFailure,
  StopReason,
} from "./types.ts";
