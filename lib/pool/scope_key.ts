import type { Scope } from "../config/types.ts";
import type { CallerIdentity, InstanceView, PooledServer } from "./types.ts";

/** What a scope comes to for one caller: the key of its instance, or why there is none. */
export type ScopeKey = { key: string } | { missing: string };

/**
 * Resolves what an instance is keyed by for one caller.
 *
 * @param scope the server's scope
 * @param caller who calls
 * @returns `key`, such as `global` or `session:abc`; or `missing`, a sentence that names what would fix it, and
 * then the caller gets an instance per call. The `call` scope has the bare key `call`: the pool numbers it.
 * @example
 * ```ts
 * import { scopeKey } from "./scope_key.ts";
 * const found = scopeKey("session", { session: "abc" });
 * console.assert("key" in found && found.key === "session:abc");
 * ```
 */
export function scopeKey(scope: Scope, caller: CallerIdentity): ScopeKey {
  switch (scope) {
    case "global":
    case "call":
      return { key: scope };
    case "session":
      return keyed(
        scope,
        caller.session,
        "the caller names no session: pass --session or set MCPX_SESSION_ID",
      );
    case "parent-session":
      return keyed(
        scope,
        caller.parentSession,
        "the caller names no parent session: set MCPX_PARENT_SESSION_ID",
      );
    case "pid":
      return keyed(
        scope,
        caller.pid,
        "the caller's parent process is not known: pass --session and set scope: session",
      );
    case "cwd":
      return keyed(scope, caller.cwd, "the caller names no working folder: start it in one");
    case "repo":
    case "worktree":
      return keyed(
        scope,
        caller[scope],
        "the caller's folder lies in no Git repository: start it in one, or set scope: cwd",
      );
  }
}

/**
 * Whether a caller's requests to a server go to that instance, whoever started it. One of a call's own is nobody else's.
 *
 * @param instance the instance
 * @param server the server, expanded for the caller
 * @param caller who would call
 */
export function isInstanceOf(instance: InstanceView, server: PooledServer, caller: CallerIdentity): boolean {
  if (instance.server.name !== server.name || instance.server.definition !== server.definition) return false;
  const found = scopeKey(server.scope, caller);
  return "key" in found && found.key === instance.key;
}

function keyed(scope: Scope, value: string | number | undefined, missing: string): ScopeKey {
  return value === undefined || value === "" ? { missing } : { key: `${scope}:${value}` };
}
