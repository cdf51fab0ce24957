import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { missingCommand, missingForm, readForm } from "./missing_form.ts";
import { readRecipe } from "./read_recipe.ts";
import { readValues } from "./read_values.ts";
import type { Recipe } from "./types.ts";

const recipe: Recipe = readRecipe(
  "close-stale",
  `// Close stale issues.
// @param repo:string   which repository
// @param days:number = 30
// @param state:"open"|"closed"
// @param labels:array = []
// @param filter:object = {}
// @param note:json = null
return [@repo, @days, @state, @labels, @filter, @note];`,
) ?? assert.fail();

const refusal = (run: () => unknown): McpxError => {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof McpxError);
    return error;
  }
  assert.fail("it was not refused");
};

Deno.test("values take defaults, and what has none is missing", () => {
  const { values, missing } = readValues(recipe, { values: { repo: "a/b" } });
  assert.deepEqual(values, { repo: "a/b", days: 30, labels: [], filter: {}, note: null });
  assert.deepEqual(missing.map(({ name }) => name), ["state"]);
});

Deno.test("words of a command line become values by the header's types", () => {
  const { values } = readValues(recipe, {
    text: [
      ["repo", "007"],
      ["days", "1.5"],
      ["state", "open"],
      ["labels", '["x"]'],
      ["filter.deep", "true"],
      ["note", "12345678901234567890"],
    ],
  });
  assert.equal(values.repo, "007");
  assert.equal(values.days, 1.5);
  assert.deepEqual(values.labels, ["x"]);
  assert.deepEqual(values.filter, { deep: true });
  assert.equal(JSON.stringify(values.note), "12345678901234567890");
});

Deno.test("a name that is not declared is refused with the nearest, never dropped", () => {
  const error = refusal(() => readValues(recipe, { values: { rpeo: "a/b" } }));
  assert.equal(error.code, "invalid-input");
  assert.equal(error.hint, "Did you mean repo?");
  assert.equal(refusal(() => readValues(recipe, { text: [["zzz", "1"]] })).data?.field, "zzz");
  assert.match(
    refusal(() => readValues(recipe, { values: JSON.parse('{"__proto__":1}') })).message,
    /__proto__/,
  );
  assert.match(refusal(() => readValues(recipe, { values: { constructor: 1 } })).message, /constructor/);
});

Deno.test("a value that does not fit its type is refused, whichever it is", () => {
  const odd: [string, unknown][] = [
    ["repo", 1],
    ["repo", null],
    ["days", "30"],
    ["days", NaN],
    ["days", Infinity],
    ["state", "ajar"],
    ["labels", {}],
    ["labels", "a"],
    ["filter", []],
    ["filter", null],
  ];
  for (const [name, value] of odd) {
    assert.equal(refusal(() => readValues(recipe, { values: { [name]: value } })).data?.field, name);
  }
  assert.match(
    refusal(() => readValues(recipe, { values: { repo: "a" }, text: [["repo", "b"]] })).message,
    /given twice/,
  );
});

Deno.test("what is missing is one form of plain fields, and its answer fills only what was asked", () => {
  const asked = recipe.parameters.filter(({ name }) => ["repo", "state", "labels"].includes(name));
  const { message, schema } = missingForm(recipe, asked);
  assert.equal(message, "The recipe close-stale needs repo, state, labels. Close stale issues.");
  const types = Object.values(schema.properties as Record<string, { type: string }>).map(({ type }) => type);
  assert.deepEqual(types, ["string", "string", "string"]);
  assert.deepEqual(readForm(asked, { repo: "a/b", state: "open", labels: '["x"]' }), {
    values: { repo: "a/b", state: "open", labels: ["x"] },
  });
  assert.deepEqual(readForm(asked, { repo: "a/b", state: "open", labels: "x" }), {
    problem: 'labels: "x" is not a list',
  });
  assert.deepEqual(readForm(asked, { repo: "a/b", state: "open", labels: "[]", days: 3 }), {
    problem: "days was not asked for",
  });
  assert.deepEqual(readForm(asked, { repo: "a/b" }), { problem: "state is missing" });
});

Deno.test("the command that answers repeats what was given and marks what is missing", () => {
  const missing = recipe.parameters.filter(({ name }) => name === "repo" || name === "state");
  assert.equal(
    missingCommand(recipe, missing, { days: 3, note: "it's" }),
    `mcpx recipes run close-stale days=3 note='it'\\''s' repo='<string>' state='<open|closed>'`,
  );
});
