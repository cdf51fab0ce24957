import assert from "node:assert/strict";
import { readRecipe } from "./read_recipe.ts";
import { offerRecipes, recipeLines, recipeToolName } from "./recipe_tools.ts";
import { recipeSchema } from "./recipe_schema.ts";
import type { Recipe } from "./types.ts";
import { checkRecipe } from "./validate.ts";

const recipe = (name: string, header = "// @param x:string"): Recipe =>
  readRecipe(name, `// Do ${name}.\n${header}\nreturn @x;`) ?? assert.fail();

Deno.test("recipes become tools up to the cap, and each one kept out says why", () => {
  const shelf = [
    recipe("a.b"),
    recipe("a_b"),
    recipe("quiet", "// @param x:string\n// @tool false"),
    recipe("broken", "// @param x:strin"),
    recipe("x".repeat(60)),
    recipe("other"),
    recipe("taken"),
    recipe("late"),
  ];
  const offer = offerRecipes(shelf, { budget: 2, nameLimit: 50, taken: new Set(["recipe_taken"]) });
  assert.deepEqual(offer.offered.map(({ tool }) => tool), ["recipe_a_b", "recipe_other"]);
  assert.deepEqual(offer.keptOut.map(({ name, reason }) => [name.slice(0, 6), reason.slice(0, 50)]), [
    ["a_b", "recipe_a_b is already claimed by the recipe a.b"],
    ["quiet", "its header says @tool false"],
    ["broken", 'it cannot be run: The parameter x has the type "st'],
    ["xxxxxx", "recipe_" + "x".repeat(43)],
    ["taken", "recipe_taken is already claimed by another tool"],
    ["late", "recipes.toolBudget (2) is reached"],
  ]);
  const lines = recipeLines(offer, 2).split("\n");
  assert.equal(lines[0], "8 recipes, 2 of them MCP tools (cap 2): mcpx recipes list");
  assert.equal(lines.length, 7);
  assert.equal(lines[1], "  a_b is no tool: recipe_a_b is already claimed by the recipe a.b");
});

Deno.test("a tool's name has only characters that hosts take", () => {
  assert.equal(recipeToolName("prüfen.jetzt"), "recipe_pr_fen_jetzt");
});

Deno.test("the header is the tool's schema", () => {
  const header =
    '// @param n:integer = 3  how many\n// @param e:"a"|"b"\n// @param j:json  anything\n// @param x:array';
  assert.deepEqual(recipeSchema(recipe("r", header)), {
    type: "object",
    properties: {
      n: { type: "integer", description: "how many", default: 3 },
      e: { type: "string", enum: ["a", "b"] },
      j: { description: "anything" },
      x: { type: "array" },
    },
    required: ["e", "j", "x"],
    additionalProperties: false,
  });
});

Deno.test("what cannot be a recipe is told before it is saved", () => {
  assert.match(checkRecipe("r", "return 1;").problems[0]?.message ?? "", /declares no parameters/);
  assert.match(checkRecipe("r", "// @param x:string\nf(@x);").problems[0]?.message ?? "", /in no words/);
  assert.deepEqual(checkRecipe("r", "// Do.\n// @param x:string\n// @param y:string\nf(@x, @yy);").notes, [
    "The parameter y is not used: @y stands nowhere in the code.",
    "@yy at line 4 is no parameter of the recipe. Did you mean @y?",
  ]);
  assert.deepEqual(checkRecipe("r", "// Do.\n// @param y:string\nreturn args.y;").notes, []);
});
