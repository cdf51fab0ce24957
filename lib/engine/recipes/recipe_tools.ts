import { type KeptOutRecipe, offerRecipes, recipeLines, recipeSchema } from "../../recipes/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";
import { type RecipeRunDocument, runRecipe } from "./run_recipe.ts";
import { listRecipes } from "./shelf.ts";

/** A recipe as an MCP tool. */
export interface RecipeTool {
  /** `recipe_<name>`. */
  name: string;
  description: string;
  inputSchema: JsonObject;
  /** Whether a run may change something: a recipe's calls are not known to be harmless. */
  annotations: { readOnlyHint: false };
  /** Renders, diagnoses and runs it, as `mcpx recipes run` does. @throws {McpxError} as {@link runRecipe} */
  run(values: JsonObject, caller: Caller): Promise<RecipeRunDocument>;
}

/**
 * The recipes that a caller's MCP host is offered as tools, at most `recipes.toolBudget`, and the others with the reason.
 *
 * @param taken names of tools that are offered beside them
 */
export async function recipeTools(
  engine: Engine,
  caller: Caller,
  taken: ReadonlySet<string> = new Set(),
): Promise<{ tools: RecipeTool[]; keptOut: KeptOutRecipe[] }> {
  const shelf = await listRecipes(engine, caller);
  const { offered, keptOut } = offerRecipes(shelf.map(({ recipe }) => recipe), offerLimits(caller, taken));
  const tools = offered.map(({ tool, recipe }): RecipeTool => ({
    name: tool,
    description: [recipe.summary, recipe.description].filter((text) => text !== "").join("\n\n"),
    inputSchema: recipeSchema(recipe),
    annotations: { readOnlyHint: false },
    run: (values, asking) => runRecipe(engine, { name: recipe.name, values }, asking),
  }));
  return { tools, keptOut };
}

/** The lines about recipes that end the catalog. */
export async function recipeClosing(engine: Engine, caller: Caller): Promise<string> {
  const shelf = await listRecipes(engine, caller);
  const offer = offerRecipes(shelf.map(({ recipe }) => recipe), offerLimits(caller));
  return recipeLines(offer, caller.settings.get("recipes.toolBudget"));
}

/** How many recipes are tools, and under which names. */
export function offerLimits(
  { settings }: Caller,
  taken: ReadonlySet<string> = new Set(),
): { budget: number; nameLimit: number; taken: ReadonlySet<string> } {
  return { budget: settings.get("recipes.toolBudget"), nameLimit: settings.get("serve.nameLimit"), taken };
}
