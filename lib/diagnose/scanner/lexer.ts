import { ArgumentReader, TOKEN_NUMBER, TOKEN_OTHER, TOKEN_STRING, TOKEN_WORD } from "./argument.ts";
import { Bindings } from "./bindings.ts";
import { BREAK, CLASS, DIGIT, PART, QUOTE, SPACE, wideClass, WORD } from "./characters.ts";
import { BLOCK, BRACKET, Frame, OBJECT, PAREN, TAG, TEMPLATE, TEXT } from "./frames.ts";
import { JsxNames } from "./jsx.ts";
import {
  decodeString,
  decodeWord,
  findBreak,
  hasOddBreaks,
  isPart,
  skipEscapedWord,
  skipNumber,
  skipRegex,
  skipString,
  skipTemplateText,
} from "./skip.ts";
import * as W from "./words.ts";

// What the last token was. Up to OPERATOR a statement may begin or a value must follow: a slash begins a
// regular expression. From WORD_END on a value has ended: a slash divides.
const START = 0;
const SEMICOLON = 1;
const BLOCK_OPEN = 2;
const BLOCK_END = 3;
const CONTROL_END = 4;
const LABEL_COLON = 5;
const STATEMENT_WORD = 6;
const ARROW = 7;
const OPERATOR = 8;
const OPERATOR_WORD = 9;
const TYPE_EQUALS = 10;
const DOT = 11;
const WORD_END = 12;
const LITERAL = 13;
const PAREN_END = 14;
const BRACKET_END = 15;
const OBJECT_END = 16;

// How much of a callee has been read.
const NOTHING = 0;
const NAMESPACE = 1;
const NAMESPACE_DOT = 2;
const FUNCTION = 3;
const FUNCTION_DOT = 4;
const OPEN_QUOTED = 5;
const QUOTED = 6;

// What the last word may turn out to be, which the next token settles.
const PARAMETER = 1;
const DECLARED = 2;
const IMPORTED = 3;

// How far the list of parameters under suspicion has been confirmed.
const AFTER_PARAMETERS = 1;
const AFTER_ARROW = 2;
const RETURN_TYPE = 3;

/** Nesting beyond this is no program: no engine parses it. */
const MAX_DEPTH = 20_000;

/** A call as the lexer leaves it; `end` is -1 while its parenthesis is open. */
export interface RawCall {
  namespaceStart: number;
  namespace: string;
  fn: string;
  viaTools: boolean;
  start: number;
  calleeEnd: number;
  open: number;
  end: number;
  awaitStart: number;
  empty: boolean;
  argument: ArgumentReader | undefined;
  argumentEnd: number;
}

/** One pass over source: finds calls and bindings, and never looks back further than a token. */
export class Lexer {
  readonly calls: RawCall[] = [];
  readonly bindings: Bindings;
  balanced = true;

  readonly #source: string;
  readonly #words: W.WordTable;
  readonly #all: boolean;
  readonly #contextual: Uint8Array;
  readonly #ownModule: string;
  readonly #oddBreaks: boolean;
  readonly #jsx: JsxNames;
  readonly #decoded = new Map<number, string>();

  readonly #frames: Frame[] = [new Frame()];
  #depth = 0;
  #top: Frame = this.#frames[0]!;
  #braces = 0;
  #parens = 0;
  #brackets = 0;
  #stopped = false;

  #prev = START;
  #prevWord = 0;
  #prevStart = -1;
  #prevEnd = 0;
  #beforePrev = START;
  #beforePrevStart = -1;
  #newline = true;
  #nextBreak = -1;
  #regexBudget: number;

  #chain = NOTHING;
  #chainStart = 0;
  #chainAwait = -1;
  #chainInType = false;
  #viaTools = false;
  #namespaceStart = 0;
  #namespace = "";
  #namespaceIsTools = false;
  #nameStart = 0;
  #nameEnd = 0;
  #calleeEnd = 0;

  #suspect = 0;
  #suspectStart = 0;
  #suspectEnd = 0;
  #lastNamed = false;
  #declaringVar = false;
  #declaringInHead = false;
  readonly #candidates: number[] = [];
  #pending = 0;
  #pendingDepth = 0;
  #pendingOpen = 0;
  #pendingFor = false;
  #pendingNames: number[] = [];
  #bodyNames: number[] | undefined;
  #importing = false;
  #imports: number[] = [];
  #aliasDepth = -1;

  #arguments: ArgumentReader[] = [];
  #reader: ArgumentReader | undefined;
  #readerDepth = -1;

