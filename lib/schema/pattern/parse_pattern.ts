/** A part of a regular expression. */
export type PatternNode =
  /** One character, told by itself or by a class. */
  | { kind: "one"; fits(character: string): boolean }
  | { kind: "assertion"; assertion: PatternAssertion }
  | { kind: "all"; parts: PatternNode[] }
  | { kind: "any"; parts: PatternNode[] }
  | { kind: "repeat"; part: PatternNode; least: number; most: number };

/** What is asked of a place between two characters. */
export type PatternAssertion = "start" | "end" | "boundary" | "inside";

/** A regular expression that was read. */
export interface ParsedPattern {
  node: PatternNode;
  /** Whether it reads code points, or the halves of pairs as characters of their own. */
  unicode: boolean;
}

/** A longer text is read as no pattern. */
export const LONGEST_PATTERN = 10_000;
const DEEPEST = 100;
const REPEAT = /\{(\d+)(?:(,)(\d*))?\}/y;
const ESCAPE =
  /\\(?:u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[pP]\{[^}]*\})/y;
const PLAIN_ESCAPE = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[^])/y;

/** What a pattern holds that is not regular: its time could not be bounded. */
class Outside extends Error {
  override readonly name = "Outside";
}

/**
 * Reads the regular part of the language of ECMAScript's patterns: everything but back references, look-around and groups with flags
 * of their own.
 *
 * @param pattern as it stands in a schema
 * @returns nothing where it is no pattern, or holds more than that
 */
export function parsePattern(pattern: string): ParsedPattern | undefined {
  if (pattern.length > LONGEST_PATTERN) return undefined;
  const unicode = isPattern(pattern, "u");
  if (!unicode && !isPattern(pattern, "")) return undefined;
  try {
    return { node: new PatternReader(pattern, unicode).read(), unicode };
  } catch (error) {
    if (error instanceof Outside) return undefined;
    throw error;
  }
}

function isPattern(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return false;
    throw error;
  }
}

/** Reads a pattern that is known to be one. */
class PatternReader {
  readonly #text: string;
  readonly #flags: string;
  #at = 0;

  constructor(text: string, unicode: boolean) {
    this.#text = text;
    this.#flags = unicode ? "u" : "";
  }

  read(): PatternNode {
    const node = this.#alternatives(0);
    if (this.#at < this.#text.length) throw new Outside();
    return node;
  }

  #alternatives(depth: number): PatternNode {
    if (depth > DEEPEST) throw new Outside();
    const parts = [this.#sequence(depth)];
    while (this.#takes("|")) parts.push(this.#sequence(depth));
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind: "any", parts };
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = [];
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined || next === "|" || next === ")") return { kind: "all", parts };
      parts.push(this.#repeated(this.#term(next, depth)));
    }
  }

  #term(next: string, depth: number): PatternNode {
    if (next === "(") return this.#group(depth);
    if (this.#takes("^")) return { kind: "assertion", assertion: "start" };
    if (this.#takes("$")) return { kind: "assertion", assertion: "end" };
    if (next === "[") return this.#native(this.#classText());
    if (next === "\\") return this.#escape();
    if (this.#takes(".")) return this.#native(".");
    const character = this.#flags === "u"
      ? String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)
      : next;
    this.#at += character.length;
    return { kind: "one", fits: (one) => one === character };
  }

  #group(depth: number): PatternNode {
    this.#at++;
    if (this.#takes("?") && !this.#takes(":")) {
      const name = /<[^=!>][^>]*>/y;
      name.lastIndex = this.#at;
      if (!name.test(this.#text)) throw new Outside();
      this.#at = name.lastIndex;
    }
    const inner = this.#alternatives(depth + 1);
    this.#at++; // the closing parenthesis
    return inner;
  }

  #escape(): PatternNode {
    const second = this.#text[this.#at + 1] ?? "";
    if (second === "b" || second === "B") {
      this.#at += 2;
      return { kind: "assertion", assertion: second === "b" ? "boundary" : "inside" };
    }
    if (/[1-9k]/.test(second) || /^\\0\d/.test(this.#text.slice(this.#at, this.#at + 3))) throw new Outside();
    const text = (this.#flags === "u" ? this.#match(ESCAPE)?.[0] : undefined) ??
      this.#match(PLAIN_ESCAPE)?.[0];
    if (text === undefined) throw new Outside();
    return this.#native(text);
  }

  /** A class as it stands, brackets included. */
  #classText(): string {
    const start = this.#at++;
    for (; this.#text[this.#at] !== "]"; this.#at++) {
      if (this.#text[this.#at] === "\\") this.#at++;
      if (this.#at >= this.#text.length) throw new Outside();
    }
    return this.#text.slice(start, ++this.#at);
  }

  /** What stands for one character is left to the language's own engine, which looks at that one character. */
  #native(source: string): PatternNode {
    const expression = new RegExp(`^${source}$`, this.#flags);
    return { kind: "one", fits: (one) => expression.test(one) };
  }

  #repeated(part: PatternNode): PatternNode {
    const bounds = this.#bounds();
    if (!bounds) return part;
    this.#takes("?"); // which match is preferred does not change whether there is one
    return { kind: "repeat", part, least: bounds[0], most: bounds[1] };
  }

  #bounds(): [least: number, most: number] | undefined {
    if (this.#takes("*")) return [0, Infinity];
    if (this.#takes("+")) return [1, Infinity];
    if (this.#takes("?")) return [0, 1];
    const match = this.#match(REPEAT);
    if (!match) return undefined;
    const [, least, comma, most] = match;
    return [Number(least), comma === undefined ? Number(least) : most === "" ? Infinity : Number(most)];
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#text);
    if (!match) return undefined;
    this.#at = expression.lastIndex;
    return match;
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }
}
