import type { ConnectionEnd } from "../mcp/types.ts";
import type { Instance } from "./instance.ts";
import type { PoolEvent } from "./types.ts";

/** The event of an instance that is ready; undefined for one without a connection. */
export function startedEvent(instance: Instance, now: number): PoolEvent | undefined {
  const { connection, server, key, startedAt } = instance;
  return connection && {
    type: "started",
    server: server.name,
    key,
    definition: server.definition,
    ...(connection.pid === undefined ? {} : { pid: connection.pid }),
    era: connection.era,
    tookMs: now - startedAt,
  };
}

/** The event of an instance that is gone; undefined for one that never had a connection. */
export function stoppedEvent(
  instance: Instance,
  how: { end: ConnectionEnd | undefined; problem: string | undefined },
): PoolEvent | undefined {
  const { connection, server, key, reason = "closed" } = instance;
  return connection && {
    type: "stopped",
    server: server.name,
    key,
    ...(connection.pid === undefined ? {} : { pid: connection.pid }),
    reason,
    ...(how.end ? { end: how.end } : {}),
    ...(how.problem === undefined ? {} : { problem: how.problem }),
  };
}
