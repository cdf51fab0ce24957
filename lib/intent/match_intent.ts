import {
  decideRecipe,
  type DecisionRule,
  type MatchField,
  matchRecipes,
  type RankedRecipe,
  type Recipe,
} from "../recipes/mod.ts";

/** A recipe as an answer shows it. */
export interface RecipeCandidate {
  /** The recipe's name. */
  name: string;
  /** What it does. */
  summary: string;
  /** How well it fits. */
  score: number;
  /** The words of the request that it answers, and where it has them. */
  matched: { word: string; field: MatchField }[];
}

/** A request that has been matched. */
export interface MatchedIntent {
  request: string;
  chosen?: Recipe;
  /** The best ones, best first. */
  candidates: RecipeCandidate[];
  /** A sentence: why that one, or why none. */
  reason: string;
}

/**
 * First stage: which recipe is meant, if it is clear.
 *
 * @param request words as somebody would say them
 * @param recipes what there is to choose from; one with problems is no candidate
 * @param rule when one is chosen, and how many are shown
 */
export function matchIntent(
  request: string,
  recipes: readonly Recipe[],
  rule: DecisionRule & { limit: number },
): MatchedIntent {
  const sound = recipes.filter(({ problems }) => problems.length === 0);
  // The decision looks at the first two.
  const ranked = matchRecipes(request, sound, { limit: Math.max(2, rule.limit) });
  const { chosen, reason } = decideRecipe(ranked, rule);
  return {
    request,
    ...(chosen ? { chosen: chosen.recipe } : {}),
    candidates: ranked.slice(0, rule.limit).map(candidate),
    reason,
  };
}

function candidate({ recipe, score, matched }: RankedRecipe): RecipeCandidate {
  return { name: recipe.name, summary: recipe.summary, score, matched };
}
