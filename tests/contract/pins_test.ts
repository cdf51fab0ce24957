import assert from "node:assert/strict";
import { createApp } from "../../daemon/http/app.ts";
import { Engine } from "../../lib/engine/engine.ts";
import { ERROR_CODES } from "../../lib/errors/mod.ts";
import { OPERATIONS } from "../../lib/operations/table.ts";

// What others depend on. A red test here means: be deliberate.

Deno.test("the routes are these", () => {
  assert.deepEqual(OPERATIONS.map(({ id, http }) => `${id}: ${http.method} ${http.path}`), [
    "server.list: GET /v1/servers",
    "tool.list: GET /v1/tools",
    "search: GET /v1/search",
    "describe: GET /v1/describe",
    "types: GET /v1/types",
    "catalog: GET /v1/catalog",
    "call: POST /v1/call",
    "exec: POST /v1/exec",
    "script.list: GET /v1/scripts",
    "artifact.list: GET /v1/artifacts",
    "artifact.get: GET /v1/artifacts/{id}",
    "artifact.delete: DELETE /v1/artifacts/{id}",
    "intent: POST /v1/intent",
    "recipe.list: GET /v1/recipes",
    "recipe.match: GET /v1/recipe/match",
    "recipe.show: GET /v1/recipes/{name}",
    "recipe.run: POST /v1/recipes/{name}/run",
    "recipe.save: POST /v1/recipes/{name}",
    "recipe.delete: DELETE /v1/recipes/{name}",
    "diagnose: POST /v1/diagnose",
    "history.show: GET /v1/catalog/history",
    "history.lock: POST /v1/catalog/lock",
    "history.check: POST /v1/catalog/check",
    "elicit.list: GET /v1/elicit",
    "elicit.watch: GET /v1/elicit/watch",
    "elicit.show: GET /v1/elicit/{id}",
    "elicit.answer: POST /v1/elicit/{id}/answer",
    "elicit.decline: POST /v1/elicit/{id}/decline",
    "elicit.cancel: POST /v1/elicit/{id}/cancel",
    "task.list: GET /v1/tasks",
    "task.get: GET /v1/tasks/{id}",
    "task.result: GET /v1/tasks/{id}/result",
    "task.cancel: POST /v1/tasks/{id}/cancel",
    "refresh: POST /v1/refresh",
    "prompt.list: GET /v1/prompts",
    "prompt.get: POST /v1/prompt",
    "resource.list: GET /v1/resources",
    "resource.read: GET /v1/resource",
    "complete: POST /v1/complete",
    "status: GET /v1/status",
    "restart: POST /v1/restart",
    "stop: POST /v1/stop",
    "config: GET /v1/config",
    "config.reload: POST /v1/reload",
    "server.entries: GET /v1/config/servers",
    "server.add: POST /v1/config/servers",
    "server.remove: DELETE /v1/config/servers/{name}",
    "setting.list: GET /v1/settings",
    "setting.get: GET /v1/settings/{path}",
    "setting.set: POST /v1/settings/{path}",
    "setting.unset: DELETE /v1/settings/{path}",
  ]);
});

Deno.test("the routes beside those of operations are these", async () => {
  const root = await Deno.makeTempDir({ prefix: "mcpx-routes-" });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => Deno.remove(root, { recursive: true }));
  const engine = cleanup.use(await Engine.open({ cwd: root, env: { HOME: root, XDG_RUNTIME_DIR: root } }));
  const app = createApp({
    engine,
    guard: { transport: "unix" },
    mcp: () => Promise.resolve(new Response()),
    command: () => new Response(),
    health: () => ({}),
  });
  const paths = OPERATIONS.flatMap(({ http }) => [http.path, http.alternate?.path ?? ""]);
  const own = new Set(paths.map((path) => path.replace(/\{(\w+)\}/g, ":$1")));
  assert.deepEqual(
    [...new Set(app.routes.map(({ path }) => path))].filter((path) => !own.has(path)),
    ["/*", "/v1/command", "/v1/health", "/v1/openapi.json", "/v1/events", "/mcp", "/sse", "/sse/:id"],
  );
});

Deno.test("the exit statuses that are not 1 are these", () => {
  const special = Object.entries(ERROR_CODES).filter(([, { exit }]) => exit !== 1).map(([code, { exit }]) =>
    `${code}: ${exit}`
  );
  assert.deepEqual(special, [
    "usage: 2",
    "invalid-input: 2",
    "unknown-setting: 2",
    "setting-scope: 2",
    "unknown-profile: 2",
    "upstream-start-timeout: 124",
    "call-timeout: 124",
    "cancelled: 130",
    "waiting-input: 75",
    "script-timeout: 124",
  ]);
});
