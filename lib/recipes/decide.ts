import type { RankedRecipe } from "./match.ts";

/** What a ranking comes to. */
export interface RecipeDecision {
  /** Absent where none is clearly meant. */
  chosen?: RankedRecipe;
  /** A sentence: why that one, or why none. */
  reason: string;
}

/** When a recipe is chosen. */
export interface DecisionRule {
  /** The least score. */
  minScore: number;
  /** How much of the next one's score it must have, percent: 150 is half as much again. */
  matchMargin: number;
}

/**
 * Chooses the best recipe only where it fits well and clearly better than the next: to run the wrong script is a side effect.
 *
 * @param ranked best first
 *
 * @example
 * ```ts
 * import { decideRecipe } from "./decide.ts";
 * const { chosen, reason } = decideRecipe([], { minScore: 30, matchMargin: 150 });
 * console.assert(chosen === undefined && reason === "No recipe has a word of the request.");
 * ```
 */
export function decideRecipe(ranked: readonly RankedRecipe[], rule: DecisionRule): RecipeDecision {
  const [best, next] = ranked;
  if (best === undefined) return { reason: "No recipe has a word of the request." };
  const { name } = best.recipe;
  if (best.score < rule.minScore) {
    return {
      reason: `The best recipe, ${name}, scores ${best.score}, under recipes.minScore (${rule.minScore}).`,
    };
  }
  if (next !== undefined && best.score * 100 < next.score * rule.matchMargin) {
    return {
      reason: `${name} (${best.score}) is not clearly ahead of ${next.recipe.name} (${next.score}): ` +
        `recipes.matchMargin wants ${rule.matchMargin} %.`,
    };
  }
  return {
    chosen: best,
    reason: next === undefined
      ? `Only ${name} fits (${best.score}).`
      : `${name} (${best.score}) is clearly ahead of ${next.recipe.name} (${next.score}).`,
  };
}
