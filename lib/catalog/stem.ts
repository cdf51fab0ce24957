const VOWEL = /[aeiouy]/;

/**
 * Reduces an English word to a stem that its plural, its -ing, -ed, -er, -ion and -ly forms share.
 *
 * The stem is a key to compare by, not a word: `create`, `created` and `creation` all give `creat`.
 *
 * @param word lower-case; what holds other than a to z comes back as it is
 * @returns the stem
 *
 * @example
 * ```ts
 * import { stem } from "./stem.ts";
 * console.assert(stem("directories") === stem("directory") && stem("deleting") === stem("deletes"));
 * ```
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return shortPlural(word);
  let base = dropPlural(word);
  base = dropVerbEnding(base);
  base = dropSuffix(base);
  if (base.length > 3 && base.endsWith("e")) base = base.slice(0, -1);
  if (base.length > 2 && base.endsWith("y")) base = base.slice(0, -1) + "i";
  return base;
}

/** `ids` and `urls` are plurals, `css` and `dns` are not. */
function shortPlural(word: string): string {
  return word === "ids" ? "id" : word;
}

function dropPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return word.slice(0, -3) + "y";
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/(?:[sx]|ch|sh|zz)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

function dropVerbEnding(word: string): string {
  if (word.endsWith("ied") && word.length > 4) return word.slice(0, -3) + "y";
  const ending = /(?:ing|ed)$/.exec(word)?.[0];
  if (ending === undefined || word.endsWith("eed")) return word;
  const base = word.slice(0, -ending.length);
  return base.length > 2 && VOWEL.test(base) ? single(base) : word;
}

function dropSuffix(word: string): string {
  if (word.endsWith("ly") && word.length > 5) return word.slice(0, -2);
  if (word.endsWith("ship") && word.length > 7) return dropSuffix(word.slice(0, -4));
  if (word.endsWith("ification")) return word.slice(0, -7) + "y";
  if (/[st]ion$/.test(word) && word.length > 5) return word.slice(0, -3);
  if (word.endsWith("ment") && word.length > 7) return word.slice(0, -4);
  if (/(?:er|or)$/.test(word) && word.length > 6) return single(word.slice(0, -2));
  return word;
}

/** `getting` -> `gett` -> `get`; `ll`, `ss` and `zz` stay. */
function single(base: string): string {
  return /([bdfgkmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}
