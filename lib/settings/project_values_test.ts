import assert from "node:assert/strict";
import {
  type LayerInput,
  looseningNotes,
  ResolvedSettings,
  type SettingPath,
  type SettingRow,
  settingRow,
  SETTINGS,
} from "./mod.ts";

const PATHS = Object.keys(SETTINGS) as SettingPath[];
const USER = "/home/me/.config/mcpx/config.json";
const PROJECT = "/p/.mcpx.json";

/** The settings where a user's file and project files, nearest first, say these values. */
function resolved(
  path: SettingPath,
  said: { user?: string; projects: [value: string, trust: "trusted" | "untrusted"][] },
  above: LayerInput[] = [],
): ResolvedSettings {
  const entries = [
    ...said.user === undefined ? [] : [{ path, value: said.user, source: USER }],
    ...said.projects.toReversed().map(([value, project]) => ({ path, value, source: PROJECT, project })),
  ];
  return ResolvedSettings.from([{ layer: "file", entries }, ...above]);
}

/** Two values of a setting, the stricter first. */
function twoValues(row: SettingRow): [string, string] {
  const order = row.kind === "enum"
    ? [...row.strictness ?? row.values ?? []]
    : row.kind === "bool"
    ? ["false", "true"]
    : ["1", "2"];
  const [least = "", most = ""] = [order[0], order.at(-1)];
  return row.project === "raises" || row.project === "over" ? [most, least] : [least, most];
}

Deno.test("which settings a project's file may not loosen", () => {
  const byRule: Record<string, string[]> = {};
  for (const path of PATHS) {
    const row: SettingRow = settingRow(path);
    const rule = row.ceiling ? "ceiling" : row.project;
    if (rule !== undefined) (byRule[rule] ??= []).push(path);
  }
  assert.deepEqual(byRule, {
    ceiling: ["autonomy.max", "diagnose.drift", "script.permissionsMax", "script.permissionsMaxAgent"],
    lowers: [
      "elicit.sampling",
      "hooks.autonomy",
      "http.auth",
      "prompt.sample",
      "script.isolation",
      "serve.admin",
    ],
    raises: ["config.trust", "elicit.confirmDestructive"],
    under: [
      "elicit.disambiguateDefault",
      "elicit.maxOpen",
      "exec.concurrency",
      "exec.cpu",
      "exec.heap",
      "exec.maxArtifacts",
      "exec.maxCalls",
      "exec.maxOutput",
      "exec.maxResult",
      "exec.maxRuns",
      "exec.maxScratch",
      "exec.maxWait",
      "exec.prewarm",
      "exec.timeout",
      "prompt.autonomy",
      "upstream.maxMessage",
    ],
    over: [
      "diagnose.history",
      "diagnose.preflight",
      "elicit.disambiguate",
      "recipes.matchMargin",
      "recipes.minScore",
    ],
    trusted: [
      "artifact.quota",
      "artifact.ttl",
      "http.bodyTimeout",
      "http.listen",
      "http.maxBody",
      "http.shutdownGrace",
      "model.apiKey",
      "model.baseUrl",
      "model.maxTokens",
      "model.name",
      "model.provider",
      "model.timeout",
      "script.before",
      "script.hosts",
      "script.onError",
      "script.onSuccess",
      "script.profile",
    ],
    never: ["daemon.endpoint", "daemon.inline", "daemon.startTimeout", "daemon.token", "elicit.prompt"],
    yields: ["serve.mode", "servers.groups"],
  });
});

Deno.test("of what the user and a project say, the stricter holds, for every setting that protects, trusted or not", () => {
  for (const path of PATHS) {
    const row: SettingRow = settingRow(path);
    if (!["lowers", "raises", "under", "over"].includes(row.project ?? "")) continue;
    const [strict, loose] = twoValues(row);
    for (const trust of ["trusted", "untrusted"] as const) {
      const kept = resolved(path, { user: strict, projects: [[loose, trust]] });
      assert.equal(kept.explain(path).source, USER, `${path} ${trust}`);
      assert.equal(looseningNotes(kept, [path]).length, 1, path);
      assert.match(
        kept.explain(path).notes?.[0] ?? "",
        /\/p\/\.mcpx\.json: .* is ignored: .* can only make it stricter/,
      );
      const tightened = resolved(path, { user: loose, projects: [[strict, trust]] });
      assert.equal(tightened.explain(path).source, PROJECT, `${path} ${trust}`);
      assert.deepEqual(looseningNotes(tightened, [path]), []);
      const two = resolved(path, { user: loose, projects: [[loose, trust], [strict, trust]] });
      assert.equal(two.explain(path).displaced.length, 3, path);
      assert.deepEqual(
        two.get(path),
        tightened.get(path),
        `${path}: a nearer project loosens no farther one's`,
      );
    }
  }
});

Deno.test("what the default protects from, a project's file loosens once it is trusted, and a person at once", () => {
  assert.equal(resolved("serve.admin", { projects: [["true", "untrusted"]] }).get("serve.admin"), false);
  assert.equal(resolved("serve.admin", { projects: [["true", "trusted"]] }).get("serve.admin"), true);
  assert.match(
    resolved("serve.admin", { projects: [["true", "untrusted"]] }).explain("serve.admin").notes?.[0] ?? "",
    /Run: mcpx trust \/p\/\.mcpx\.json$/,
  );
  const flag: LayerInput = {
    layer: "flag",
    entries: [{ path: "exec.timeout", value: "3m", source: "--exec-timeout" }],
  };
  const said = resolved("exec.timeout", { user: "1m", projects: [["10m", "untrusted"]] }, [flag]);
  assert.equal(said.get("exec.timeout"), 180_000);
});

Deno.test("a limit that the user has said nothing of is a project's to give, the nearest one's", () => {
  assert.equal(resolved("exec.timeout", { projects: [["10m", "untrusted"]] }).get("exec.timeout"), 600_000);
  const two = resolved("exec.timeout", { projects: [["10m", "untrusted"], ["1m", "untrusted"]] });
  assert.equal(two.get("exec.timeout"), 600_000);
  assert.deepEqual(looseningNotes(two, ["exec.timeout"]), []);
  const off = resolved("diagnose.preflight", { projects: [["false", "untrusted"]] });
  assert.equal(off.get("diagnose.preflight"), false);
});

Deno.test("0 for what 0 leaves unbounded is the loosest of all", () => {
  assert.equal(resolved("exec.cpu", { user: "5s", projects: [["0", "untrusted"]] }).get("exec.cpu"), 5000);
  assert.equal(resolved("exec.cpu", { projects: [["5s", "untrusted"]] }).get("exec.cpu"), 5000);
});

Deno.test("what a project's file may never give, and what goes behind the user's, is the user's", () => {
  assert.equal(
    resolved("daemon.endpoint", { projects: [["http://evil", "trusted"]] }).get("daemon.endpoint"),
    "",
  );
  assert.deepEqual(
    resolved("serve.mode", { user: "code", projects: [["full", "trusted"]] }).get("serve.mode"),
    ["code"],
  );
  assert.deepEqual(resolved("serve.mode", { projects: [["full", "untrusted"]] }).get("serve.mode"), ["full"]);
  const secret = resolved("daemon.token", { projects: [["hunter2hunter2", "untrusted"]] });
  assert.doesNotMatch(JSON.stringify(secret.explain("daemon.token")), /hunter2/);
});
