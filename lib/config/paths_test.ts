import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { mcpxPaths } from "./paths.ts";

Deno.test("folders follow the XDG variables and their defaults", () => {
  assert.deepEqual(mcpxPaths({ HOME: "/h", XDG_RUNTIME_DIR: "/run/user/1" }, { os: "linux" }), {
    config: "/h/.config/mcpx",
    state: "/h/.local/state/mcpx",
    cache: "/h/.cache/mcpx",
    data: "/h/.local/share/mcpx",
    runtime: "/run/user/1/mcpx",
    runtimeFallback: false,
  });
  const all = mcpxPaths({
    XDG_CONFIG_HOME: "/c/",
    XDG_STATE_HOME: "/s",
    XDG_CACHE_HOME: "/k",
    XDG_DATA_HOME: "/d",
  }, { os: "darwin" });
  assert.deepEqual([all.config, all.state, all.cache, all.data], [
    "/c/mcpx",
    "/s/mcpx",
    "/k/mcpx",
    "/d/mcpx",
  ]);
});

Deno.test("empty and relative XDG variables count as unset, and sockets then lie under the state folder", () => {
  const paths = mcpxPaths({ HOME: "/h", XDG_STATE_HOME: "", XDG_CACHE_HOME: "cache", XDG_RUNTIME_DIR: "" }, {
    os: "linux",
  });
  assert.equal(paths.cache, "/h/.cache/mcpx");
  assert.equal(paths.runtime, "/h/.local/state/mcpx/run");
  assert.equal(paths.runtimeFallback, true);
});

Deno.test("without a home folder the error names the variables", () => {
  assert.throws(
    () => mcpxPaths({}),
    (error) => error instanceof McpxError && /HOME and XDG/.test(error.message),
  );
});
