import { editDistance } from "../catalog/nearest.ts";
import { isPair } from "../catalog/tokenise.ts";
import { type MatchField, matchTerms, requestTerms } from "./match_terms.ts";
import type { Recipe } from "./types.ts";

/** A recipe and how well a request fits it. */
export interface RankedRecipe {
  recipe: Recipe;
  /** 0 to 100, and 200 where the request is the recipe's name. */
  score: number;
  /** The words of the request that it answers, each with where. */
  matched: { word: string; field: MatchField }[];
}

/** How much a word counts by where the recipe has it. */
const WEIGHTS: Readonly<Record<MatchField, number>> = { name: 1, summary: 0.8, parameter: 0.5, tool: 0.5 };
/** How much a word counts that the recipe does not have as it was written. */
const CLOSENESS = { synonym: 0.7, beginning: 0.5, typo: 0.7 } as const;
/** How much of the score is the request answered, and how much is the recipe's name asked for. */
const SHARE = { request: 0.65, name: 0.35 } as const;
const EXACT = 200;

/**
 * Ranks recipes by how well a request fits their names, summaries, parameters and the tools they call.
 *
 * No model, no index and no clock: the same request over the same recipes gives the same order.
 *
 * @param request words as somebody would say them
 * @param recipes in any order
 * @param options.limit how many at most; default all
 * @returns those that fit at all, best first; equal scores in the order of their names
 *
 * @example
 * ```ts
 * import { matchRecipes } from "./match.ts";
 * import { readRecipe } from "./read_recipe.ts";
 * const recipe = readRecipe("close-stale", "// Close stale issues.\n// @param repo:string\nreturn @repo;");
 * console.assert(matchRecipes("close old issues", recipe ? [recipe] : [])[0]?.recipe.name === "close-stale");
 * ```
 */
export function matchRecipes(
  request: string,
  recipes: readonly Recipe[],
  options: { limit?: number } = {},
): RankedRecipe[] {
  const asked = requestTerms(request);
  if (asked.words.length === 0) return [];
  const closeness = new Map<string, Closeness[]>();
  const weights = wordWeights(asked, recipes, closeness);
  const ranked: RankedRecipe[] = [];
  for (const recipe of recipes) {
    const scored = scoreRecipe(recipe, asked, { closeness, weights });
    if (scored !== undefined) ranked.push(scored);
  }
  ranked.sort((a, b) => b.score - a.score || (a.recipe.name < b.recipe.name ? -1 : 1));
  return ranked.slice(0, options.limit ?? ranked.length);
}

type RequestTerms = ReturnType<typeof requestTerms>;

/** One word of the request that a term answers, and how well. */
interface Closeness {
  word: number;
  factor: number;
}

/** What the words of the request are worth: one that many recipes have says little about which of them is meant. */
function wordWeights(
  asked: RequestTerms,
  recipes: readonly Recipe[],
  closeness: Map<string, Closeness[]>,
): Float64Array {
  const counts = new Float64Array(asked.words.length);
  const last = new Int32Array(asked.words.length).fill(-1);
  recipes.forEach((recipe, at) => {
    for (const term of matchTerms(recipe).fields.keys()) {
      for (const { word, factor } of closenessOf(term, asked, closeness)) {
        if (factor < 1 || last[word] === at) continue;
        last[word] = at;
        counts[word] = (counts[word] ?? 0) + 1;
      }
    }
  });
  return counts.map((count) => 1 / (1 + Math.log2(1 + count) / 4));
}

function scoreRecipe(
  recipe: Recipe,
  asked: RequestTerms,
  { closeness, weights }: { closeness: Map<string, Closeness[]>; weights: Float64Array },
): RankedRecipe | undefined {
  const terms = matchTerms(recipe);
  const best = new Float64Array(asked.words.length);
  const fields: MatchField[] = [];
  let named = 0;
  for (const [term, field] of terms.fields) {
    let nameFactor = 0;
    for (const { word, factor } of closenessOf(term, asked, closeness)) {
      const value = factor * WEIGHTS[field];
      if (value > (best[word] ?? 0)) {
        best[word] = value;
        fields[word] = field;
      }
      if (field === "name" && factor > nameFactor) nameFactor = factor;
    }
    named += nameFactor;
  }
  let answered = 0;
  let whole = 0;
  const matched: RankedRecipe["matched"] = [];
  asked.words.forEach((word, at) => {
    const weight = weights[at] ?? 1;
    const field = fields[at];
    answered += (best[at] ?? 0) * weight;
    whole += weight;
    if (field !== undefined) matched.push({ word: word.written, field });
  });
  if (matched.length === 0) return undefined;
  const isExact = terms.nameKey === asked.key;
  const score = isExact
    ? EXACT
    : 100 * (SHARE.request * answered / whole + SHARE.name * named / Math.max(1, terms.nameWords));
  return { recipe, score: Math.round(score * 10) / 10, matched };
}

/** Which words of the request a term of a recipe answers; worked out once for each term. */
function closenessOf(term: string, asked: RequestTerms, known: Map<string, Closeness[]>): Closeness[] {
  const before = known.get(term);
  if (before !== undefined) return before;
  const found: Closeness[] = [];
  asked.words.forEach(({ stem, written, synonyms }, word) => {
    const factor = stem === term
      ? 1
      : synonyms.has(term)
      ? CLOSENESS.synonym
      : isBeginning(term, stem)
      ? CLOSENESS.beginning
      : isTypo(term, written, stem)
      ? CLOSENESS.typo
      : 0;
    if (factor > 0) found.push({ word, factor });
  });
  known.set(term, found);
  return found;
}

function isBeginning(term: string, stem: string): boolean {
  const [short, long] = term.length < stem.length ? [term, stem] : [stem, term];
  return short.length >= 4 && long.startsWith(short) && long.length - short.length <= 4;
}

function isTypo(term: string, written: string, stem: string): boolean {
  if (stem.length < 5 || term.length < 4 || isPair(written) || /^\d+$/.test(term)) return false;
  return editDistance(stem, term, 1) === 1;
}
