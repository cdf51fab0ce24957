import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { SettingsStack } from "./settings_stack.ts";

const files = (
  ...values: [path: string, value: unknown, file?: string][]
): Parameters<SettingsStack["setFiles"]>[0] =>
  values.map(([path, value, file = "/p/.mcpx.json"]) => ({
    path,
    value,
    file,
    kind: "project" as const,
    trusted: false,
  }));

Deno.test("an edit lowers a ceiling at once, and raises it only with a restart", () => {
  const stack = new SettingsStack({ env: {}, flags: {} });
  stack.setFiles(files(["autonomy.max", "propose"]));
  assert.equal(stack.base.get("autonomy.max"), "propose");
  stack.setFiles(files(["autonomy.max", "ask"]));
  assert.equal(stack.base.get("autonomy.max"), "ask");
  stack.setFiles(files(["autonomy.max", "run"]));
  assert.equal(stack.base.get("autonomy.max"), "ask");
  assert.equal(stack.base.explain("autonomy.max").source, "/p/.mcpx.json, until the daemon restarts");
  stack.setFiles([]);
  assert.equal(stack.base.get("autonomy.max"), "ask");
});

Deno.test("what is no ceiling follows the files", () => {
  const stack = new SettingsStack({ env: {}, flags: {} });
  stack.setFiles(files(["search.limit", 3]));
  stack.setFiles(files(["search.limit", 30]));
  assert.equal(stack.base.get("search.limit"), 30);
});

Deno.test("neither a request nor a running daemon's setting reaches a ceiling", () => {
  const stack = new SettingsStack({ env: {}, flags: {} });
  stack.setFiles(files(["autonomy.max", "ask"]));
  const refused = (error: unknown): boolean => error instanceof McpxError && error.code === "setting-scope";
  assert.throws(() => stack.setRuntime("autonomy.max", "run"), refused);
  assert.throws(() => stack.forRequest({ values: { "autonomy.max": "run" } }), refused);
  const { settings } = { settings: stack.forRequest({ env: { MCPX_AUTONOMY_MAX: "run" } }) };
  assert.equal(settings.get("autonomy.max"), "ask");
});