  constructor(
    source: string,
    words: W.WordTable,
    namespaces: ReadonlySet<string> | undefined,
    ownModule: string,
  ) {
    this.#source = source;
    this.#words = words;
    this.#all = namespaces === undefined;
    this.#contextual = W.contextualWords(namespaces);
    this.#ownModule = ownModule;
    this.#oddBreaks = hasOddBreaks(source);
    this.#jsx = new JsxNames(source);
    this.#regexBudget = source.length;
    this.bindings = new Bindings(this.#decoded);
  }

  /** Reads the whole source. */
  run(): void {
    const source = this.#source;
    const length = source.length;
    let i = source.charCodeAt(0) === 0xfeff ? 1 : 0;
    if (source.startsWith("#!", i)) i = this.#lineEnd(i);
    while (!this.#stopped) {
      let c = 0;
      let kind = 0;
      for (; i < length; i++) {
        c = source.charCodeAt(i);
        kind = c < 128 ? CLASS[c]! : wideClass(c);
        if (kind === BREAK) this.#newline = true;
        else if (kind !== SPACE) break;
      }
      if (i >= length) break;
      if (c === 47) {
        const next = source.charCodeAt(i + 1);
        if (next === 47) {
          i = this.#lineEnd(i);
          continue;
        }
        if (next === 42) {
          i = this.#blockComment(i);
          continue;
        }
      } else if (
        (c === 60 && source.startsWith("<!--", i)) ||
        (c === 45 && this.#newline && source.startsWith("-->", i))
      ) {
        i = this.#lineEnd(i);
        continue;
      }
      if (this.#suspect !== 0) this.#settle(c, i);
      if (this.#pending !== 0 && this.#depth === this.#pendingDepth) this.#follow(c, i);
      if (kind === WORD) {
        const start = i;
        let hash = 0;
        if (c !== 92) {
          do {
            hash = (hash * 31 + c) | 0;
            i++;
            c = source.charCodeAt(i);
          } while (c < 128 ? PART[c] === 1 : i < length && wideClass(c) === WORD);
        }
        if (c === 92 && source.charCodeAt(i) === 92) i = this.#escapedWord(start);
        else this.#word(start, i, this.#words.find(source, start, i - start, hash));
      } else if (kind === DIGIT) {
        const end = skipNumber(source, i);
        this.#token(LITERAL, TOKEN_NUMBER, i, end);
        i = end;
      } else if (kind === QUOTE) {
        i = this.#string(i);
      } else {
        i = this.#punctuation(c, i);
      }
    }
    this.#finish();
  }

  // Trivia

  #lineEnd(i: number): number {
    if (this.#oddBreaks) return findBreak(this.#source, i);
    return this.#breakAfter(i);
  }

  /** The next `\n` at or after `i`; remembered, so that asking often costs one pass in all. */
  #breakAfter(i: number): number {
    if (this.#nextBreak < i) {
      const found = this.#source.indexOf("\n", i);
      this.#nextBreak = found === -1 ? this.#source.length : found;
    }
    return this.#nextBreak;
  }

  #blockComment(i: number): number {
    const close = this.#source.indexOf("*/", i + 2);
    const end = close === -1 ? this.#source.length : close + 2;
    if (close === -1) this.balanced = false;
    if (!this.#newline) {
      this.#newline = this.#oddBreaks
        ? findBreak(this.#source.slice(i, end), 0) < end - i
        : this.#breakAfter(i) < end;
    }
    return end;
  }

  // Tokens

  /** Notes a token: the next one depends on it. */
  #token(kind: number, type: number, start: number, end: number): void {
    this.#chain = NOTHING;
    this.#note(kind, type, start, end);
  }

  /** Notes a token that may go on the callee under way. */
  #note(kind: number, type: number, start: number, end: number): void {
    this.#beforePrev = this.#prev;
    this.#beforePrevStart = this.#prevStart;
    this.#prev = kind;
    this.#prevWord = 0;
    this.#prevStart = start;
    this.#prevEnd = end;
    this.#newline = false;
    if (this.#depth === this.#readerDepth) this.#reader!.token(type, start, end);
  }

  #escapedWord(start: number): number {
    const end = skipEscapedWord(this.#source, start);
    if (end === start) {
      this.#token(OPERATOR, TOKEN_OTHER, start, start + 1);
      return start + 1;
    }
    const text = decodeWord(this.#source.slice(start, end));
    this.#decoded.set(start, text);
    const id = this.#words.findText(text);
    this.#word(start, end, id === W.W_NAME || this.#isName(id) ? id : 0);
    return end;
  }

  #isName(id: number): boolean {
    return id === 0 ? this.#all : id === W.W_NAME || this.#contextual[id] === 1;
  }

  #word(start: number, end: number, id: number): void {
    if (this.#prev === DOT) {
      const chain = this.#chain;
      if (this.#source.charCodeAt(start) === 35) this.#chain = NOTHING;
      else if (chain === NAMESPACE_DOT || (chain === FUNCTION_DOT && this.#shift())) {
        this.#chain = FUNCTION;
        this.#nameStart = start;
        this.#nameEnd = end;
        this.#calleeEnd = end;
      } else this.#chain = NOTHING;
      this.#lastNamed = false;
      this.#note(WORD_END, TOKEN_WORD, start, end);
      return;
    }
    if (this.#top.kind === TAG) {
      this.#token(WORD_END, TOKEN_WORD, start, end);
    } else if (id !== 0 && id < W.FIRST_CONTEXTUAL) {
      this.#keyword(start, end, id);
    } else {
      this.#name(start, end, id);
    }
  }

  /** The word before becomes `tools`, and its property the namespace. */
  #shift(): boolean {
    if (!this.#namespaceIsTools || this.#viaTools) return false;
    this.#viaTools = true;
    this.#namespace = this.#functionName();
    this.#namespaceIsTools = false;
    return true;
  }

  #functionName(): string {
    const raw = this.#source.slice(this.#nameStart, this.#nameEnd);
    const first = this.#source.charCodeAt(this.#nameStart - 1);
    if (first === 34 || first === 39) return decodeString(raw);
    return this.#decoded.get(this.#nameStart) ?? raw;
  }

  #keyword(start: number, end: number, id: number): void {
    const top = this.#top;
    let kind = OPERATOR_WORD;
    if (id > W.LAST_OPERATOR && id <= W.LAST_STATEMENT) kind = STATEMENT_WORD;
    else if (id >= W.W_THIS) kind = WORD_END;
    if (top.expressionBindings !== -1 && W.beginsStatement(id)) this.bindings.endExpression(top, start);
    if (top.kind !== OBJECT) {
      if (id === W.W_CASE) {
        top.caseOpen = true;
        top.pendingMarks = 0;
      } else if (id === W.W_IMPORT) {
        this.#importing = true;
      } else if (id >= W.W_CONST && id <= W.W_VAR) {
        this.#declare(id === W.W_VAR);
      }
    }
    const word = id === W.W_AWAIT && this.#prevWord === W.W_FOR ? W.W_FOR : id;
    this.#lastNamed = false;
    this.#token(kind, TOKEN_WORD, start, end);
    this.#prevWord = word;
  }

  #declare(isVar: boolean): void {
    this.#top.declaring = true;
    this.#declaringVar = isVar;
    this.#declaringInHead = !isVar && this.#top.kind === PAREN;
  }

