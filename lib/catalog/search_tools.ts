import { editDistance } from "./nearest.ts";
import type { Postings, SearchIndex } from "./search_index.ts";
import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop_words.ts";
import { SYNONYM_WORDS, SYNONYMS } from "./synonyms.ts";
import { isPair, tokenise } from "./tokenise.ts";
import type { CatalogTool } from "./types.ts";

/** One tool that a query found. */
export interface RankedTool {
  /** The tool. */
  tool: CatalogTool;
  /** Relevance: comparable within one answer only. */
  score: number;
}

/** How much a term counts that the query did not write exactly. */
const CLOSENESS = {
  synonym: 0.65,
  beginning: 0.3,
  typo: 0.6,
  rareTypo: 0.45,
  joined: 0.8,
  part: 0.6,
} as const;
/** Where repetition of a term stops to matter. */
const SATURATION = 2;
const MAX_QUERY_WORDS = 64;
const MAX_BEGINNINGS = 24;

/**
 * Ranks tools by relevance to a query: BM25 over weighed fields, with stems, synonyms, beginnings of words and
 * one typing error a word.
 *
 * @param index what {@link buildSearchIndex} made
 * @param query words in any order and any writing
 * @param options.limit how many at most; default 20
 * @returns the best first; equal scores in the order of namespace and function
 *
 * @example
 * ```ts
 * import { buildSearchIndex, searchTools } from "./mod.ts";
 * const tool = { namespace: "fs", fn: "read_file", server: "fs", tool: { name: "read_file" }, findings: [] };
 * console.assert(searchTools(buildSearchIndex([tool]), "raed file", { limit: 1 }).length === 1);
 * ```
 */
export function searchTools(
  index: SearchIndex,
  query: string,
  options: { limit?: number } = {},
): RankedTool[] {
  const limit = Math.max(0, Math.floor(options.limit ?? 20));
  const scores = new Float64Array(index.tools.length);
  const best = new Float64Array(index.tools.length);
  for (const alternatives of readQuery(index, query)) {
    addScores(index, alternatives, { scores, best });
  }
  return top(index, scores, limit);
}

/** Terms that answer one word of the query, each with how close it is. */
type Alternatives = ReadonlyMap<string, number>;

function readQuery(index: SearchIndex, query: string): Alternatives[] {
  const all = tokenise(query).slice(0, MAX_QUERY_WORDS);
  const telling = all.filter((word) => !STOP_WORDS.has(word));
  const words = telling.length === 0 ? all : telling;
  const asked: Alternatives[] = [];
  const written = new Set(words.map((word) => isPair(word) ? word : stem(word)));
  const seen = new Set<string>();
  words.forEach((word, at) => {
    const term = isPair(word) ? word : stem(word);
    if (seen.has(term)) return;
    seen.add(term);
    const alternatives = alternativesOf(index, word, term);
    // A word of the query answers for itself, not a second time for its synonym.
    for (const other of alternatives.keys()) {
      if (other !== term && written.has(other)) alternatives.delete(other);
    }
    for (const neighbour of [words[at - 1], words[at + 1]]) {
      if (neighbour === undefined) continue;
      const joined = stem(neighbour === words[at + 1] ? word + neighbour : neighbour + word);
      if (index.terms.has(joined)) raise(alternatives, joined, CLOSENESS.joined);
    }
    asked.push(alternatives);
  });
  return asked;
}

function alternativesOf(index: SearchIndex, word: string, term: string): Map<string, number> {
  const found = new Map<string, number>();
  const exact = index.terms.get(term);
  if (exact) found.set(term, 1);
  if (isPair(word)) return found;
  for (const synonym of SYNONYMS.get(term) ?? []) {
    if (index.terms.has(synonym)) raise(found, synonym, CLOSENESS.synonym);
  }
  for (const longer of beginningWith(index, word)) {
    raise(found, longer.term, CLOSENESS.beginning * word.length / longer.length);
  }
  if (exact === undefined) {
    for (const part of partsOf(index, word)) raise(found, part, CLOSENESS.part);
    for (const close of misspelt(index, word, 1)) raise(found, close, CLOSENESS.typo);
    for (const close of found.size === 0 ? misspeltSynonyms(word) : []) {
      if (index.terms.has(close)) raise(found, close, CLOSENESS.synonym * CLOSENESS.typo);
    }
  } else if (exact.tools.length === 1) {
    for (const close of misspelt(index, word, 10)) raise(found, close, CLOSENESS.rareTypo);
  }
  return found;
}

function raise(found: Map<string, number>, term: string, closeness: number): void {
  if (closeness > (found.get(term) ?? 0)) found.set(term, closeness);
}

