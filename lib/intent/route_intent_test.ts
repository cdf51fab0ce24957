import assert from "node:assert/strict";
import type { Finding } from "../diagnose/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { readRecipe } from "../recipes/mod.ts";
import { SHELF } from "../recipes/testdata/shelf.ts";
import { type Intent, type IntentAnswer, type IntentPorts, routeIntent } from "./route_intent.ts";

const greet = readRecipe(
  "greet",
  "// Greet somebody.\n// @param who:string\nreturn await demo.echo({ message: @who });",
) ??
  assert.fail();
const FATAL: Finding = { kind: "unknown-tool", tool: "demo.echo", message: "there is none", fatal: true };

function intent(given: Partial<Intent> & { level?: string }): Intent {
  const { level = "propose", ...rest } = given;
  return {
    request: "greet somebody",
    given: { values: { who: "Ann" } },
    recipes: [greet, ...SHELF],
    rule: { minScore: 30, matchMargin: 150, limit: 5 },
    autonomy: { autonomy: level, requested: "run" },
    mayGenerate: false,
    ...rest,
  };
}

/** Routes an intent, and writes down which ports were used. */
async function route(
  given: Parameters<typeof intent>[0],
  ports: Partial<IntentPorts<string>> = {},
): Promise<{ answer: IntentAnswer<string>; used: string[] }> {
  const used: string[] = [];
  const answer = await routeIntent<string>(intent(given), {
    ask: (_recipe, missing) => {
      used.push(`ask ${missing.map(({ name }) => name)}`);
      return Promise.resolve({ who: "Bob" });
    },
    generate: (request) => {
      used.push(`generate ${request}`);
      return Promise.resolve({ script: "await demo.echo({});\n" });
    },
    diagnose: () => {
      used.push("diagnose");
      return Promise.resolve([]);
    },
    run: ({ source }) => {
      used.push("run");
      return Promise.resolve(source.split("\n").at(-1) ?? "");
    },
    ...ports,
  });
  return { answer, used };
}

Deno.test("a matched request is filled, checked, and stops where it may", async () => {
  const proposed = await route({});
  assert.equal(proposed.answer.outcome, "proposed");
  assert.ok(proposed.answer.script?.endsWith('demo.echo({ message: "Ann" });'));
  assert.deepEqual(proposed.used, ["diagnose"]);
  const ran = await route({ level: "run" });
  assert.equal(ran.answer.outcome, "ran");
  assert.equal(ran.answer.ran, 'return await demo.echo({ message: "Ann" });');
  assert.equal(ran.answer.script, undefined);
  for (const level of ["ask", "advise", "off"]) {
    const advised = await route({ level });
    assert.equal(advised.answer.outcome, "advised");
    assert.equal(advised.answer.script, undefined);
    assert.equal(advised.answer.recipe, "greet");
    assert.deepEqual(advised.used, ["diagnose"]);
  }
});

Deno.test("what is missing is asked for once, but not where not even a script may be shown", async () => {
  const asked = await route({ given: {} });
  assert.deepEqual(asked.used, ["ask who", "diagnose"]);
  assert.ok(asked.answer.script?.includes('"Bob"'));
  assert.deepEqual((await route({ given: {}, level: "off" })).used, ["diagnose"]);
  await assert.rejects(route({ given: { values: { whom: "Ann" } } }), McpxError);
});

Deno.test("without a match the candidates come back, and no model is asked unless that is on and of use", async () => {
  const nothing = await route({ request: "order a pizza" });
  assert.equal(nothing.answer.outcome, "unmatched");
  assert.deepEqual(nothing.used, []);
  const several = await route({ request: "database" });
  assert.deepEqual(several.answer.candidates.slice(0, 2).map(({ name }) => name), [
    "backup-database",
    "restore-database",
  ]);
  const generated = await route({ request: "order a pizza", mayGenerate: true });
  assert.equal(generated.answer.outcome, "proposed");
  assert.equal(generated.answer.generated, true);
  assert.deepEqual(generated.used, ["generate order a pizza", "diagnose"]);
  assert.deepEqual((await route({ request: "order a pizza", mayGenerate: true, level: "ask" })).used, []);
  assert.deepEqual((await route({ mayGenerate: true })).used, ["diagnose"]);
});

Deno.test("a model that is of no help leaves the deterministic answer and a note", async () => {
  const { answer } = await route({ request: "order a pizza", mayGenerate: true }, {
    generate: () => Promise.resolve({ note: "No model was of help." }),
  });
  assert.equal(answer.outcome, "unmatched");
  assert.deepEqual(answer.notes, ["No model was of help."]);
});

Deno.test("a script that would fail is shown and not run, whoever wrote it", async () => {
  for (const given of [{}, { request: "order a pizza", mayGenerate: true }]) {
    const { answer, used } = await route({ ...given, level: "run" }, {
      diagnose: () => Promise.resolve([FATAL]),
    });
    assert.equal(answer.outcome, "proposed");
    assert.match(answer.message, /would fail, and was not run/);
    assert.ok(!used.includes("run"));
  }
});

Deno.test("a recipe with problems is no candidate", async () => {
  const broken = readRecipe("order-pizza", "// Order a pizza.\n// @param size:text\nreturn @size;") ??
    assert.fail();
  const { answer } = await route({ request: "order a pizza", recipes: [broken] });
  assert.deepEqual(answer.candidates, []);
});
