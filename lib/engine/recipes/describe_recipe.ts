import {
  offerRecipes,
  type RecipeOffer,
  type RecipeParameter,
  type RecipeProblem,
  recipeSchema,
} from "../../recipes/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";
import { findRecipe, listRecipes, type RecipeOrigin, scanRecipes, type ShelvedRecipe } from "./shelf.ts";
import { offerLimits } from "./recipe_tools.ts";

/** A recipe as a list shows it. */
export interface RecipeRow {
  name: string;
  summary: string;
  /** Such as `days: number = 30`. */
  parameters: string[];
  origin: RecipeOrigin;
  path: string;
  /** The name of its MCP tool. */
  tool?: string | undefined;
  /** Why it is no MCP tool. */
  keptOut?: string | undefined;
}

/** All that is known of a recipe. */
export interface RecipeDescription extends RecipeRow {
  description: string;
  inputSchema: JsonObject;
  tools: string[];
  problems: RecipeProblem[];
  source: string;
}

/** The recipes that a caller finds, with what each is as an MCP tool, and a note about each that cannot be run. */
export async function describeRecipes(
  engine: Engine,
  caller: Caller,
): Promise<{ recipes: RecipeRow[]; notes: string[] }> {
  const { recipes: shelf, notes: passed } = await scanRecipes(engine, caller);
  const offer = offerRecipes(shelf.map(({ recipe }) => recipe), offerLimits(caller));
  const notes = shelf.flatMap(({ recipe, path }) => {
    const [first] = recipe.problems;
    return first ? [`${recipe.name} cannot be run (${path}:${first.line}): ${first.message}`] : [];
  });
  return { recipes: shelf.map((shelved) => rowOf(shelved, offer)), notes: [...passed, ...notes] };
}

/** One recipe. @throws {McpxError} `unknown-script`, `unknown-recipe`, `invalid-input` */
export async function describeRecipe(
  engine: Engine,
  name: string,
  caller: Caller,
): Promise<RecipeDescription> {
  const found = await findRecipe(engine, name, caller);
  const shelf = await listRecipes(engine, caller);
  const offer = offerRecipes(shelf.map(({ recipe }) => recipe), offerLimits(caller));
  const { recipe } = found;
  return {
    ...rowOf(found, offer),
    description: recipe.description,
    inputSchema: recipeSchema(recipe),
    tools: [...recipe.tools],
    problems: [...recipe.problems],
    source: recipe.source,
  };
}

function rowOf({ recipe, path, origin }: ShelvedRecipe, { offered, keptOut }: RecipeOffer): RecipeRow {
  const { name, summary, parameters } = recipe;
  const tool = offered.find((one) => one.recipe.name === name)?.tool;
  const reason = keptOut.find((one) => one.name === name)?.reason;
  return {
    name,
    summary,
    parameters: parameters.map(parameterLine),
    origin,
    path,
    ...(tool === undefined ? {} : { tool }),
    ...(reason === undefined ? {} : { keptOut: reason }),
  };
}

function parameterLine({ name, type, values, default: fallback }: RecipeParameter): string {
  const written = type === "enum" ? (values ?? []).map((word) => JSON.stringify(word)).join("|") : type;
  return `${name}: ${written}${fallback === undefined ? "" : ` = ${JSON.stringify(fallback.value)}`}`;
}
