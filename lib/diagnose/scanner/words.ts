/** Words that the scanner tells apart; the order gives each its number, from 1. */
const KEYWORDS = [
  // A value follows.
  ..."return typeof case in instanceof new void delete throw await yield default extends export".split(" "),
  // A statement follows.
  ..."else do try finally".split(" "),
  // A parenthesis follows that is no argument list.
  ..."if while for with switch catch".split(" "),
  // A name follows.
  ..."const let var function class enum import".split(" "),
  // A value by itself.
  ..."this super null true false".split(" "),
  // Special in some places only, and names elsewhere.
  ..."using namespace module of as type tools".split(" "),
] as const;

/** The number of a word. */
function id(word: string): number {
  return KEYWORDS.indexOf(word) + 1;
}

export const W_TYPEOF: number = id("typeof");
export const W_CASE: number = id("case");
export const W_NEW: number = id("new");
export const W_VOID: number = id("void");
export const W_AWAIT: number = id("await");
export const W_DEFAULT: number = id("default");
/** The last word after which a value must follow. */
export const LAST_OPERATOR: number = id("export");
export const LAST_STATEMENT: number = id("finally");
export const W_IF: number = id("if");
export const W_FOR: number = id("for");
export const W_CATCH: number = id("catch");
export const W_CONST: number = id("const");
export const W_VAR: number = id("var");
export const W_USING: number = id("using");
export const W_FUNCTION: number = id("function");
export const W_ENUM: number = id("enum");
export const FIRST_CONTEXTUAL: number = id("using");
export const W_NAMESPACE: number = id("namespace");
export const W_MODULE: number = id("module");
export const W_IMPORT: number = id("import");
export const W_THIS: number = id("this");
export const W_OF: number = id("of");
export const W_TYPE: number = id("type");
export const W_TOOLS: number = id("tools");
/** The number of every namespace that is looked for. */
export const W_NAME = 1000;

const STATEMENT_BEGINNINGS: Uint8Array = flags(
  "return case throw default export else do try finally if while for with switch catch const var",
);
const BLOCK_OPENERS: Uint8Array = flags("catch class enum import export void");

function flags(words: string): Uint8Array {
  const table = new Uint8Array(KEYWORDS.length + 1);
  for (const word of words.split(" ")) table[id(word)] = 1;
  return table;
}

/** Whether the word cannot be part of an expression: one that was under way has ended. */
export function beginsStatement(word: number): boolean {
  return STATEMENT_BEGINNINGS[word] === 1;
}

/** Whether a brace after the word is no object literal, though a value follows it otherwise. */
export function opensBlock(word: number): boolean {
  return BLOCK_OPENERS[word] === 1;
}

/** Which of the words that are special in some places are among the names looked for. */
export function contextualWords(names: ReadonlySet<string> | undefined): Uint8Array {
  const table = new Uint8Array(KEYWORDS.length + 1);
  for (let word = FIRST_CONTEXTUAL; word <= KEYWORDS.length; word++) {
    if (names === undefined || names.has(KEYWORDS[word - 1]!)) table[word] = 1;
  }
  return table;
}

/** The hash that {@link WordTable} is looked up by: `hash * 31 + code`, over all codes. */
function hashOf(word: string): number {
  let hash = 0;
  for (let i = 0; i < word.length; i++) hash = (hash * 31 + word.charCodeAt(i)) | 0;
  return hash;
}

/** Numbers of words by their hash, so that no identifier has to be cut out of the source to be known. */
export class WordTable {
  readonly #words: string[];
  readonly #ids: number[];
  readonly #slots: Uint32Array;
  readonly #mask: number;

  constructor(names: Iterable<string> = []) {
    this.#words = [...KEYWORDS];
    this.#ids = KEYWORDS.map((_, index) => index + 1);
    const known = new Set<string>(KEYWORDS);
    for (const name of names) {
      if (known.has(name)) continue;
      known.add(name);
      this.#words.push(name);
      this.#ids.push(W_NAME);
    }
    let size = 1024;
    while (size < this.#words.length * 8) size *= 2;
    this.#mask = size - 1;
    this.#slots = new Uint32Array(size);
    this.#words.forEach((word, index) => {
      let slot = this.#slot(hashOf(word));
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = index + 1;
    });
  }

  #slot(hash: number): number {
    return (hash ^ (hash >>> 11)) & this.#mask;
  }

  /** The number of the word at `start`, or 0. */
  find(source: string, start: number, length: number, hash: number): number {
    let slot = (hash ^ (hash >>> 11)) & this.#mask;
    for (;;) {
      const entry = this.#slots[slot]!;
      if (entry === 0) return 0;
      const word = this.#words[entry - 1]!;
      if (word.length === length && source.startsWith(word, start)) return this.#ids[entry - 1]!;
      slot = (slot + 1) & this.#mask;
    }
  }

  /** The number of a word that had to be decoded. */
  findText(word: string): number {
    return this.find(word, 0, word.length, hashOf(word));
  }
}
