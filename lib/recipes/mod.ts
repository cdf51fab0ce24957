/**
 * Recipes: scripts that declare their own holes. Reading, filling, matching and choosing them, as text in and values out.
 *
 * @module
 */
export { decideRecipe, type DecisionRule, type RecipeDecision } from "./decide.ts";
export { readHeader, type RecipeHeader } from "./header.ts";
export { type MatchField } from "./match_terms.ts";
export { matchRecipes, type RankedRecipe } from "./match.ts";
export { missingCommand, type MissingForm, missingForm, readForm } from "./missing_form.ts";
export { readRecipe } from "./read_recipe.ts";
export { type GivenValues, readValues, type RecipeValues } from "./read_values.ts";
export { recipeSchema } from "./recipe_schema.ts";
export {
  type KeptOutRecipe,
  type OfferedRecipe,
  offerRecipes,
  recipeLines,
  type RecipeOffer,
  recipeToolName,
} from "./recipe_tools.ts";
export { findReferences, type Reference, type References } from "./references.ts";
export { renderRecipe } from "./render.ts";
export type { ParameterType, Recipe, RecipeParameter, RecipeProblem } from "./types.ts";
export { checkRecipe, type RecipeCheck } from "./validate.ts";