/** The shortest words that begin with what was typed. */
function beginningWith(index: SearchIndex, word: string): { term: string; length: number }[] {
  if (word.length < 3) return [];
  const found: { term: string; length: number }[] = [];
  for (let at = lowerBound(index.words, word); at < index.words.length; at++) {
    const longer = index.words[at];
    if (longer === undefined || !longer.startsWith(word)) break;
    const term = index.stems.get(longer);
    if (term !== undefined && longer !== word) found.push({ term, length: longer.length });
  }
  return found.sort((a, b) => a.length - b.length).slice(0, MAX_BEGINNINGS);
}

function lowerBound(sorted: readonly string[], word: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Two known words written as one: `webpage` -> `web`, `page`. */
function partsOf(index: SearchIndex, word: string): string[] {
  for (let at = 3; at <= word.length - 3; at++) {
    const parts = [stem(word.slice(0, at)), stem(word.slice(at))];
    if (parts.every((part) => index.terms.has(part))) return parts;
  }
  return [];
}

/** Stems of known words one typing error away, in at least `tools` tools. */
function misspelt(index: SearchIndex, word: string, tools: number): string[] {
  if (word.length < 3) return [];
  const found = new Set<string>();
  for (let length = word.length - 1; length <= word.length + 1; length++) {
    if (word.length === 3 && length !== 3) continue;
    for (const known of index.wordsByLength[length] ?? []) {
      if (!mayBeClose(word, known) || editDistance(word, known, 1) > 1) continue;
      if (word.length === 3 && !isSwap(word, known)) continue;
      const term = index.stems.get(known);
      if (term !== undefined && (index.terms.get(term)?.tools.length ?? 0) >= tools) found.add(term);
    }
  }
  return [...found];
}

/** Synonyms of words that no tool has, written with one error. */
function misspeltSynonyms(word: string): string[] {
  if (word.length < 4) return [];
  return SYNONYM_WORDS.filter((known) => mayBeClose(word, known) && editDistance(word, known, 1) === 1)
    .flatMap((known) => SYNONYMS.get(stem(known)) ?? []);
}

/** One error in three letters or more leaves the first letter or the last one as it was. */
function mayBeClose(a: string, b: string): boolean {
  return a.charCodeAt(0) === b.charCodeAt(0) || a.charCodeAt(a.length - 1) === b.charCodeAt(b.length - 1);
}

function isSwap(a: string, b: string): boolean {
  return a !== b && [...a].sort().join("") === [...b].sort().join("");
}

/**
 * Adds, for one word of the query, each tool's strongest alternative.
 *
 * A word is as rare as it and its synonyms together, by half: `make` in one name only says no more than `create`
 * in fifty.
 */
function addScores(
  index: SearchIndex,
  alternatives: Alternatives,
  sums: { scores: Float64Array; best: Float64Array },
): void {
  const { scores, best } = sums;
  const all = index.tools.length;
  let having = 0;
  for (const [term, closeness] of alternatives) {
    having += closeness * (index.terms.get(term)?.tools.length ?? 0);
  }
  const shared = rarityOf(all, Math.min(all, having));
  const lists: Postings[] = [];
  for (const [term, closeness] of alternatives) {
    const postings = index.terms.get(term);
    if (postings === undefined) continue;
    lists.push(postings);
    const own = rarityOf(all, postings.tools.length);
    const rarity = closeness * (own + Math.min(own, shared)) / 2;
    const { tools, strengths } = postings;
    for (let at = 0; at < tools.length; at++) {
      const tool = tools[at] as number;
      const strength = strengths[at] as number;
      const score = rarity * strength / (strength + SATURATION);
      if (score > (best[tool] as number)) best[tool] = score;
    }
  }
  for (const { tools } of lists) {
    for (const tool of tools) {
      scores[tool] = (scores[tool] as number) + (best[tool] as number);
      best[tool] = 0;
    }
  }
}

function rarityOf(all: number, having: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** The best `limit` of them, by score and then by position. */
function top(index: SearchIndex, scores: Float64Array, limit: number): RankedTool[] {
  const kept: { at: number; score: number }[] = [];
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] as number;
    if (score <= 0 || limit === 0) continue;
    if (kept.length === limit && score <= (kept[limit - 1]?.score ?? 0)) continue;
    let low = 0;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((kept[middle]?.score ?? 0) >= score) low = middle + 1;
      else high = middle;
    }
    kept.splice(low, 0, { at, score });
    if (kept.length > limit) kept.pop();
  }
  return kept.flatMap(({ at, score }) => {
    const tool = index.tools[at];
    return tool === undefined ? [] : [{ tool, score }];
  });
}
