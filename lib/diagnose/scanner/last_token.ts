// What a token is. Up to OPERATOR_WORD a statement may begin or a value must follow: a slash begins a regular
// expression. From WORD_END on a value has ended: a slash divides.
export const START = 0;
export const SEMICOLON = 1;
export const BLOCK_OPEN = 2;
export const BLOCK_END = 3;
export const CONTROL_END = 4;
export const LABEL_COLON = 5;
export const STATEMENT_WORD = 6;
export const ARROW = 7;
export const OPERATOR = 8;
export const OPERATOR_WORD = 9;
export const TYPE_EQUALS = 10;
export const DOT = 11;
export const WORD_END = 12;
export const LITERAL = 13;
export const PAREN_END = 14;
export const BRACKET_END = 15;
export const OBJECT_END = 16;

/** The token before the one being read, and as much of the one before that as is ever asked. */
export class LastToken {
  readonly #source: string;
  kind = START;
  /** Number of the word, where it is one that the scanner tells apart. */
  word = 0;
  start = -1;
  end = 0;
  beforeKind = START;
  beforeStart = -1;
  /** A line break was read since. */
  newline = true;

  constructor(source: string) {
    this.#source = source;
  }

  /** Takes the next token. */
  note(kind: number, start: number, end: number): void {
    this.beforeKind = this.kind;
    this.beforeStart = this.start;
    this.set(kind, start, end);
  }

  /** Puts another token in this one's place. */
  set(kind: number, start: number, end: number): void {
    this.kind = kind;
    this.word = 0;
    this.start = start;
    this.end = end;
    this.newline = false;
  }

  /** Whether it is the operator or bracket that the character code stands for. */
  is(c: number): boolean {
    return this.kind === OPERATOR && this.#source.charCodeAt(this.start) === c;
  }

  /** Whether a value ended with it, on this line. */
  get joins(): boolean {
    return this.kind >= WORD_END && !this.newline;
  }
}