  #name(start: number, end: number, id: number): void {
    const word = this.#prevWord;
    const named = this.#isName(id) || id === W.W_TOOLS;
    const joined = this.#prev >= WORD_END && !this.#newline;
    if (id === W.W_OF && this.#prev >= WORD_END && this.#top.kind === PAREN) {
      this.#token(OPERATOR_WORD, TOKEN_WORD, start, end);
      return;
    }
    this.#chain = NOTHING;
    if (named) {
      if (
        !joined && word !== W.W_NEW && this.#prev !== TYPE_EQUALS && this.#source.charCodeAt(start) !== 35
      ) {
        this.#chain = NAMESPACE;
        this.#chainStart = start;
        this.#chainAwait = word === W.W_AWAIT ? this.#prevStart : -1;
        this.#chainInType = this.#mayBeType();
        this.#viaTools = false;
        this.#namespaceStart = start;
        this.#namespace = "";
        this.#namespaceIsTools = id === W.W_TOOLS;
        this.#nameStart = start;
        this.#nameEnd = end;
      }
      this.#suspectName(start, end, word, joined);
    }
    if (word === W.W_TYPE && joined) this.#aliasDepth = this.#depth;
    else if (word === W.W_USING && joined && this.#top.kind !== OBJECT) this.#top.declaring = true;
    this.#lastNamed = named;
    this.#note(WORD_END, TOKEN_WORD, start, end);
    this.#prevWord = id === W.W_NAME ? 0 : id;
  }

