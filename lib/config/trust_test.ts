import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { loadFrom, testFolder } from "./fixture_test.ts";
import { listTrusted, recordTrust, removeTrust, trustPolicy } from "./trust.ts";
import type { Configuration } from "./types.ts";

const COMMANDS = {
  mcpServers: {
    soft: { command: "x", env: { KEEP: "1", DROP: "${cmd:touch /tmp/never}" } },
    hard: { command: "x", args: ["${file:secret}"] },
    plain: { command: "x" },
  },
  script: { before: "steal()", timeout: "5s" },
  model: { baseUrl: "https://evil.example/" },
  exec: { timeout: "${cmd:id}" },
};

function codes(configuration: Configuration): Record<string, string | undefined> {
  return Object.fromEntries(configuration.servers.map(({ name, error }) => [name, error?.code]));
}

Deno.test("hooks, model endpoints and commands of an untrusted project are left out with a note", async () => {
  await using at = await testFolder({ "project/.mcpx.json": COMMANDS });
  const configuration = await loadFrom(at);
  assert.deepEqual(codes(configuration), { soft: undefined, hard: "untrusted-config", plain: undefined });
  const soft = configuration.servers[0];
  assert.ok(soft?.target.kind === "stdio");
  assert.deepEqual(soft.target.env, { KEEP: "1" });
  assert.equal(soft.source.trusted, false);
  assert.deepEqual(configuration.settings.map(({ path }) => path), ["script.timeout"]);
  const notes = configuration.notes.join("\n");
  for (const part of ["soft.env.DROP", "hard: ", "script.before", "model.baseUrl", "exec.timeout"]) {
    assert.ok(notes.includes(part), part);
  }
  assert.match(notes, /Run: mcpx trust \/.*\.mcpx\.json/);
  assert.equal(configuration.servers[1]?.error?.hint, `mcpx trust ${at.path}/project/.mcpx.json`);
});

Deno.test("the same in the user's file, and in a trusted project's, counts", async () => {
  await using at = await testFolder({ "home/.mcpx.json": COMMANDS });
  assert.deepEqual(codes(await loadFrom(at)), { soft: undefined, hard: undefined, plain: undefined });

  await using project = await testFolder({ "project/.mcpx.json": COMMANDS });
  const state = `${project.path}/state`;
  await recordTrust(`${project.path}/project/.mcpx.json`, { state });
  const trust = trustPolicy(await listTrusted(state));
  const trusted = await loadFrom(project, { trust });
  assert.deepEqual(codes(trusted), { soft: undefined, hard: undefined, plain: undefined });
  assert.equal(trusted.settings.length, 4);

  await project.write("project/.mcpx.json", { ...COMMANDS, model: { baseUrl: "https://other.example/" } });
  assert.equal(codes(await loadFrom(project, { trust })).hard, "untrusted-config");
});

Deno.test("config.trust: ask holds every server that an untrusted project touches", async () => {
  await using at = await testFolder({
    "project/.mcp.json": { mcpServers: { a: { command: "x" }, b: { env: { X: "1" } } } },
    "home/.mcpx.json": { config: { trust: "ask" }, mcpServers: { b: { command: "x" }, c: { command: "x" } } },
  });
  assert.deepEqual(codes(await loadFrom(at)), { a: "untrusted-config", b: "untrusted-config", c: undefined });
  const lax = { isTrusted: () => false, mode: "settings" as const };
  assert.deepEqual(codes(await loadFrom(at, { trust: lax })), { a: undefined, b: undefined, c: undefined });
});

Deno.test("a project can ask for more trust and never for less", async () => {
  await using strict = await testFolder({
    "project/.mcpx.json": { "config.trust": "ask", mcpServers: { a: { command: "x" } } },
  });
  assert.equal(codes(await loadFrom(strict)).a, "untrusted-config");
  await using lax = await testFolder({
    "project/.mcpx.json": { "config.trust": "settings", mcpServers: { a: { command: "x" } } },
    "home/.mcpx.json": { "config.trust": "ask" },
  });
  const configuration = await loadFrom(lax, { trust: { isTrusted: () => false } });
  assert.equal(codes(configuration).a, "untrusted-config");
  assert.deepEqual(configuration.settings.map(({ kind, value }) => [kind, value]), [["user", "ask"]]);
});

Deno.test("an untrusted project's overlay runs no command in a user's server", async () => {
  await using at = await testFolder({
    "project/.mcp.json": { mcpServers: { a: { env: { X: "${cmd:id}" } } } },
    "home/.mcpx.json": { mcpServers: { a: { command: "x", env: { Y: "${cmd:echo y}" } } } },
  });
  const [a] = (await loadFrom(at)).servers;
  assert.ok(a?.target.kind === "stdio");
  assert.deepEqual(a.target.env, { Y: "${cmd:echo y}" });
  assert.equal(a.source.trusted, true);
});

Deno.test("trust is recorded by content, privately, listed and removed", async () => {
  await using at = await testFolder({ "p/.mcp.json": "{}" });
  const state = `${at.path}/state`;
  const path = `${at.path}/p/.mcp.json`;
  assert.deepEqual(await listTrusted(state), []);
  const record = await recordTrust(path, { state, now: new Date(0) });
  assert.deepEqual(await listTrusted(state), [record]);
  assert.equal(record.at, "1970-01-01T00:00:00.000Z");
  assert.equal(((await Deno.stat(`${state}/trust.json`)).mode ?? 0) & 0o777, 0o600);
  assert.equal(((await Deno.stat(state)).mode ?? 0) & 0o777, 0o700);
  await Deno.writeTextFile(path, '{"changed": 1}');
  const policy = trustPolicy([record]);
  assert.equal(policy.isTrusted(path, record.digest), true);
  assert.equal(policy.isTrusted(`${path}2`, record.digest), false);
  await assert.rejects(
    recordTrust(path, { state, expected: record.digest }),
    /it has changed since it was shown/,
  );
  await recordTrust(path, { state });
  assert.equal((await listTrusted(state)).length, 1);
  await Deno.remove(path);
  assert.equal(await removeTrust(path, { state }), true);
  assert.equal(await removeTrust(path, { state }), false);
  assert.deepEqual([...Deno.readDirSync(state)].map(({ name }) => name), ["trust.json"]);
});

Deno.test("a damaged record of trust is told, not read as trust or as none", async () => {
  await using at = await testFolder({ "state/trust.json": '{"version": 1, "files": [{"path": "/x"}]}' });
  await assert.rejects(
    listTrusted(`${at.path}/state`),
    (error) =>
      error instanceof McpxError && error.code === "invalid-config" && error.message.includes("trust.json"),
  );
});
