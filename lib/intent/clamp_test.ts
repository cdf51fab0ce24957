import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { type LayerInput, ResolvedSettings } from "../settings/mod.ts";
import { readAutonomy, stopOf } from "./clamp.ts";

const layer = (name: LayerInput["layer"], entries: Record<string, unknown>): LayerInput => ({
  layer: name,
  entries: Object.entries(entries).map(([path, value]) => ({ path, value, source: `the ${name}` })),
});
const asked = (value: string): { value: string; source: string } => ({ value, source: "body" });

Deno.test("a request above the ceiling is lowered to it and says by what, whichever layer asks", () => {
  const wanted: Record<string, [autonomy: string, stop: string]> = {
    off: ["off", "advise"],
    advise: ["advise", "advise"],
    ask: ["ask", "advise"],
    propose: ["propose", "propose"],
    apply: ["propose", "propose"],
    run: ["run", "run"],
  };
  for (const [max, [autonomy, stop]] of Object.entries(wanted)) {
    const ceiling = layer("environment", { "autonomy.max": max });
    for (const way of ["file", "environment", "runtime", "flag", "request", "body"] as const) {
      const layers = way === "body" ? [ceiling] : [ceiling, layer(way, { "prompt.autonomy": "run" })];
      const report = readAutonomy(ResolvedSettings.from(layers), way === "body" ? asked("run") : undefined);
      assert.equal(report.autonomy, autonomy, `${max} by ${way}`);
      assert.equal(report.requested, "run");
      assert.equal(stopOf(report), stop);
      if (max === "run") assert.equal(report.clampedBy, undefined);
      else {
        assert.deepEqual(report.clampedBy, {
          setting: "autonomy.max",
          value: max,
          layer: "environment",
          source: "the environment",
          text: `autonomy.max = ${max} (environment: the environment)`,
          requested: "run",
        });
      }
    }
  }
});

Deno.test("what asks for no more than it may is not lowered, and the body has the last word", () => {
  const settings = ResolvedSettings.from([
    layer("file", { "autonomy.max": "propose" }),
    layer("request", { "prompt.autonomy": "run" }),
  ]);
  assert.deepEqual(readAutonomy(settings, asked("propose")), { autonomy: "propose", requested: "propose" });
});

Deno.test("an unknown word is refused", () => {
  for (const word of ["sudo", "", "RUN", "apply"]) {
    assert.throws(
      () => readAutonomy(ResolvedSettings.from([]), asked(word)),
      (error) => error instanceof McpxError && error.code === "invalid-input",
    );
  }
});

Deno.test("a ceiling is the lowest value of all files, the environment and the daemon's flags, and no request's", () => {
  const max = (...layers: LayerInput[]): string => ResolvedSettings.from(layers).get("autonomy.max");
  assert.equal(
    max(layer("file", { "autonomy.max": "ask" }), layer("environment", { "autonomy.max": "run" })),
    "ask",
  );
  assert.equal(
    max(layer("file", { "autonomy.max": "run" }), layer("environment", { "autonomy.max": "off" })),
    "off",
  );
  assert.equal(max(layer("flag", { "autonomy.max": "propose" })), "propose");
  assert.equal(
    max(layer("file", { "autonomy.max": "ask" }), layer("flag", { "autonomy.max": "run" })),
    "ask",
  );
  assert.equal(
    max(layer("file", { "autonomy.max": "ask" }), layer("request", { "autonomy.max": "run" })),
    "ask",
  );
});

Deno.test("the other dials hang on the same ceiling", () => {
  const under = (value: string): ResolvedSettings =>
    ResolvedSettings.from([layer("file", { "autonomy.max": value })]);
  assert.equal(under("off").get("repair.autonomy"), "off");
  assert.equal(under("advise").get("repair.autonomy"), "advise");
  assert.equal(under("apply").get("hooks.autonomy"), "off");
  assert.equal(under("run").get("hooks.autonomy"), "run");
});

Deno.test("a secret's value is used and never shown", () => {
  const settings = ResolvedSettings.from([
    layer("file", { "model.apiKey": "sk-lower" }),
    layer("environment", { "model.apiKey": "sk-upper" }),
  ]);
  assert.equal(settings.get("model.apiKey"), "sk-upper");
  assert.ok(!JSON.stringify(settings.explain("model.apiKey")).includes("sk-"));
  assert.equal(settings.explain("model.apiKey").text, "(hidden)");
  assert.equal(ResolvedSettings.from([]).explain("model.apiKey").text, "");
});
