import { editDistance } from "../catalog/nearest.ts";
import { isPair } from "../catalog/tokenise.ts";
import {
  type Closeness,
  type MatchField,
  type MatchTerms,
  matchTerms,
  type RequestTerms,
  requestTerms,
} from "./match_terms.ts";
import type { Recipe } from "./types.ts";

/** A recipe and how well a request fits it. */
export interface RankedRecipe {
  /** The recipe. */
  recipe: Recipe;
  /** 0 to 100, and 200 where the request is the recipe's name. */
  score: number;
  /** The words of the request that it answers, each with where. */
  matched: { word: string; field: MatchField }[];
}

/** How much a word counts by where the recipe has it. */
const WEIGHTS: Readonly<Record<MatchField, number>> = { name: 1, summary: 0.8, parameter: 0.5, tool: 0.5 };
/** How much a word counts that the recipe does not have as it was written. */
const CLOSENESS = { synonym: 0.6, beginning: 0.5, typo: 0.7 } as const;
/** How much of the score is the request answered, and how much is the recipe's name asked for. */
const SHARE = { request: 0.7, name: 0.3 } as const;
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
  const hits = findHits(recipes, asked);
  const weights = wordWeights(hits, asked.words.length);
  const scores = Float64Array.from(hits.recipes, (_, hit) => scoreHit(hits, hit, { asked, weights }).score);
  return best(hits, scores, options.limit ?? scores.length).map((hit) => {
    const { score, fields } = scoreHit(hits, hit, { asked, weights });
    const matched = asked.words.flatMap(({ written }, at) => {
      const field = fields[at];
      return field === undefined ? [] : [{ word: written, field }];
    });
    return { recipe: hits.recipes[hit]!, score, matched };
  });
}

/** The numbers of the best hits, best first. */
function best(hits: Hits, scores: Float64Array, limit: number): number[] {
  const least = scores.toSorted().at(-limit) ?? -Infinity;
  const name = (hit: number): string => hits.recipes[hit]!.name;
  return Array.from(scores.keys()).filter((hit) => limit > 0 && scores[hit]! >= least)
    .sort((a, b) => scores[b]! - scores[a]! || (name(a) < name(b) ? -1 : 1))
    .slice(0, limit);
}

/** The recipes that have words of the request, and where: flat lists, since there may be thousands. */
interface Hits {
  recipes: Recipe[];
  terms: MatchTerms[];
  /** Where each recipe's part of the next two lists begins; one more entry than recipes. */
  starts: number[];
  /** Places in the list of a recipe's stems, and the words that are answered there. */
  places: number[];
  answers: (readonly Closeness[])[];
}

function findHits(recipes: readonly Recipe[], asked: RequestTerms): Hits {
  const hits: Hits = { recipes: [], terms: [], starts: [0], places: [], answers: [] };
  for (const recipe of recipes) {
    const terms = matchTerms(recipe);
    const before = hits.places.length;
    const { stems } = terms;
    for (let at = 0; at < stems.length; at++) {
      const stem = stems[at]!;
      if (stem.asked !== asked) {
        stem.asked = asked;
        stem.answers = closenessOf(stem.text, asked);
      }
      if (stem.answers.length === 0) continue;
      hits.places.push(at);
      hits.answers.push(stem.answers);
    }
    if (hits.places.length === before) continue;
    hits.recipes.push(recipe);
    hits.terms.push(terms);
    hits.starts.push(hits.places.length);
  }
  return hits;
}

/** What the words of the request are worth: one that many recipes have says little about which of them is meant. */
function wordWeights({ terms, starts, places, answers }: Hits, words: number): Float64Array {
  const counts = new Float64Array(words);
  for (let hit = 0; hit < terms.length; hit++) {
    for (let at = starts[hit]!; at < starts[hit + 1]!; at++) {
      // Tools share their verbs whatever the recipe is for.
      if (terms[hit]!.fields[places[at]!] === "tool") continue;
      for (const { word, factor } of answers[at]!) if (factor === 1) counts[word]!++;
    }
  }
  return counts.map((count) => 1 / (1 + Math.log2(1 + count) / 4));
}

/** A recipe's score, and by word of the request the field that answers it best. */
function scoreHit(
  hits: Hits,
  hit: number,
  { asked, weights }: { asked: RequestTerms; weights: Float64Array },
): { score: number; fields: (MatchField | undefined)[] } {
  const terms = hits.terms[hit]!;
  const values: number[] = [];
  const fields: MatchField[] = [];
  let named = 0;
  for (let at = hits.starts[hit]!; at < hits.starts[hit + 1]!; at++) {
    const field = terms.fields[hits.places[at]!]!;
    let nameFactor = 0;
    for (const { word, factor } of hits.answers[at]!) {
      const value = factor * WEIGHTS[field];
      if (value > (values[word] ?? 0)) {
        values[word] = value;
        fields[word] = field;
      }
      if (field === "name" && factor > nameFactor) nameFactor = factor;
    }
    named += nameFactor;
  }
  if (terms.nameKey === asked.key) return { score: EXACT, fields };
  let answered = 0;
  let whole = 0;
  for (let word = 0; word < weights.length; word++) {
    answered += (values[word] ?? 0) * weights[word]!;
    whole += weights[word]!;
  }
  const score = 100 * (SHARE.request * answered / whole + SHARE.name * named / Math.max(1, terms.nameWords));
  return { score: Math.round(score * 10) / 10, fields };
}

/** Which words of the request a term of a recipe answers. */
function closenessOf(term: string, asked: RequestTerms): Closeness[] {
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
