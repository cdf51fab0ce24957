import { stem } from "../catalog/stem.ts";
import { STOP_WORDS } from "../catalog/stop_words.ts";
import { SYNONYMS } from "../catalog/synonyms.ts";
import { isPair, tokenise } from "../catalog/tokenise.ts";
import type { Recipe } from "./types.ts";

/** What of a recipe a word can be found in. */
export type MatchField = "name" | "summary" | "parameter" | "tool";

/** One word of the request that a stem answers, and how well. */
export interface Closeness {
  word: number;
  factor: number;
}

/** A stem, one object for all recipes that have it, so that it is compared with a request once. */
export interface Stem {
  readonly text: string;
  /** The request that `answers` is for. */
  asked: RequestTerms | undefined;
  answers: readonly Closeness[];
}

/** A recipe's own words. */
export interface MatchTerms {
  /** Different stems, each in the field that counts most for it: those of the name first. */
  stems: readonly Stem[];
  fields: readonly MatchField[];
  /** How many different words its name has. */
  nameWords: number;
  /** Its name, spelling aside. */
  nameKey: string;
}

/** A request's words. */
export interface RequestTerms {
  words: { written: string; stem: string; synonyms: ReadonlySet<string> }[];
  key: string;
}

const MAX_REQUEST_WORDS = 40;
const MAX_REQUEST_LENGTH = 4000;
const NO_SYNONYMS: ReadonlySet<string> = new Set();
/** Worked out once for each recipe: reading one is far rarer than matching it. */
const KNOWN = new WeakMap<Recipe, MatchTerms>();

/** Shared stems; where it is full a new one begins, and the old ones go with their recipes. */
let stems = new Map<string, Stem>();
const MOST_STEMS = 100_000;

function stemObject(text: string): Stem {
  let known = stems.get(text);
  if (known !== undefined) return known;
  if (stems.size >= MOST_STEMS) stems = new Map();
  known = { text, asked: undefined, answers: [] };
  stems.set(text, known);
  return known;
}

/** The words that a recipe is matched by. */
export function matchTerms(recipe: Recipe): MatchTerms {
  const known = KNOWN.get(recipe);
  if (known !== undefined) return known;
  const fields = new Map<string, MatchField>();
  const add = (text: string, field: MatchField): void => {
    for (const word of tellingWords(text)) if (!fields.has(word)) fields.set(word, field);
  };
  add(recipe.name, "name");
  const nameWords = fields.size;
  add(recipe.summary, "summary");
  for (const { name } of recipe.parameters) add(name, "parameter");
  for (const tool of recipe.tools) add(tool, "tool");
  const terms = {
    stems: Array.from(fields.keys(), stemObject),
    fields: [...fields.values()],
    nameWords,
    nameKey: keyOf(recipe.name),
  };
  KNOWN.set(recipe, terms);
  return terms;
}

/** Addresses and absolute paths: what a recipe is to work on, not which one is meant. */
const VALUES = /\b[a-z][a-z\d+.-]*:\/\/\S+|\S+@\S+\.\S+|(?<!\S)(?:~|\.{1,2})?\/\S+/gi;

/** The words of a request that tell something. */
export function requestTerms(request: string): RequestTerms {
  const text = request.slice(0, MAX_REQUEST_LENGTH).replace(VALUES, " ");
  const words = new Map<string, RequestTerms["words"][number]>();
  for (const written of simpleWords(text)) {
    const key = isPair(written) ? written : stem(written);
    if (STOP_WORDS.has(written) || words.has(key) || words.size >= MAX_REQUEST_WORDS) continue;
    const synonyms = SYNONYMS.get(key);
    words.set(key, {
      written,
      stem: key,
      synonyms: synonyms === undefined ? NO_SYNONYMS : new Set(synonyms),
    });
  }
  return { words: [...words.values()], key: keyOf(text) };
}

function tellingWords(text: string): string[] {
  const words = simpleWords(text).filter((word) => !STOP_WORDS.has(word));
  return words.map((word) => isPair(word) ? word : stem(word));
}

/** The words of a text, without the joined form that comes behind the parts of `getUserName`. */
function simpleWords(text: string): string[] {
  return tokenise(text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/(\p{L})(\p{N})/gu, "$1 $2"));
}

function keyOf(text: string): string {
  return tokenise(text).join(" ");
}
