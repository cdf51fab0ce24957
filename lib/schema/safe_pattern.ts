const LONGEST_PATTERN = 300;
const LONGEST_TEXT = 256;
const MOST_REPEATS = 3;

/**
 * Whether `text` fits a pattern that a server sent; undefined where finding out could take long.
 *
 * A pattern is run only where its time is bounded by inspection: short, no back reference or look-around, no
 * repeated group, and at most three repetitions (two where the match may start anywhere).
 *
 * @example
 * ```ts
 * import { fitsPattern } from "./safe_pattern.ts";
 * console.assert(fitsPattern("^a+$", "aaa") === true);
 * console.assert(fitsPattern("^(a+)+$", "aaa") === undefined);
 * ```
 */
export function fitsPattern(pattern: string, text: string): boolean | undefined {
  if (text.length > LONGEST_TEXT || !isBounded(pattern)) return undefined;
  try {
    return new RegExp(pattern, "u").test(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isBounded(pattern: string): boolean {
  if (pattern.length > LONGEST_PATTERN) return false;
  const plain = pattern.replace(/\\[^]/gu, (escape) => /[1-9k]/.test(escape) ? "(?=" : "x")
    .replace(/\[[^\]]*\]/gu, "x");
  if (/\(\?(?!:)/.test(plain)) return false;
  if (/\)(?:[*+]|\{)/.test(plain)) return false;
  const repeats = plain.match(/[*+]|\{\d+,\d*\}/g) ?? [];
  const anchored = plain.startsWith("^") && !plain.includes("|");
  return repeats.length <= (anchored ? MOST_REPEATS : MOST_REPEATS - 1);
}
