import type { McpTool } from "../catalog/types.ts";
import { compareShapes } from "./compare_shapes.ts";
import { isRecord, isShape } from "./history_file.ts";
import { toolShape } from "./shape.ts";
import type { RecordedChange, ToolChange, ToolShape } from "./types.ts";

/** The shapes that a project counts on. */
export interface CatalogLock {
  version: 1;
  /** Server name -> wire name -> shape. */
  servers: Record<string, Record<string, ToolShape>>;
}

/**
 * Writes down the shapes of every tool, in an order that does not depend on the servers'.
 *
 * @param servers server name -> its tools
 * @returns the lock, ready for {@link printLock}
 *
 * @example
 * ```ts
 * import { lockShapes } from "./drift.ts";
 * const lock = lockShapes(new Map([["demo", [{ name: "echo" }]]]));
 * console.assert(Object.keys(lock.servers.demo ?? {})[0] === "echo");
 * ```
 */
export function lockShapes(servers: ReadonlyMap<string, readonly McpTool[]>): CatalogLock {
  const locked = [...servers].map(([server, tools]): [string, Record<string, ToolShape>] => [
    server,
    Object.fromEntries(
      tools.toReversed().map((tool): [string, ToolShape] => [tool.name, toolShape(tool)]).sort(byName),
    ),
  ]);
  return { version: 1, servers: Object.fromEntries(locked.sort(byName)) };
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Says how the tools as they are differ from a lock.
 *
 * @param lock what was locked
 * @param servers server name -> its tools as they are; a server that is not here counts as not read
 * @param when the time that the changes get
 * @returns the changes with their verdicts; breaking ones fail a check
 */
export function checkLock(
  lock: CatalogLock,
  servers: ReadonlyMap<string, readonly McpTool[]>,
  when: string,
): RecordedChange[] {
  const changes: RecordedChange[] = [];
  for (const [server, tools] of [...servers].sort(byName)) {
    const firsts = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
    for (const [name, tool] of [...firsts].sort(byName)) {
      changes.push(
        ...checkTool(lock, { server, tool, when }).map((change) => ({ server, tool: name, ...change })),
      );
    }
    for (const tool of Object.keys(shapesOf(lock, server))) {
      if (firsts.has(tool)) continue;
      const what = "the tool was removed";
      changes.push({ server, tool, when, kind: "tool-removed", what, verdict: "breaking" });
    }
  }
  return changes;
}

/**
 * Says how one tool as it is differs from a lock.
 *
 * @param lock what was locked
 * @param now the tool, whose it is, and the time that the changes get
 */
export function checkTool(
  lock: CatalogLock,
  now: { server: string; tool: McpTool; when: string },
): ToolChange[] {
  const { server, tool, when } = now;
  const locked = shapesOf(lock, server);
  const before = Object.hasOwn(locked, tool.name) ? locked[tool.name] : undefined;
  if (before === undefined) {
    return [{ when, kind: "tool-added", what: "the tool was added", verdict: "compatible" }];
  }
  return compareShapes(before, toolShape(tool)).map((change) => ({ when, ...change }));
}

function shapesOf(lock: CatalogLock, server: string): Record<string, ToolShape> {
  return Object.hasOwn(lock.servers, server) ? lock.servers[server] ?? {} : {};
}

/** The text of a lock file: one line a value, so that a diff shows what changed. */
export function printLock(lock: CatalogLock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Reads a lock file; what is wrong with it is a sentence, and nothing is thrown. */
export function parseLock(text: string): { ok: true; lock: CatalogLock } | { ok: false; message: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `The lock file is no complete JSON: ${detail}.` };
  }
  return isLock(value)
    ? { ok: true, lock: value }
    : { ok: false, message: "The lock file is of another version, or holds something else." };
}

function isLock(value: unknown): value is CatalogLock {
  return isRecord(value) && value.version === 1 && isRecord(value.servers) &&
    Object.values(value.servers).every((tools) => isRecord(tools) && Object.values(tools).every(isShape));
}
