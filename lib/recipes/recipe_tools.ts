import type { Recipe } from "./types.ts";

/** A recipe that is offered as an MCP tool. */
export interface OfferedRecipe {
  /** `recipe_<name>`. */
  tool: string;
  recipe: Recipe;
}

/** A recipe that is not, and why. */
export interface KeptOutRecipe {
  name: string;
  /** A clause: `the cap of 25 is reached`. */
  reason: string;
}

/** Which recipes are tools. */
export interface RecipeOffer {
  offered: OfferedRecipe[];
  keptOut: KeptOutRecipe[];
}

/**
 * Chooses the recipes that are offered as MCP tools, in the order given, and says of each other one why not.
 *
 * @param recipes nearest first
 * @param options.budget how many at most
 * @param options.nameLimit how long a tool's name may be
 * @param options.taken names that other tools have claimed
 *
 * @example
 * ```ts
 * import { offerRecipes } from "./recipe_tools.ts";
 * import { readRecipe } from "./read_recipe.ts";
 * const recipe = readRecipe("close-stale", "// Close.\n// @param repo:string\nreturn @repo;");
 * const { offered } = offerRecipes(recipe ? [recipe] : [], { budget: 25, nameLimit: 50 });
 * console.assert(offered[0]?.tool === "recipe_close-stale");
 * ```
 */
export function offerRecipes(
  recipes: readonly Recipe[],
  options: { budget: number; nameLimit: number; taken?: ReadonlySet<string> },
): RecipeOffer {
  const { budget, nameLimit } = options;
  const claimed = new Map<string, string>([...options.taken ?? []].map((name) => [name, "another tool"]));
  const offered: OfferedRecipe[] = [];
  const keptOut: KeptOutRecipe[] = [];
  for (const recipe of recipes) {
    const { name } = recipe;
    const tool = recipeToolName(name);
    const claimant = claimed.get(tool);
    const reason = !recipe.isTool
      ? "its header says @tool false"
      : recipe.problems.length > 0
      ? `it cannot be run: ${recipe.problems[0]?.message ?? ""}`
      : tool.length > nameLimit
      ? `${tool} is longer than serve.nameLimit (${nameLimit})`
      : claimant !== undefined
      ? `${tool} is already claimed by ${claimant}`
      : offered.length >= budget
      ? `recipes.toolBudget (${budget}) is reached`
      : undefined;
    if (reason !== undefined) {
      keptOut.push({ name, reason });
      continue;
    }
    claimed.set(tool, `the recipe ${name}`);
    offered.push({ tool, recipe });
  }
  return { offered, keptOut };
}

/** The name of a recipe's MCP tool, in the characters that hosts take. */
export function recipeToolName(name: string): string {
  return `recipe_${name.replace(/[^A-Za-z0-9_-]/g, "_")}`;
}

/** The lines that end the catalog: how many recipes there are, the cap, and each one kept out. */
export function recipeLines(offer: RecipeOffer, budget: number): string {
  const { offered, keptOut } = offer;
  const count = offered.length + keptOut.length;
  const head = `${count} recipe${
    count === 1 ? "" : "s"
  }, ${offered.length} of them MCP tools (cap ${budget}): mcpx recipes list`;
  return [head, ...keptOut.map(({ name, reason }) => `  ${name} is no tool: ${reason}`)].join("\n");
}
