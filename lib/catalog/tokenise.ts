/** Scripts that are written without spaces between words: they are searched by pairs of characters. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/u;
const CHUNK = /[\p{L}\p{M}\p{N}]+/gu;
const PART = /\p{Lu}+(?![\p{Ll}\p{M}])|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+|[\p{L}\p{M}]+/gu;
const PLAIN = /^(?:[a-z]+|[A-Z][a-z]*|[0-9]+)$/;
const APOSTROPHE = /(\p{L})['’](?=\p{L})/gu;
const ACCENT = /[\u0300-\u036f]/g;

/**
 * Cuts text at everything that is neither letter, mark nor digit; the pieces keep their case and inner words.
 *
 * @param text any text
 * @returns the pieces in order
 */
export function chunksOf(text: string): string[] {
  const joined = text.includes("'") || text.includes("’") ? text.replace(APOSTROPHE, "$1") : text;
  return joined.match(CHUNK) ?? [];
}

/**
 * Splits one piece into lower-case words: at case changes and digits, with the joined word behind its parts.
 * Scripts without spaces come as pairs of neighbouring characters.
 *
 * @param chunk what {@link chunksOf} gave
 * @returns the words, parts first
 */
export function wordsOfChunk(chunk: string): string[] {
  if (PLAIN.test(chunk)) return [chunk.toLowerCase()];
  const folded = chunk.normalize("NFKD").replace(ACCENT, "").normalize("NFC");
  const words: string[] = [];
  let rest = folded;
  for (let run = UNSPACED.exec(rest); run; run = UNSPACED.exec(rest)) {
    addSpaced(words, rest.slice(0, run.index));
    addPairs(words, run[0]);
    rest = rest.slice(run.index + run[0].length);
  }
  addSpaced(words, rest);
  return words;
}

function addSpaced(words: string[], text: string): void {
  const parts = text.match(PART) ?? [];
  for (const part of parts) words.push(part.toLowerCase());
  if (parts.length > 1) words.push(parts.join("").toLowerCase());
}

function addPairs(words: string[], run: string): void {
  const characters = [...run];
  if (characters.length === 1) words.push(run);
  for (let at = 0; at + 1 < characters.length; at++) words.push(`${characters[at]}${characters[at + 1]}`);
}

/** Whether a word came from a script without spaces, so that neither stem nor spelling applies to it. */
export function isPair(word: string): boolean {
  return word.length <= 4 && UNSPACED.test(word);
}

/**
 * Turns any text into the lower-case words that search compares.
 *
 * @param text a query, a description, a name in any writing
 * @returns the words in order; `getUserName` gives `get`, `user`, `name`, `getusername`
 *
 * @example
 * ```ts
 * import { tokenise } from "./tokenise.ts";
 * console.assert(tokenise("list-HTTPServers 天气预报").join() === "list,http,servers,httpservers,天气,气预,预报");
 * ```
 */
export function tokenise(text: string): string[] {
  return chunksOf(text).flatMap(wordsOfChunk);
}
