import type { Bindings } from "./bindings.ts";
import type { FrameStack } from "./frame_stack.ts";
import { BLOCK, type Frame, OBJECT, PAREN } from "./frames.ts";
import { BLOCK_END, type LastToken, OPERATOR, WORD_END } from "./last_token.ts";
import { isPart } from "./skip.ts";
import * as W from "./words.ts";

// What the last word may turn out to be, which the next token settles.
const PARAMETER = 1;
const DECLARED = 2;
const IMPORTED = 3;

// How far names in parentheses have been confirmed as parameters.
const AFTER_PARAMETERS = 1;
const AFTER_ARROW = 2;
const RETURN_TYPE = 3;

/** Follows declarations, parameters and imports: which names the source binds, and where. */
export class ScopeTracker {
  readonly #source: string;
  readonly #last: LastToken;
  readonly #stack: FrameStack;
  readonly #bindings: Bindings;
  /** The module whose named imports are the namespaces themselves. */
  readonly #ownModule: string;

  /** Whether the last word waits to be settled: {@link settle} has to be called with the next token. */
  suspect = 0;
  importing = false;
  #suspectStart = 0;
  #suspectEnd = 0;
  #lastNamed = false;
  #declaringVar = false;
  #declaringInHead = false;
  /** Starts and ends of names that may be parameters of the parentheses they stand in. */
  readonly #candidates: number[] = [];
  #bodyNames: number[] | undefined;
  #bodyOpen = 0;
  readonly #imports: number[] = [];

  constructor(source: string, last: LastToken, stack: FrameStack, bindings: Bindings, ownModule: string) {
    this.#source = source;
    this.#last = last;
    this.#stack = stack;
    this.#bindings = bindings;
    this.#ownModule = ownModule;
  }

  /** A reserved word, before it is noted as the last token. */
  keyword(id: number, start: number): void {
    const top = this.#stack.top;
    this.#lastNamed = false;
    if (W.beginsStatement(id)) {
      top.suspended = 0;
      if (top.expressionBindings !== -1) this.#bindings.endExpression(top, start);
    }
    if (top.kind === OBJECT) return;
    if (id === W.W_IMPORT) this.importing = true;
    else if (id >= W.W_CONST && id <= W.W_VAR) this.#declare(id === W.W_VAR);
  }

  /** A word behind a dot. */
  property(): void {
    this.#lastNamed = false;
  }

