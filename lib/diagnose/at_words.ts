import { BLOCK, OBJECT, PAREN } from "./scanner/frames.ts";
import * as T from "./scanner/last_token.ts";
import { type AtWord, Lexer } from "./scanner/lexer.ts";
import { isPart, skipString } from "./scanner/skip.ts";
import { LAST_OPERATOR, W_DEFAULT, WordTable } from "./scanner/words.ts";

/** Where an `@word` stands: only in the place of a value does a value fit for certain. */
export type AtWordPlace =
  /** Where a value must follow: behind an operator, a bracket, a comma, `return`. */
  | "value"
  /** Where a statement begins. */
  | "statement"
  /** Behind a value, on this line or a line before. */
  | "after-value"
  /** Where an object's key stands. */
  | "key"
  /** Behind a dot. */
  | "member";

/** One `@word` in code: not in a string, a comment, a template's text or a regular expression. */
export interface AtWordSite {
  /** The word without its `@`. */
  name: string;
  /** Offsets of the `@` and after the word. */
  start: number;
  end: number;
  place: AtWordPlace;
  /** A class, a member or a parameter follows: it decorates that. */
  decorates: boolean;
  /** The last character of the token before it; empty at the beginning. */
  before: string;
}

/**
 * Finds every `@word` in code position, in one pass and without parsing.
 *
 * @param source TypeScript or JavaScript
 * @returns the sites in order, and whether every bracket found its partner
 *
 * @example
 * ```ts
 * import { atWords } from "./at_words.ts";
 * const { sites } = atWords('demo.search({ repo: @repo, text: "@me" })');
 * console.assert(sites.length === 1 && sites[0]?.name === "repo" && sites[0].place === "value");
 * ```
 */
export function atWords(source: string): { sites: AtWordSite[]; balanced: boolean } {
  const sites: AtWordSite[] = [];
  const lexer = new Lexer(source, {
    words: new WordTable(),
    namespaces: new Set(),
    ownModule: "mcpx",
    onAtWord: (word) => sites.push(siteOf(source, word)),
  });
  lexer.run();
  return { sites, balanced: lexer.balanced };
}

function siteOf(source: string, { start, end, last, frame }: AtWord): AtWordSite {
  const place = placeOf({ last, frame });
  return {
    name: source.slice(start + 1, end),
    start,
    end,
    place,
    decorates: place !== "member" && decorates(source, { start, end, last, frame }, place),
    before: last.start < 0 ? "" : source.charAt(last.end - 1),
  };
}

function placeOf({ last, frame }: Pick<AtWord, "last" | "frame">): AtWordPlace {
  if (last.kind === T.DOT) return "member";
  if (last.kind >= T.WORD_END) return "after-value";
  if (frame.kind === OBJECT && (last.is(123) || last.is(44))) return "key";
  if (last.kind <= T.STATEMENT_WORD) return "statement";
  // `export` is the last of those words.
  return last.word === W_DEFAULT || last.word === LAST_OPERATOR ? "statement" : "value";
}

/** What follows a decorator: another one, a class, a member of a class, or a parameter. */
function decorates(source: string, word: AtWord, place: AtWordPlace): boolean {
  const next = afterDecorator(source, word.end);
  const rest = source.slice(next, next + 40);
  if (/^(?:@|(?:abstract\s+)?class\b)/.test(rest)) return true;
  const { last, frame } = word;
  if (frame.kind === PAREN && (last.is(40) || last.is(44))) {
    return /^(?!(?:as|satisfies|instanceof|in|of)\b)[\p{ID_Start}$_{]/u.test(rest);
  }
  if (place === "value" || place === "key") return false;
  if (/^(?:export|default|abstract|declare)\b/.test(rest)) return true;
  return frame.kind === BLOCK && opensClass(source, frame.open) && isMemberStart(source, word.end, next);
}

function isMemberStart(source: string, end: number, next: number): boolean {
  return /^[\p{ID_Start}$_#"'*\d]/u.test(source.slice(next, next + 2)) ||
    (source.charAt(next) === "[" && next > end);
}

/** Whether the brace at `open` opens the body of a class, as far as the text before it tells. */
function opensClass(source: string, open: number): boolean {
  return /\bclass\b[^;{}]*$/.test(source.slice(Math.max(0, open - 300), open));
}

/** Offset of what follows `.member`s and one pair of parentheses, white space and comments behind a decorator's name. */
function afterDecorator(source: string, end: number): number {
  let at = end;
  while (source.charAt(at) === "." && isPart(source.charCodeAt(at + 1))) {
    at++;
    while (isPart(source.charCodeAt(at))) at++;
  }
  if (source.charAt(at) === "(") at = afterParentheses(source, at);
  for (;;) {
    const gap = /^(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)/.exec(source.slice(at, at + 2000))?.[0];
    if (gap === undefined) return at;
    at += gap.length;
  }
}

/** What a decorator is given is short; looking further for each one would cost the square of the source. */
const LONGEST_ARGUMENTS = 2000;

function afterParentheses(source: string, open: number): number {
  let depth = 0;
  const end = Math.min(source.length, open + LONGEST_ARGUMENTS);
  for (let at = open; at < end; at++) {
    const char = source.charAt(at);
    if (char === '"' || char === "'") at = skipString(source, at) - 1;
    else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return at + 1;
  }
  return end;
}
