import { BREAK, PART, wideClass, WORD } from "./characters.ts";

/** Whether a character can go on a word. */
export function isPart(c: number): boolean {
  return c < 128 ? PART[c] === 1 : wideClass(c) === WORD;
}

/** Offset after a string that begins at `start`; an unterminated one ends before the line break. */
export function skipString(source: string, start: number): number {
  const quote = source.charCodeAt(start);
  const length = source.length;
  for (let i = start + 1; i < length; i++) {
    const c = source.charCodeAt(i);
    if (c === quote) return i + 1;
    if (c === 92) {
      if (source.charCodeAt(i + 1) === 13 && source.charCodeAt(i + 2) === 10) i++;
      i++;
    } else if (c === 10 || c === 13) return i;
  }
  return length;
}

/** Offset after a regular expression literal with its flags, or -1 where the line ends before it does. */
export function skipRegex(source: string, start: number): number {
  const length = source.length;
  let inClass = false;
  for (let i = start + 1; i < length; i++) {
    const c = source.charCodeAt(i);
    if (c === 10 || c === 13 || c === 0x2028 || c === 0x2029) return -1;
    if (c === 92) {
      const next = source.charCodeAt(i + 1);
      if (next === 10 || next === 13) return -1;
      i++;
    } else if (c === 91) inClass = true;
    else if (c === 93) inClass = false;
    else if (c === 47 && !inClass) {
      i++;
      while (i < length && isPart(source.charCodeAt(i))) i++;
      return i;
    }
  }
  return -1;
}

/** Where template text ends: at the backtick or the `${` that is found, or at the end of the source. */
export function skipTemplateText(source: string, start: number): number {
  const length = source.length;
  for (let i = start; i < length; i++) {
    const c = source.charCodeAt(i);
    if (c === 96) return i;
    if (c === 92) i++;
    else if (c === 36 && source.charCodeAt(i + 1) === 123) return i;
  }
  return length;
}

/** Offset after a number that begins at `start`. */
export function skipNumber(source: string, start: number): number {
  const length = source.length;
  const prefix = source.charCodeAt(start + 1) | 32;
  const plain = !(source.charCodeAt(start) === 48 && (prefix === 120 || prefix === 111 || prefix === 98));
  let dot = false;
  let i = start;
  for (; i < length; i++) {
    const c = source.charCodeAt(i);
    if (c === 46) {
      if (dot || !plain) return i;
      dot = true;
    } else if (c === 43 || c === 45) {
      if (i === start || !plain || (source.charCodeAt(i - 1) | 32) !== 101) return i;
    } else if (!isPart(c)) return i;
    else if ((c | 32) === 101) dot = true;
  }
  return i;
}

/** Offset after a word that holds `\u` escapes, or `start` where it is none. */
export function skipEscapedWord(source: string, start: number): number {
  const word = /(?:[\p{ID_Continue}$\u200c\u200d#]|\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]{1,6}\})+/uy;
  word.lastIndex = start;
  return word.test(source) ? word.lastIndex : start;
}

/** A word with its `\u` escapes decoded. */
export function decodeWord(text: string): string {
  return text.replace(/\\u(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{4}))/g, (_, braced, four) => {
    const code = parseInt(braced ?? four, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", 0: "\0" };

/** The value of the text between the quotes of a string or of a template without substitutions. */
export function decodeString(raw: string): string {
  if (!raw.includes("\\")) return raw;
  return raw.replace(
    /\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[^]))/g,
    (_, braced, four, two, char) => {
      const hex = braced ?? four ?? two;
      if (hex === undefined) return /^[\r\n\u2028\u2029]/.test(char) ? "" : ESCAPES[char] ?? char;
      const code = parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
    },
  );
}

/** Whether the source breaks lines other than with `\n` and `\r\n`. */
export function hasOddBreaks(source: string): boolean {
  return (source.includes("\r") && /\r(?!\n)/.test(source)) || source.includes("\u2028") ||
    source.includes("\u2029");
}

/** Offset of the first line break at or after `start`, where `\n` alone does not tell. */
export function findBreak(source: string, start: number): number {
  let i = start;
  for (; i < source.length; i++) {
    const c = source.charCodeAt(i);
    if (c === 10 || c === 13 || (c > 127 && wideClass(c) === BREAK)) break;
  }
  return i;
}