  #declare(isVar: boolean): void {
    this.#stack.top.declaring = true;
    this.#declaringVar = isVar;
    this.#declaringInHead = !isVar && this.#stack.top.kind === PAREN;
  }

  /** A word that is not reserved, before it is noted as the last token; `named` where it is looked for. */
  name(start: number, end: number, named: boolean): void {
    const { word, joins } = this.#last;
    this.#lastNamed = named;
    const isUsing = word === W.W_USING && joins && this.#stack.top.kind !== OBJECT;
    if (isUsing) this.#declare(false);
    if (!named) return;
    const top = this.#stack.top;
    const isDeclared = (word >= W.W_FUNCTION && word <= W.W_ENUM) ||
      (joins && (word === W.W_NAMESPACE || word === W.W_MODULE));
    if (isDeclared) this.#bind(this.#stack.block, start, end);
    else if (this.importing) this.suspect = IMPORTED;
    else if (top.pattern || (top.declaring && (isUsing || this.afterDeclarator()))) this.suspect = DECLARED;
    else if (top.inParams && !(top.kind === PAREN && this.#last.is(58))) this.suspect = PARAMETER;
    this.#suspectStart = start;
    this.#suspectEnd = end;
  }

  /** Whether the next word or bracket is what is being declared. */
  afterDeclarator(): boolean {
    const { word } = this.#last;
    return (word >= W.W_CONST && word <= W.W_VAR) || this.#last.is(44);
  }

  #bind(frame: Frame, start: number, end: number): void {
    this.#bindings.add(frame, start, end, frame.open);
  }

  /** The token at `i` tells whether the word before it was a binding. */
  settle(c: number, i: number): void {
    const suspect = this.suspect;
    this.suspect = 0;
    const next = this.#source.charCodeAt(i + 1);
    if ((c === 46 && next !== 46) || (c === 63 && next === 46)) return;
    if (suspect === IMPORTED) this.#settleImport(i);
    else if (c === 58 && this.#stack.top.kind === OBJECT) return;
    else if (suspect === DECLARED) this.#settleDeclared();
    else if (c === 44 || c === 41 || c === 61 || c === 58 || c === 63 || c === 125 || c === 93) {
      this.#candidates.push(this.#suspectStart, this.#suspectEnd);
    }
  }

  #settleDeclared(): void {
    if (this.#declaringInHead) this.#candidates.push(this.#suspectStart, this.#suspectEnd);
    else {
      const frame = this.#declaringVar ? this.#stack.functionBody : this.#stack.block;
      this.#bind(frame, this.#suspectStart, this.#suspectEnd);
    }
  }

  #settleImport(i: number): void {
    if (this.#isAs(i)) return;
    const renamed = this.#last.beforeKind === WORD_END && this.#isAs(this.#last.beforeStart);
    const inBraces = this.#stack.depth > 0 && this.#stack.top.kind === BLOCK;
    this.#imports.push(this.#suspectStart, this.#suspectEnd, inBraces && !renamed ? 1 : 0);
  }

  #isAs(at: number): boolean {
    return this.#source.startsWith("as", at) && !isPart(this.#source.charCodeAt(at + 2));
  }

  /** Binds what an import named, but for the namespaces that mcpx's own module gives. */
  endImport(module: string | undefined): void {
    this.importing = false;
    for (let at = 0; at < this.#imports.length; at += 3) {
      if (module === this.#ownModule && this.#imports[at + 2] === 1) continue;
      this.#bind(this.#stack.frames[0]!, this.#imports[at]!, this.#imports[at + 1]!);
    }
    this.#imports.length = 0;
  }

  /** `(` or `.` or `:`: where an import statement cannot have them, it was none. */
  noImport(always: boolean): void {
    if (!always && this.#last.word !== W.W_IMPORT) return;
    this.importing = false;
    this.#imports.length = 0;
  }

  /** `;` */
  semicolon(i: number): void {
    const top = this.#stack.top;
    if (top.expressionBindings !== -1) this.#bindings.endExpression(top, i);
    top.declaring = false;
    if (this.importing) this.endImport(undefined);
  }

  /** `=>`: a word before it is a parameter. */
  arrow(): void {
    const last = this.#last;
    if (last.kind !== WORD_END || !this.#lastNamed) return;
    const top = this.#stack.top;
    if (top.suspended !== AFTER_ARROW) this.#suspend(AFTER_ARROW, last.start, []);
    top.suspendedNames.push(last.start, last.end);
  }

  /** A frame was opened. */
  opened(frame: Frame): void {
    frame.candidates = this.#candidates.length;
  }

  /** A block was closed: what stood in it are no parameters of what is around it. */
  closedBlock(frame: Frame): void {
    this.#candidates.length = frame.candidates;
  }

  /** Parentheses were closed: the names in them may be parameters. */
  closedParen(frame: Frame): void {
    this.#lastNamed = false;
    if (this.#candidates.length <= frame.candidates) return;
    if (frame.inParams) {
      this.#suspend(AFTER_PARAMETERS, frame.open, this.#candidates.slice(frame.candidates));
      this.#stack.top.suspendedFor = frame.control === W.W_FOR;
    }
    this.#candidates.length = frame.candidates;
  }

  /** Parameters may have been read: what follows on this level tells. */
  #suspend(state: number, open: number, names: number[]): void {
    const top = this.#stack.top;
    if (top.suspended === RETURN_TYPE) {
      // A type may hold parameter lists of its own; until the body is seen, all of them count.
      for (const at of names) top.suspendedNames.push(at);
      if (state === AFTER_ARROW) top.suspended = AFTER_ARROW;
      return;
    }
    top.suspended = state;
    top.suspendedOpen = open;
    top.suspendedFor = false;
    top.suspendedNames = names;
  }

  /** The token at `i`, on the level of the suspended parameters, tells what they belong to. */
  follow(c: number, i: number): void {
    const top = this.#stack.top;
    const arrow = c === 61 && this.#source.charCodeAt(i + 1) === 62;
    const state = top.suspended;
    if (state === RETURN_TYPE) {
      if (arrow) top.suspended = AFTER_ARROW;
      else if (c === 59) top.suspended = 0;
      else if (c === 123 && this.#typeEnded()) this.#takeBody(top);
    } else if (c === 123) this.#takeBody(top);
    else if (state === AFTER_ARROW) this.#bindSuspended(top, true);
    else if (top.suspendedFor) this.#bindSuspended(top, false);
    else top.suspended = arrow ? AFTER_ARROW : c === 58 ? RETURN_TYPE : 0;
  }

  #bindSuspended(top: Frame, inExpression: boolean): void {
    top.suspended = 0;
    const names = top.suspendedNames;
    for (let at = 0; at < names.length; at += 2) {
      const [start, end] = [names[at]!, names[at + 1]!];
      if (inExpression) this.#bindings.addToExpression(top, start, end, top.suspendedOpen);
      else this.#bind(this.#stack.block, start, end);
    }
  }

  #typeEnded(): boolean {
    const last = this.#last;
    return last.kind >= WORD_END || last.kind === BLOCK_END || last.word === W.W_VOID ||
      (last.kind === OPERATOR && last.is(62));
  }

  #takeBody(top: Frame): void {
    top.suspended = 0;
    this.#bodyNames = top.suspendedNames;
    this.#bodyOpen = top.suspendedOpen;
  }

  /** Whether the brace at hand opens the body of suspended parameters. */
  get opensBody(): boolean {
    return this.#bodyNames !== undefined;
  }

  /** A body was opened: the suspended parameters are bound in it. */
  enterBody(frame: Frame): void {
    const names = this.#bodyNames ?? [];
    this.#bodyNames = undefined;
    for (let at = 0; at < names.length; at += 2) {
      this.#bindings.add(frame, names[at]!, names[at + 1]!, this.#bodyOpen);
    }
  }

  /** The end of the source. */
  finish(): void {
    if (this.suspect !== 0) this.settle(0, this.#source.length);
    if (this.importing) this.endImport(undefined);
    // What a bracket that never closed held may have been a binding.
    for (let at = 0; at < this.#candidates.length; at += 2) {
      this.#bind(this.#stack.frames[0]!, this.#candidates[at]!, this.#candidates[at + 1]!);
    }
    this.#bindings.endFrame(this.#stack.frames[0]!, this.#source.length);
  }
}
