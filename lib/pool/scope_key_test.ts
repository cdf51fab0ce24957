import assert from "node:assert/strict";
import { scopeKey } from "./scope_key.ts";
import type { CallerIdentity } from "./types.ts";
import type { Scope } from "../config/types.ts";

const caller: CallerIdentity = {
  cwd: "/r/w/sub",
  pid: 12,
  session: "s",
  parentSession: "p",
  repo: "/r",
  worktree: "/r/w",
};

Deno.test("every scope has the key that its name promises", () => {
  const keys: Record<Scope, string> = {
    "global": "global",
    "repo": "repo:/r",
    "worktree": "worktree:/r/w",
    "cwd": "cwd:/r/w/sub",
    "session": "session:s",
    "parent-session": "parent-session:p",
    "pid": "pid:12",
    "call": "call",
  };
  for (const scope of Object.keys(keys) as Scope[]) {
    assert.deepEqual(scopeKey(scope, caller), { key: keys[scope] });
  }
});

Deno.test("a scope that cannot be resolved names what would fix it", () => {
  const fixes: [Scope, RegExp][] = [
    ["session", /--session .*MCPX_SESSION_ID/],
    ["parent-session", /MCPX_PARENT_SESSION_ID/],
    ["pid", /--session/],
    ["cwd", /working folder/],
    ["repo", /Git repository.*scope: cwd/],
    ["worktree", /Git repository.*scope: cwd/],
  ];
  for (const [scope, fix] of fixes) {
    const found = scopeKey(scope, {});
    assert.ok("missing" in found, scope);
    assert.match(found.missing, fix);
  }
});

Deno.test("an empty session is no session", () => {
  assert.ok("missing" in scopeKey("session", { session: "" }));
});