  /** Whether the token before leaves it open if a type or a value follows. */
  #mayBeType(): boolean {
    if (this.#prevWord === W.W_TYPEOF) return true;
    if (this.#prev !== OPERATOR) return false;
    const c = this.#source.charCodeAt(this.#prevStart);
    if (c !== 58 && c !== 124 && c !== 38) return false;
    return c === 58 || this.#source.charCodeAt(this.#prevStart - 1) !== c;
  }

  /** Keeps in mind that the word just read may be a binding. */
  #suspectName(start: number, end: number, word: number, joined: boolean): void {
    const top = this.#top;
    if (
      (word >= W.W_FUNCTION && word <= W.W_ENUM) ||
      (joined && (word === W.W_NAMESPACE || word === W.W_MODULE))
    ) {
      this.#bind(this.#frames[top.blockDepth]!, start, end);
      return;
    }
    const usingName = joined && word === W.W_USING;
    if (usingName) this.#declare(false);
    if (this.#importing) this.#suspect = IMPORTED;
    else if (top.pattern || (top.declaring && (usingName || this.#afterDeclarator()))) {
      this.#suspect = DECLARED;
    } else if (top.inParams && !this.#afterAnnotationColon()) this.#suspect = PARAMETER;
    else return;
    this.#suspectStart = start;
    this.#suspectEnd = end;
  }

  /** Whether a type follows: right inside parentheses a colon renames nothing. */
  #afterAnnotationColon(): boolean {
    return this.#prev === OPERATOR && this.#top.kind === PAREN &&
      this.#source.charCodeAt(this.#prevStart) === 58;
  }

  /** Whether the next word or bracket is what is being declared. */
  #afterDeclarator(): boolean {
    if (this.#prevWord >= W.W_CONST && this.#prevWord <= W.W_VAR) return true;
    return this.#prev === OPERATOR && this.#source.charCodeAt(this.#prevStart) === 44;
  }

  #bind(frame: Frame, start: number, end: number): void {
    this.bindings.add(frame, start, end, frame.open);
  }

  /** The token at `i` tells whether the word before it was a binding. */
  #settle(c: number, i: number): void {
    const suspect = this.#suspect;
    this.#suspect = 0;
    const source = this.#source;
    if (c === 46 && source.charCodeAt(i + 1) !== 46) return;
    if (c === 63 && source.charCodeAt(i + 1) === 46) return;
    if (suspect === IMPORTED) {
      if (source.startsWith("as", i) && !isPart(source.charCodeAt(i + 2))) return;
      const exempt = this.#top.kind !== BLOCK || this.#depth === 0 || this.#beforeAs() ? 0 : 1;
      this.#imports.push(this.#suspectStart, this.#suspectEnd, exempt);
      return;
    }
    if (c === 58 && this.#top.kind === OBJECT) return;
    if (suspect === DECLARED) {
      if (this.#declaringInHead) this.#candidates.push(this.#suspectStart, this.#suspectEnd);
      else {
        const depth = this.#declaringVar ? this.#top.functionDepth : this.#top.blockDepth;
        this.#bind(this.#frames[depth]!, this.#suspectStart, this.#suspectEnd);
      }
    } else if (c === 44 || c === 41 || c === 61 || c === 58 || c === 63 || c === 125 || c === 93) {
      this.#candidates.push(this.#suspectStart, this.#suspectEnd);
    }
  }

  /** Whether the word just read was renamed by `as`. */
  #beforeAs(): boolean {
    return this.#beforePrev === WORD_END &&
      this.#source.startsWith("as", this.#beforePrevStart) &&
      !isPart(this.#source.charCodeAt(this.#beforePrevStart + 2));
  }

  #string(start: number): number {
    let end: number;
    if (this.#top.kind === TAG) {
      const close = this.#source.indexOf(this.#source.charAt(start), start + 1);
      end = close === -1 ? this.#source.length : close + 1;
    } else end = skipString(this.#source, start);
    if (this.#importing) this.#endImport(this.#source.slice(start + 1, end - 1));
    if (this.#chain === OPEN_QUOTED) {
      this.#chain = QUOTED;
      this.#nameStart = start + 1;
      this.#nameEnd = end - 1;
      this.#note(LITERAL, TOKEN_STRING, start, end);
    } else this.#token(LITERAL, TOKEN_STRING, start, end);
    return end;
  }

  /** Binds what an import named; names of mcpx's own module are the namespaces themselves. */
  #endImport(module: string | undefined): void {
    this.#importing = false;
    for (let at = 0; at < this.#imports.length; at += 3) {
      if (module === this.#ownModule && this.#imports[at + 2] === 1) continue;
      this.#bind(this.#frames[0]!, this.#imports[at]!, this.#imports[at + 1]!);
    }
    this.#imports.length = 0;
  }

  // Punctuation

  #punctuation(c: number, i: number): number {
    const source = this.#source;
    switch (c) {
      case 40:
        return this.#openParen(i);
      case 41:
        return this.#closeParen(i);
      case 123:
        return this.#openBrace(i);
      case 125:
        return this.#closeBrace(i);
      case 91:
        return this.#openBracket(i);
      case 93:
        return this.#closeBracket(i);
      case 46:
        return this.#dot(i);
      case 59:
        return this.#semicolon(i);
      case 58:
        return this.#colon(i);
      case 96:
        return this.#template(i);
      case 47:
        return this.#slash(i);
      case 60:
        return this.#less(i);
      case 62:
        return this.#greater(i);
      case 61:
        return this.#equals(i);
      case 63:
        return this.#question(i);
      case 42:
        if (this.#prevWord === W.W_FUNCTION) {
          this.#token(OPERATOR, TOKEN_OTHER, i, i + 1);
          this.#prevWord = W.W_FUNCTION;
          return i + 1;
        }
        break;
      case 43:
      case 45:
        if (source.charCodeAt(i + 1) === c) {
          const postfix = this.#prev >= WORD_END && !this.#newline;
          this.#token(postfix ? LITERAL : OPERATOR, TOKEN_OTHER, i, i + 2);
          return i + 2;
        }
        break;
      case 33:
        if (this.#prev >= WORD_END && !this.#newline && source.charCodeAt(i + 1) !== 61) {
          this.#token(LITERAL, TOKEN_OTHER, i, i + 1);
          return i + 1;
        }
        break;
    }
    this.#token(OPERATOR, TOKEN_OTHER, i, i + 1);
    return i + 1;
  }

  #dot(i: number): number {
    const source = this.#source;
    const next = source.charCodeAt(i + 1);
    if (next === 46 && source.charCodeAt(i + 2) === 46) {
      this.#token(OPERATOR, TOKEN_OTHER, i, i + 3);
      return i + 3;
    }
    if (next >= 48 && next <= 57) {
      const end = skipNumber(source, i);
      this.#token(LITERAL, TOKEN_NUMBER, i, end);
      return end;
    }
    if (this.#importing && this.#prevWord === W.W_IMPORT) this.#importing = false;
    this.#advanceChain();
    this.#note(DOT, TOKEN_OTHER, i, i + 1);
    return i + 1;
  }

  #advanceChain(): void {
    const chain = this.#chain;
    this.#chain = chain === NAMESPACE ? NAMESPACE_DOT : chain === FUNCTION ? FUNCTION_DOT : NOTHING;
  }

  #question(i: number): number {
    const next = this.#source.charCodeAt(i + 1);
    if (next === 46) {
      const after = this.#source.charCodeAt(i + 2);
      if (!(after >= 48 && after <= 57)) {
        this.#advanceChain();
        this.#note(DOT, TOKEN_OTHER, i, i + 2);
        return i + 2;
      }
    }
    if (next === 63) {
      this.#token(OPERATOR, TOKEN_OTHER, i, i + 2);
      return i + 2;
    }
    if (this.#top.caseOpen) this.#top.pendingMarks++;
    this.#token(OPERATOR, TOKEN_OTHER, i, i + 1);
    return i + 1;
  }

  #semicolon(i: number): number {
    const top = this.#top;
    if (top.expressionBindings !== -1) this.bindings.endExpression(top, i);
    top.declaring = false;
    top.caseOpen = false;
    this.#aliasDepth = -1;
    if (this.#importing) this.#endImport(undefined);
    this.#token(SEMICOLON, TOKEN_OTHER, i, i + 1);
    return i + 1;
  }

  #colon(i: number): number {
    const top = this.#top;
    let kind = OPERATOR;
    if (top.kind === BLOCK) {
      if (top.caseOpen) {
        if (top.pendingMarks > 0) top.pendingMarks--;
        else {
          top.caseOpen = false;
          kind = LABEL_COLON;
        }
      } else if (this.#prevWord === W.W_DEFAULT) kind = LABEL_COLON;
      else if (this.#prev === WORD_END && this.#beforePrev <= STATEMENT_WORD) kind = LABEL_COLON;
    }
    if (this.#importing) {
      this.#importing = false;
      this.#imports.length = 0;
    }
    this.#token(kind, TOKEN_OTHER, i, i + 1);
    return i + 1;
  }

  #equals(i: number): number {
    if (this.#source.charCodeAt(i + 1) === 62) {
      if (this.#prev === WORD_END && this.#lastNamed) {
        if (this.#pending !== AFTER_ARROW || this.#pendingDepth !== this.#depth) {
          this.#suspend(AFTER_ARROW, this.#prevStart, []);
        }
        if (this.#pending === AFTER_ARROW) this.#pendingNames.push(this.#prevStart, this.#prevEnd);
      }
      this.#token(ARROW, TOKEN_OTHER, i, i + 2);
      return i + 2;
    }
    const alias = this.#aliasDepth === this.#depth;
    if (alias) this.#aliasDepth = -1;
    if (this.#importing) this.#endImport(undefined);
    this.#token(alias ? TYPE_EQUALS : OPERATOR, TOKEN_OTHER, i, i + 1);
    return i + 1;
  }

  #template(i: number): number {
    const end = skipTemplateText(this.#source, i + 1);
    const simple = this.#source.charCodeAt(end) === 96;
    this.#token(LITERAL, simple ? TOKEN_STRING : TOKEN_OTHER, i, end + 1);
    return this.#afterTemplateText(end);
  }

  #afterTemplateText(end: number): number {
    if (end >= this.#source.length) {
      this.balanced = false;
      return end;
    }
    this.#chain = NOTHING;
    if (this.#source.charCodeAt(end) === 96) {
      this.#prev = LITERAL;
      this.#prevWord = 0;
      this.#prevStart = end;
      this.#prevEnd = end + 1;
      if (this.#depth === this.#readerDepth) this.#reader!.lastEnd = end + 1;
      return end + 1;
    }
    this.#push(TEMPLATE, end);
    this.#prev = OPERATOR;
    this.#prevStart = end;
    return end + 2;
  }

  #slash(i: number): number {
    if (this.#prev < DOT && this.#top.kind !== TAG) {
      const end = skipRegex(this.#source, i);
      if (end !== -1) {
        this.#token(LITERAL, TOKEN_OTHER, i, end);
        return end;
      }
      // No regular expression after all: read on behind the slash, as long as that has cost less than one pass.
      const lineEnd = this.#lineEnd(i);
      this.#regexBudget -= lineEnd - i;
      if (this.#regexBudget < 0) {
        this.balanced = false;
        this.#token(LITERAL, TOKEN_OTHER, i, lineEnd);
        return lineEnd;
      }
    }
    this.#token(OPERATOR, TOKEN_OTHER, i, i + 1);
    return i + 1;
  }

  // JSX

  #less(i: number): number {
    const top = this.#top;
    if (top.kind === TAG) top.pendingMarks++;
    else if (this.#prev < DOT) {
      const nameEnd = this.#jsx.elementAt(i);
      if (nameEnd !== -1) return this.#openElement(i, nameEnd);
    }
    this.#token(OPERATOR, TOKEN_OTHER, i, i + 1);
    return i + 1;
  }

  #openElement(i: number, nameEnd: number): number {
    this.#token(LITERAL, TOKEN_OTHER, i, nameEnd);
    if (nameEnd === i + 1) {
      this.#push(TEXT, i);
      return this.#text(i + 2);
    }
    this.#push(TAG, i);
    this.#prev = WORD_END;
    return nameEnd;
  }

  #greater(i: number): number {
    const top = this.#top;
    if (top.kind !== TAG) {
      this.#token(OPERATOR, TOKEN_OTHER, i, i + 1);
      return i + 1;
    }
    if (top.pendingMarks > 0) {
      top.pendingMarks--;
      this.#token(OPERATOR, TOKEN_OTHER, i, i + 1);
      return i + 1;
    }
    if (this.#source.charCodeAt(i - 1) !== 47) {
      top.kind = TEXT;
      return this.#text(i + 1);
    }
    this.#pop(i + 1);
    this.#endElement(i);
    return this.#top.kind === TEXT ? this.#text(i + 1) : i + 1;
  }

  #endElement(i: number): void {
    this.#prev = LITERAL;
    this.#prevWord = 0;
    this.#prevStart = i;
    this.#prevEnd = i + 1;
    this.#chain = NOTHING;
    if (this.#depth === this.#readerDepth) this.#reader!.lastEnd = i + 1;
  }

  /** Reads JSX text up to the next thing that is code. */
  #text(start: number): number {
    const source = this.#source;
    const length = source.length;
    let i = start;
    while (i < length && !this.#stopped) {
      const c = source.charCodeAt(i);
      if (c === 123) {
        this.#push(OBJECT, i);
        this.#prev = OPERATOR;
        this.#prevWord = 0;
        this.#prevStart = i;
        return i + 1;
      }
      if (c !== 60) {
        i++;
        continue;
      }
      const next = source.charCodeAt(i + 1);
      if (next === 47) {
        const close = source.indexOf(">", i);
        i = close === -1 ? length : close + 1;
        this.#pop(i);
        this.#endElement(i - 1);
        if (this.#top.kind !== TEXT) return i;
      } else if (next === 62) {
        this.#push(TEXT, i);
        i += 2;
      } else {
        const nameEnd = this.#jsx.nameEnd(i + 1);
        if (nameEnd === i + 1) i++;
        else {
          this.#push(TAG, i);
          this.#prev = WORD_END;
          this.#prevWord = 0;
          return nameEnd;
        }
      }
    }
    return i;
  }

  // Brackets

  #push(kind: number, open: number): Frame {
    const parent = this.#top;
    this.#depth++;
    if (this.#depth > MAX_DEPTH) this.#stopped = true;
    let frame = this.#frames[this.#depth];
    if (frame === undefined) {
      frame = new Frame();
      this.#frames.push(frame);
    }
    frame.reset(kind, open, this.#depth, parent);
    frame.candidates = this.#candidates.length;
    if (kind === PAREN) this.#parens++;
    else if (kind === BRACKET) this.#brackets++;
    else if (kind <= OBJECT || kind === TEMPLATE) this.#braces++;
    this.#top = frame;
    return frame;
  }

  #pop(end: number): Frame {
    const frame = this.#top;
    const kind = frame.kind;
    this.bindings.endFrame(frame, end);
    if (this.#depth === this.#readerDepth) this.#endReader();
    this.#depth--;
    this.#top = this.#frames[this.#depth]!;
    if (kind === PAREN) this.#parens--;
    else if (kind === BRACKET) this.#brackets--;
    else if (kind <= OBJECT || kind === TEMPLATE) this.#braces--;
    if (this.#pending !== 0 && this.#depth < this.#pendingDepth) this.#pending = 0;
    if (this.#depth === this.#readerDepth) this.#reader!.lastEnd = end;
    return frame;
  }

  /** Whether a closing bracket may close what is open; brackets left open inside it are dropped. */
  #closes(fits: (kind: number) => boolean, open: number, stopsAtBrace: boolean, at: number): boolean {
    if (open > 0) {
      while (!fits(this.#top.kind)) {
        if (this.#depth === 0 || (stopsAtBrace && this.#top.kind !== PAREN && this.#top.kind !== BRACKET)) {
          this.balanced = false;
          return false;
        }
        this.balanced = false;
        this.#pop(at);
      }
      return true;
    }
    this.balanced = false;
    return false;
  }

  #openParen(i: number): number {
    const prev = this.#prev;
    let control = 0;
    if (prev === OPERATOR_WORD && this.#prevWord >= W.W_IF && this.#prevWord <= W.W_CATCH) {
      control = this.#prevWord;
    }
    if (this.#importing && this.#prevWord === W.W_IMPORT) this.#importing = false;
    let call = -1;
    if (
      (this.#chain === FUNCTION || this.#chain === FUNCTION_DOT) && !(this.#chainInType && this.#newline) &&
      (this.#chain === FUNCTION || prev === DOT)
    ) {
      call = this.calls.length;
      this.#addCall(i);
    }
    this.#token(OPERATOR, TOKEN_OTHER, i, i + 1);
    const frame = this.#push(PAREN, i);
    frame.control = control;
    frame.call = call;
    frame.inParams = control === 0 || control === W.W_FOR || control === W.W_CATCH;
    return i + 1;
  }

  #addCall(open: number): void {
    const namespaceStart = this.#namespaceStart;
    this.calls.push({
      namespaceStart,
      namespace: this.#viaTools ? this.#namespace : this.#rootName(),
      fn: this.#functionName(),
      viaTools: this.#viaTools,
      start: this.#chainStart,
      calleeEnd: this.#calleeEnd,
      open,
      end: -1,
      awaitStart: this.#chainAwait,
      empty: false,
      argument: undefined,
      argumentEnd: -1,
    });
  }

  #rootName(): string {
    const start = this.#namespaceStart;
    const decoded = this.#decoded.get(start);
    if (decoded !== undefined) return decoded;
    let end = start;
    while (isPart(this.#source.charCodeAt(end))) end++;
    return this.#source.slice(start, end);
  }

  #closeParen(i: number): number {
    if (!this.#closes(isParen, this.#parens, true, i)) {
      this.#token(PAREN_END, TOKEN_OTHER, i, i + 1);
      return i + 1;
    }
    const frame = this.#pop(i + 1);
    if (frame.call !== -1) this.#endCall(frame, i);
    if (this.#candidates.length > frame.candidates) {
      if (frame.inParams) {
        const names = this.#candidates.slice(frame.candidates);
        this.#suspend(AFTER_PARAMETERS, frame.open, names);
        this.#pendingFor = frame.control === W.W_FOR;
      }
      this.#candidates.length = frame.candidates;
    }
    const control = frame.control;
    this.#prev = control === 0 ? PAREN_END : CONTROL_END;
    this.#afterClose(i);
    return i + 1;
  }

  #afterClose(i: number): void {
    this.#prevWord = 0;
    this.#beforePrev = OPERATOR;
    this.#beforePrevStart = this.#prevStart;
    this.#prevStart = i;
    this.#prevEnd = i + 1;
    this.#newline = false;
    this.#lastNamed = false;
    this.#chain = NOTHING;
  }

  #endCall(frame: Frame, i: number): void {
    const call = this.calls[frame.call]!;
    call.end = i + 1;
    call.empty = this.#prevStart === call.open;
    const trailing = this.#prev === OPERATOR && this.#source.charCodeAt(this.#prevStart) === 44 &&
      this.#beforePrevStart === call.argumentEnd;
    if (this.#prevStart !== call.argumentEnd && !trailing) call.argument = undefined;
  }

  /** Parameters may have been read: what follows tells. */
  #suspend(state: number, open: number, names: number[]): void {
    if (this.#pending === RETURN_TYPE) {
      // A type may hold parameter lists of its own; until the body is seen, all of them count.
      if (this.#depth !== this.#pendingDepth) return;
      for (const at of names) this.#pendingNames.push(at);
      if (state === AFTER_ARROW) this.#pending = AFTER_ARROW;
      return;
    }
    this.#pending = state;
    this.#pendingDepth = this.#depth;
    this.#pendingOpen = open;
    this.#pendingFor = false;
    this.#pendingNames = names;
  }

  /** The token at `i`, on the level of the suspended parameters, tells what they belong to. */
  #follow(c: number, i: number): void {
    const arrow = c === 61 && this.#source.charCodeAt(i + 1) === 62;
    if (this.#pending === RETURN_TYPE) {
      if (arrow) this.#pending = AFTER_ARROW;
      else if (c === 59) this.#pending = 0;
      else if (c === 123 && this.#typeEnded()) this.#takeBody();
    } else if (c === 123) {
      this.#takeBody();
    } else if (this.#pending === AFTER_ARROW) {
      this.#pending = 0;
      for (let at = 0; at < this.#pendingNames.length; at += 2) {
        const start = this.#pendingNames[at]!;
        this.bindings.addToExpression(this.#top, start, this.#pendingNames[at + 1]!, this.#pendingOpen);
      }
    } else if (this.#pendingFor) {
      this.#pending = 0;
      const frame = this.#frames[this.#top.blockDepth]!;
      for (let at = 0; at < this.#pendingNames.length; at += 2) {
        this.#bind(frame, this.#pendingNames[at]!, this.#pendingNames[at + 1]!);
      }
    } else if (arrow) this.#pending = AFTER_ARROW;
    else if (c === 58) this.#pending = RETURN_TYPE;
    else this.#pending = 0;
  }

  #typeEnded(): boolean {
    if (this.#prev >= WORD_END || this.#prev === BLOCK_END || this.#prevWord === W.W_VOID) return true;
    return this.#prev === OPERATOR && this.#source.charCodeAt(this.#prevStart) === 62;
  }

  #takeBody(): void {
    this.#pending = 0;
    this.#bodyNames = this.#pendingNames;
  }

  #openBrace(i: number): number {
    const prev = this.#prev;
    const top = this.#top;
    const names = this.#bodyNames;
    this.#bodyNames = undefined;
    const kind = names !== undefined || this.#opensBlock() ? BLOCK : OBJECT;
    const pattern = kind === OBJECT && this.#opensPattern();
    const argument = kind === OBJECT && top.kind === PAREN && top.call !== -1 && this.#prevStart === top.open;
    const call = top.call;
    this.#token(kind === BLOCK ? BLOCK_OPEN : OPERATOR, TOKEN_OTHER, i, i + 1);
    const frame = this.#push(kind, i);
    frame.pattern = pattern;
    if (kind === BLOCK && (prev === PAREN_END || prev === ARROW || names !== undefined)) {
      frame.functionDepth = this.#depth;
    }
    if (names !== undefined) {
      for (let at = 0; at < names.length; at += 2) {
        this.bindings.add(frame, names[at]!, names[at + 1]!, this.#pendingOpen);
      }
    }
    if (argument) {
      this.#reader = new ArgumentReader(this.#source, this.#depth, call);
      this.#readerDepth = this.#depth;
      this.#arguments.push(this.#reader);
    }
    return i + 1;
  }

  #opensBlock(): boolean {
    if (this.#top.kind === TAG) return false;
    const prev = this.#prev;
    if (prev === OPERATOR_WORD) return W.opensBlock(this.#prevWord);
    if (prev === OPERATOR) return this.#source.charCodeAt(this.#prevStart) === 62;
    return prev !== TYPE_EQUALS && prev !== DOT;
  }

  #opensPattern(): boolean {
    const top = this.#top;
    return top.pattern || (top.declaring && this.#afterDeclarator());
  }

  #endReader(): void {
    const reader = this.#arguments.pop()!;
    reader.finish();
    this.calls[reader.call]!.argument = reader;
    this.#reader = this.#arguments.at(-1);
    this.#readerDepth = this.#reader === undefined ? -1 : this.#reader.depth;
  }

  #closeBrace(i: number): number {
    if (!this.#closes(isBrace, this.#braces, false, i)) {
      this.#token(BLOCK_END, TOKEN_OTHER, i, i + 1);
      return i + 1;
    }
    const isArgument = this.#depth === this.#readerDepth;
    const frame = this.#pop(i + 1);
    const top = this.#top;
    if (frame.kind === BLOCK) this.#candidates.length = frame.candidates;
    if (frame.kind === TEMPLATE) return this.#afterTemplateText(skipTemplateText(this.#source, i + 1));
    this.#prev = frame.kind === BLOCK ? BLOCK_END : OBJECT_END;
    this.#afterClose(i);
    if (isArgument && top.call !== -1) this.calls[top.call]!.argumentEnd = i;
    return top.kind === TEXT ? this.#text(i + 1) : i + 1;
  }

  #openBracket(i: number): number {
    const chain = this.#chain;
    const quoted = chain === NAMESPACE || (chain === NAMESPACE_DOT && this.#prev === DOT) ||
      ((chain === FUNCTION || chain === FUNCTION_DOT) && this.#shift());
    const pattern = this.#opensPattern();
    this.#note(OPERATOR, TOKEN_OTHER, i, i + 1);
    this.#push(BRACKET, i).pattern = pattern;
    this.#chain = quoted ? OPEN_QUOTED : NOTHING;
    return i + 1;
  }

  #closeBracket(i: number): number {
    const quoted = this.#chain === QUOTED;
    if (this.#closes(isBracket, this.#brackets, true, i)) this.#pop(i + 1);
    this.#prev = BRACKET_END;
    this.#afterClose(i);
    if (quoted) {
      this.#chain = FUNCTION;
      this.#calleeEnd = i + 1;
    }
    return i + 1;
  }

  #finish(): void {
    if (this.#suspect !== 0) this.#settle(0, this.#source.length);
    if (this.#importing) this.#endImport(undefined);
    // What a bracket that never closed held may have been a binding.
    for (let at = 0; at < this.#candidates.length; at += 2) {
      this.#bind(this.#frames[0]!, this.#candidates[at]!, this.#candidates[at + 1]!);
    }
    if (this.#depth > 0 || this.#stopped) this.balanced = false;
    this.bindings.endFrame(this.#frames[0]!, this.#source.length);
  }
}

function isParen(kind: number): boolean {
  return kind === PAREN;
}

function isBrace(kind: number): boolean {
  return kind === BLOCK || kind === OBJECT || kind === TEMPLATE;
}

function isBracket(kind: number): boolean {
  return kind === BRACKET;
}
