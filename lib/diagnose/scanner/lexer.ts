import { ArgumentReader, TOKEN_NUMBER, TOKEN_OTHER, TOKEN_STRING, TOKEN_WORD } from "./argument.ts";
import { Bindings } from "./bindings.ts";
import { type Callee, CalleeReader } from "./callee.ts";
import { BREAK, CLASS, DIGIT, PART, QUOTE, SPACE, wideClass, WORD } from "./characters.ts";
import { FrameStack } from "./frame_stack.ts";
import { BLOCK, BRACKET, type Frame, OBJECT, PAREN, TAG, TEMPLATE, TEXT } from "./frames.ts";
import { JsxNames } from "./jsx.ts";
import * as T from "./last_token.ts";
import { ScopeTracker } from "./scope_tracker.ts";
import {
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

/** A call as the lexer leaves it. */
export interface RawCall extends Callee {
  open: number;
  /** -1 while its parenthesis is open. */
  end: number;
  calleeEnd: number;
  /** There is nothing in its parentheses. */
  empty: boolean;
  /** The argument, where it is one object literal; and where its brace closes. */
  argument: ArgumentReader | undefined;
  argumentEnd: number;
}

/** An `@word` in code position, before it is noted as a token. */
export interface AtWord {
  /** Offsets of the `@` and after the word. */
  start: number;
  end: number;
  /** What stands before it. */
  last: Readonly<T.LastToken>;
  /** What it stands in. */
  frame: Readonly<Frame>;
}

/** What a lexer is told. */
export interface LexerOptions {
  words: W.WordTable;
  /** The namespaces looked for; without it, every word is one. */
  namespaces: ReadonlySet<string> | undefined;
  ownModule: string;
  /** Told of every `@word`, which then is one name, whatever its word means elsewhere. */
  onAtWord?: (word: AtWord) => void;
}

/** One pass over source: finds calls and bindings, and never looks back further than a token. */
export class Lexer {
  readonly calls: RawCall[] = [];
  readonly bindings: Bindings;
  /** Every bracket found its partner. */
  balanced = true;

  readonly #source: string;
  readonly #words: W.WordTable;
  readonly #all: boolean;
  readonly #contextual: Uint8Array;
  readonly #oddBreaks: boolean;
  readonly #jsx: JsxNames;
  readonly #onAtWord: ((word: AtWord) => void) | undefined;
  readonly #decoded = new Map<number, string>();
  readonly #last: T.LastToken;
  readonly #stack = new FrameStack();
  readonly #callee: CalleeReader;
  readonly #scopes: ScopeTracker;
  readonly #readers: ArgumentReader[] = [];
  #reader: ArgumentReader | undefined;
  #readerDepth = -1;
  #nextBreak = -1;
  #regexBudget: number;
  /** Depth at which a `type` alias waits for its `=`, or -1. */
  #aliasDepth = -1;

  constructor(source: string, options: LexerOptions) {
    this.#source = source;
    this.#words = options.words;
    this.#all = options.namespaces === undefined;
    this.#contextual = W.contextualWords(options.namespaces);
    this.#oddBreaks = hasOddBreaks(source);
    this.#jsx = new JsxNames(source);
    this.#onAtWord = options.onAtWord;
    this.#regexBudget = source.length;
    this.#last = new T.LastToken(source);
    this.bindings = new Bindings(this.#decoded);
    this.#callee = new CalleeReader(source, this.#decoded);
    this.#scopes = new ScopeTracker(source, this.#last, this.#stack, this.bindings, options.ownModule);
  }

  /** Reads the whole source. */
  run(): void {
    const source = this.#source;
    const length = source.length;
    const last = this.#last;
    const stack = this.#stack;
    const scopes = this.#scopes;
    let i = source.charCodeAt(0) === 0xfeff ? 1 : 0;
    if (source.startsWith("#!", i)) i = this.#lineEnd(i);
    while (!stack.overflown) {
      let c = 0;
      let kind = 0;
      for (; i < length; i++) {
        c = source.charCodeAt(i);
        kind = c < 128 ? CLASS[c]! : wideClass(c);
        if (kind === BREAK) last.newline = true;
        else if (kind !== SPACE) break;
      }
      if (i >= length) break;
      if (c === 47 || c === 60 || c === 45) {
        const end = this.#comment(c, i);
        if (end !== i) {
          i = end;
          continue;
        }
      }
      if (scopes.suspect !== 0) scopes.settle(c, i);
      if (stack.top.suspended !== 0) scopes.follow(c, i);
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
        if (c === 92) i = this.#escapedWord(start);
        else this.#word(start, i, this.#words.find(source, start, i - start, hash));
      } else if (kind === DIGIT) i = this.#number(i);
      else if (kind === QUOTE) i = this.#string(i);
      else i = this.#punctuation(c, i);
    }
    scopes.finish();
    if (stack.depth > 0) this.balanced = false;
  }

  // Trivia

  /** Offset after the comment that begins at `i`, or `i` where none does. */
  #comment(c: number, i: number): number {
    if (c === 47) {
      const next = this.#source.charCodeAt(i + 1);
      if (next === 47) return this.#lineEnd(i);
      return next === 42 ? this.#blockComment(i) : i;
    }
    const isHtml = c === 60
      ? this.#source.startsWith("<!--", i)
      : this.#last.newline && this.#source.startsWith("-->", i);
    return isHtml ? this.#lineEnd(i) : i;
  }

  #lineEnd(i: number): number {
    return this.#oddBreaks ? findBreak(this.#source, i) : this.#breakAfter(i);
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
    if (!this.#last.newline) {
      this.#last.newline = this.#oddBreaks
        ? findBreak(this.#source.slice(i, end), 0) < end - i
        : this.#breakAfter(i) < end;
    }
    return end;
  }

  // Tokens

  /** Notes a token that is part of no callee. */
  #token(kind: number, type: number, start: number, end: number): number {
    this.#callee.drop();
    return this.#note(kind, type, start, end);
  }

  /** Notes a token; gives the offset after it. */
  #note(kind: number, type: number, start: number, end: number): number {
    this.#last.note(kind, start, end);
    if (this.#stack.depth === this.#readerDepth) this.#reader!.token(type, start, end);
    return end;
  }

  #operator(i: number, end = i + 1): number {
    return this.#token(T.OPERATOR, TOKEN_OTHER, i, end);
  }

  #number(i: number): number {
    return this.#token(T.LITERAL, TOKEN_NUMBER, i, skipNumber(this.#source, i));
  }

  #string(start: number): number {
    let end: number;
    if (this.#stack.top.kind === TAG) {
      const close = this.#source.indexOf(this.#source.charAt(start), start + 1);
      end = close === -1 ? this.#source.length : close + 1;
    } else end = skipString(this.#source, start);
    if (this.#scopes.importing) this.#scopes.endImport(this.#source.slice(start + 1, end - 1));
    this.#callee.string(start, end);
    return this.#note(T.LITERAL, TOKEN_STRING, start, end);
  }

  #escapedWord(start: number): number {
    const end = skipEscapedWord(this.#source, start);
    if (end === start) return this.#operator(start);
    const text = decodeWord(this.#source.slice(start, end));
    this.#decoded.set(start, text);
    const id = this.#words.findText(text);
    // A word that is reserved is a plain name where it is escaped.
    this.#word(start, end, id !== 0 && id < W.FIRST_CONTEXTUAL ? 0 : id);
    return end;
  }

  #word(start: number, end: number, id: number): void {
    if (this.#last.kind === T.DOT) {
      this.#callee.property(start, end);
      this.#scopes.property();
      this.#note(T.WORD_END, TOKEN_WORD, start, end);
    } else if (this.#stack.top.kind === TAG) this.#token(T.WORD_END, TOKEN_WORD, start, end);
    else if (id !== 0 && id < W.FIRST_CONTEXTUAL) this.#keyword(start, end, id);
    else this.#name(start, end, id);
  }

  #keyword(start: number, end: number, id: number): void {
    this.#scopes.keyword(id, start);
    const top = this.#stack.top;
    if (id === W.W_CASE && top.kind !== OBJECT) {
      top.caseOpen = true;
      top.pendingMarks = 0;
    }
    let kind = T.OPERATOR_WORD;
    if (id > W.LAST_OPERATOR && id <= W.LAST_STATEMENT) kind = T.STATEMENT_WORD;
    else if (id >= W.W_THIS) kind = T.WORD_END;
    const word = id === W.W_AWAIT && this.#last.word === W.W_FOR ? W.W_FOR : id;
    this.#token(kind, TOKEN_WORD, start, end);
    this.#last.word = word;
  }

  #name(start: number, end: number, id: number): void {
    const last = this.#last;
    const { word, joins } = last;
    if (id === W.W_OF && last.kind >= T.WORD_END && this.#stack.top.kind === PAREN) {
      this.#token(T.OPERATOR_WORD, TOKEN_WORD, start, end);
      return;
    }
    const named = id === W.W_NAME || id === W.W_TOOLS || (id === 0 ? this.#all : this.#contextual[id] === 1);
    this.#callee.drop();
    if (named && !joins && word !== W.W_NEW && last.kind !== T.TYPE_EQUALS) {
      const awaitStart = word === W.W_AWAIT ? last.start : -1;
      if (this.#source.charCodeAt(start) !== 35) {
        this.#callee.begin(start, id === W.W_TOOLS, awaitStart, this.#afterTypeSign());
      }
    }
    this.#scopes.name(start, end, named);
    if (word === W.W_TYPE && joins) this.#aliasDepth = this.#stack.depth;
    this.#note(T.WORD_END, TOKEN_WORD, start, end);
    last.word = id === W.W_NAME ? 0 : id;
  }

  /** Whether the token before leaves it open if a type or a value follows. */
  #afterTypeSign(): boolean {
    const last = this.#last;
    if (last.word === W.W_TYPEOF || last.is(58)) return true;
    if (!last.is(124) && !last.is(38)) return false;
    return this.#source.charCodeAt(last.start - 1) !== this.#source.charCodeAt(last.start);
  }

  // Punctuation

  #punctuation(c: number, i: number): number {
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
      default:
        return this.#otherOperator(c, i);
    }
  }

  #otherOperator(c: number, i: number): number {
    const last = this.#last;
    const next = this.#source.charCodeAt(i + 1);
    if (c === 64 && this.#onAtWord !== undefined && isPart(next)) return this.#atWord(i);
    if ((c === 43 || c === 45) && next === c) {
      return this.#token(last.joins ? T.LITERAL : T.OPERATOR, TOKEN_OTHER, i, i + 2);
    }
    // The mark that something is not null.
    if (c === 33 && last.joins && next !== 61) return this.#token(T.LITERAL, TOKEN_OTHER, i, i + 1);
    const isGenerator = c === 42 && last.word === W.W_FUNCTION;
    this.#operator(i);
    if (isGenerator) last.word = W.W_FUNCTION;
    return i + 1;
  }

  #atWord(start: number): number {
    let end = start + 1;
    while (end < this.#source.length && isPart(this.#source.charCodeAt(end))) end++;
    this.#onAtWord?.({ start, end, last: this.#last, frame: this.#stack.top });
    return this.#token(T.WORD_END, TOKEN_WORD, start, end);
  }

  #dot(i: number): number {
    const next = this.#source.charCodeAt(i + 1);
    if (next === 46 && this.#source.charCodeAt(i + 2) === 46) return this.#operator(i, i + 3);
    if (next >= 48 && next <= 57) return this.#number(i);
    if (this.#scopes.importing) this.#scopes.noImport(false);
    this.#callee.dot();
    return this.#note(T.DOT, TOKEN_OTHER, i, i + 1);
  }

  #question(i: number): number {
    const next = this.#source.charCodeAt(i + 1);
    if (next === 46) {
      const after = this.#source.charCodeAt(i + 2);
      if (!(after >= 48 && after <= 57)) {
        this.#callee.dot();
        return this.#note(T.DOT, TOKEN_OTHER, i, i + 2);
      }
    }
    if (next === 63) return this.#operator(i, i + 2);
    if (this.#stack.top.caseOpen) this.#stack.top.pendingMarks++;
    return this.#operator(i);
  }

  #semicolon(i: number): number {
    this.#scopes.semicolon(i);
    this.#stack.top.caseOpen = false;
    this.#aliasDepth = -1;
    return this.#token(T.SEMICOLON, TOKEN_OTHER, i, i + 1);
  }

  #colon(i: number): number {
    const isLabel = this.#stack.top.kind === BLOCK && this.#endsLabel(this.#stack.top);
    if (this.#scopes.importing) this.#scopes.noImport(true);
    return this.#token(isLabel ? T.LABEL_COLON : T.OPERATOR, TOKEN_OTHER, i, i + 1);
  }

  /** Whether the colon at hand ends `case x`, `default` or a label: a statement follows. */
  #endsLabel(top: Frame): boolean {
    if (top.caseOpen && top.pendingMarks > 0) {
      top.pendingMarks--;
      return false;
    }
    if (top.caseOpen) {
      top.caseOpen = false;
      return true;
    }
    const last = this.#last;
    return last.word === W.W_DEFAULT || (last.kind === T.WORD_END && last.beforeKind <= T.STATEMENT_WORD);
  }

  #equals(i: number): number {
    if (this.#source.charCodeAt(i + 1) === 62) {
      this.#scopes.arrow();
      return this.#token(T.ARROW, TOKEN_OTHER, i, i + 2);
    }
    if (this.#scopes.importing) this.#scopes.endImport(undefined);
    const isAlias = this.#aliasDepth === this.#stack.depth;
    if (isAlias) this.#aliasDepth = -1;
    return this.#token(isAlias ? T.TYPE_EQUALS : T.OPERATOR, TOKEN_OTHER, i, i + 1);
  }

  #template(i: number): number {
    const end = skipTemplateText(this.#source, i + 1);
    const simple = this.#source.charCodeAt(end) === 96;
    this.#token(T.LITERAL, simple ? TOKEN_STRING : TOKEN_OTHER, i, end + 1);
    return this.#afterTemplateText(end);
  }

  #afterTemplateText(end: number): number {
    if (end >= this.#source.length) {
      this.balanced = false;
      return end;
    }
    if (this.#source.charCodeAt(end) === 96) return this.#closed(T.LITERAL, end);
    this.#callee.drop();
    this.#push(TEMPLATE, end);
    this.#last.set(T.OPERATOR, end, end + 2);
    return end + 2;
  }

  #slash(i: number): number {
    if (this.#last.kind < T.DOT && this.#stack.top.kind !== TAG) {
      const end = skipRegex(this.#source, i);
      if (end !== -1) return this.#token(T.LITERAL, TOKEN_OTHER, i, end);
      // None after all: read on behind the slash, as long as such attempts have cost less than one pass.
      const lineEnd = this.#lineEnd(i);
      this.#regexBudget -= lineEnd - i;
      if (this.#regexBudget < 0) {
        this.balanced = false;
        return this.#token(T.LITERAL, TOKEN_OTHER, i, lineEnd);
      }
    }
    return this.#operator(i);
  }

  // JSX

  #less(i: number): number {
    if (this.#stack.top.kind === TAG) this.#stack.top.pendingMarks++;
    else if (this.#last.kind < T.DOT) {
      const nameEnd = this.#jsx.elementAt(i);
      if (nameEnd !== -1) {
        this.#token(T.LITERAL, TOKEN_OTHER, i, nameEnd);
        return this.#openElement(i, nameEnd);
      }
    }
    return this.#operator(i);
  }

  /** Opens an element whose name ends at `nameEnd`; one without a name is a fragment. */
  #openElement(i: number, nameEnd: number): number {
    if (nameEnd === i + 1) {
      this.#push(TEXT, i);
      return this.#text(i + 2);
    }
    this.#push(TAG, i);
    this.#last.set(T.WORD_END, i, nameEnd);
    return nameEnd;
  }

  #greater(i: number): number {
    const top = this.#stack.top;
    if (top.kind !== TAG) return this.#operator(i);
    if (top.pendingMarks > 0) {
      top.pendingMarks--;
      return this.#operator(i);
    }
    if (this.#source.charCodeAt(i - 1) !== 47) {
      top.kind = TEXT;
      return this.#text(i + 1);
    }
    this.#pop(i + 1);
    this.#closed(T.LITERAL, i);
    return this.#stack.top.kind === TEXT ? this.#text(i + 1) : i + 1;
  }

  /** Reads JSX text up to the next thing that is code. */
  #text(start: number): number {
    const source = this.#source;
    let i = start;
    while (i < source.length && !this.#stack.overflown) {
      const c = source.charCodeAt(i);
      if (c === 123) {
        this.#push(OBJECT, i);
        this.#last.set(T.OPERATOR, i, i + 1);
        return i + 1;
      }
      if (c !== 60) i++;
      else if (source.charCodeAt(i + 1) === 47) {
        const close = source.indexOf(">", i);
        i = close === -1 ? source.length : close + 1;
        this.#pop(i);
        this.#closed(T.LITERAL, i - 1);
        if (this.#stack.top.kind !== TEXT) return i;
      } else if (source.charCodeAt(i + 1) === 62) {
        this.#push(TEXT, i);
        i += 2;
      } else {
        const nameEnd = this.#jsx.nameEnd(i + 1);
        if (nameEnd > i + 1) return this.#openElement(i, nameEnd);
        i++;
      }
    }
    return i;
  }

  // Brackets

  #push(kind: number, open: number): Frame {
    const frame = this.#stack.push(kind, open);
    this.#scopes.opened(frame);
    return frame;
  }

  #pop(end: number): Frame {
    if (this.#stack.depth === this.#readerDepth) this.#endReader();
    const frame = this.#stack.pop();
    this.bindings.endFrame(frame, end);
    return frame;
  }

  /** Notes a closing token at `i`: a value, a statement or a list has ended with it. */
  #closed(kind: number, i: number): number {
    this.#callee.drop();
    this.#last.note(kind, i, i + 1);
    if (this.#stack.depth === this.#readerDepth) this.#reader!.lastEnd = i + 1;
    return i + 1;
  }

  /** Takes off the frame that a bracket at `i` closes; undefined where it closes nothing. */
  #close(group: number, i: number): Frame | undefined {
    if (!this.#stack.isOnTop(group)) {
      this.balanced = false;
      while (this.#stack.canClose(group) && !this.#stack.isOnTop(group)) this.#pop(i);
      if (!this.#stack.isOnTop(group)) return undefined;
    }
    return this.#pop(i + 1);
  }

  #openParen(i: number): number {
    const last = this.#last;
    const isControl = last.kind === T.OPERATOR_WORD && last.word >= W.W_IF && last.word <= W.W_CATCH;
    const control = isControl ? last.word : 0;
    if (this.#scopes.importing) this.#scopes.noImport(false);
    const callee = this.#callee.take(last.kind === T.DOT, last.newline);
    this.#note(T.OPERATOR, TOKEN_OTHER, i, i + 1);
    const frame = this.#push(PAREN, i);
    frame.control = control;
    frame.inParams = control === 0 || control === W.W_FOR || control === W.W_CATCH;
    if (callee !== undefined) {
      frame.call = this.calls.length;
      const { end: calleeEnd } = callee;
      this.calls.push({
        ...callee,
        calleeEnd,
        open: i,
        end: -1,
        empty: false,
        argument: undefined,
        argumentEnd: -1,
      });
    }
    return i + 1;
  }

  #closeParen(i: number): number {
    const frame = this.#close(PAREN, i);
    if (frame === undefined) return this.#closed(T.PAREN_END, i);
    if (frame.call !== -1) this.#endCall(frame.call, i);
    this.#scopes.closedParen(frame);
    return this.#closed(frame.control === 0 ? T.PAREN_END : T.CONTROL_END, i);
  }

  #endCall(index: number, i: number): void {
    const call = this.calls[index]!;
    const last = this.#last;
    call.end = i + 1;
    call.empty = last.start === call.open;
    const trailingComma = last.is(44) && last.beforeStart === call.argumentEnd;
    if (last.start !== call.argumentEnd && !trailingComma) call.argument = undefined;
  }

  #openBrace(i: number): number {
    const last = this.#last;
    const top = this.#stack.top;
    const isBody = this.#scopes.opensBody;
    const kind = isBody || this.#opensBlock() ? BLOCK : OBJECT;
    const isFunction = isBody || (kind === BLOCK && (last.kind === T.PAREN_END || last.kind === T.ARROW));
    const pattern = kind === OBJECT && this.#opensPattern();
    const isArgument = kind === OBJECT && top.call !== -1 && last.start === top.open;
    this.#token(kind === BLOCK ? T.BLOCK_OPEN : T.OPERATOR, TOKEN_OTHER, i, i + 1);
    const frame = this.#push(kind, i);
    frame.pattern = pattern;
    if (isFunction) frame.functionDepth = this.#stack.depth;
    if (isBody) this.#scopes.enterBody(frame);
    if (isArgument) this.#beginReader(top.call);
    return i + 1;
  }

  #opensBlock(): boolean {
    if (this.#stack.top.kind === TAG) return false;
    const { kind, word } = this.#last;
    if (kind === T.OPERATOR_WORD) return W.opensBlock(word);
    if (kind === T.OPERATOR) return this.#last.is(62);
    return kind !== T.TYPE_EQUALS && kind !== T.DOT;
  }

  #opensPattern(): boolean {
    const top = this.#stack.top;
    return top.pattern || (top.declaring && this.#scopes.afterDeclarator());
  }

  #closeBrace(i: number): number {
    const isArgument = this.#stack.depth === this.#readerDepth;
    const frame = this.#close(BLOCK, i);
    if (frame === undefined) return this.#closed(T.BLOCK_END, i);
    if (frame.kind === TEMPLATE) return this.#afterTemplateText(skipTemplateText(this.#source, i + 1));
    if (frame.kind === BLOCK) this.#scopes.closedBlock(frame);
    this.#closed(frame.kind === BLOCK ? T.BLOCK_END : T.OBJECT_END, i);
    const top = this.#stack.top;
    if (isArgument && top.call !== -1) this.calls[top.call]!.argumentEnd = i;
    return top.kind === TEXT ? this.#text(i + 1) : i + 1;
  }

  #openBracket(i: number): number {
    this.#callee.openBracket(this.#last.kind === T.DOT);
    const pattern = this.#opensPattern();
    this.#note(T.OPERATOR, TOKEN_OTHER, i, i + 1);
    this.#push(BRACKET, i).pattern = pattern;
    return i + 1;
  }

  #closeBracket(i: number): number {
    this.#close(BRACKET, i);
    this.#last.note(T.BRACKET_END, i, i + 1);
    if (this.#stack.depth === this.#readerDepth) this.#reader!.lastEnd = i + 1;
    this.#callee.closeBracket(i + 1);
    return i + 1;
  }

  // Arguments

  #beginReader(call: number): void {
    this.#reader = new ArgumentReader(this.#source, this.#stack.depth, call);
    this.#readerDepth = this.#stack.depth;
    this.#readers.push(this.#reader);
  }

  #endReader(): void {
    const reader = this.#readers.pop()!;
    reader.finish();
    this.calls[reader.call]!.argument = reader;
    this.#reader = this.#readers.at(-1);
    this.#readerDepth = this.#reader === undefined ? -1 : this.#reader.depth;
  }
}
