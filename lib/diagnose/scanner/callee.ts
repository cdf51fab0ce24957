import { decodeString, isPart } from "./skip.ts";

// How much of a callee has been read.
const NOTHING = 0;
const NAMESPACE = 1;
const NAMESPACE_DOT = 2;
const FUNCTION = 3;
const FUNCTION_DOT = 4;
const OPEN_QUOTED = 5;
const QUOTED = 6;

/** A callee that was read to its parenthesis. */
export interface Callee {
  namespace: string;
  fn: string;
  viaTools: boolean;
  start: number;
  end: number;
  awaitStart: number;
}

/** Follows `ns.fn`, `ns["fn"]` and `tools.ns.fn` token by token. */
export class CalleeReader {
  readonly #source: string;
  /** Spelling of words that were written with escapes, by offset. */
  readonly #decoded: Map<number, string>;
  #state = NOTHING;
  #start = 0;
  #awaitStart = -1;
  #afterTypeSign = false;
  #viaTools = false;
  #rootIsTools = false;
  #namespace = "";
  #nameStart = 0;
  #nameEnd = 0;
  #end = 0;

  constructor(source: string, decoded: Map<number, string>) {
    this.#source = source;
    this.#decoded = decoded;
  }

  /** A token that is part of no callee. */
  drop(): void {
    this.#state = NOTHING;
  }

  /** A word that may be a namespace, or `tools`. */
  begin(start: number, isTools: boolean, awaitStart: number, afterTypeSign: boolean): void {
    this.#state = NAMESPACE;
    this.#start = start;
    this.#awaitStart = awaitStart;
    this.#afterTypeSign = afterTypeSign;
    this.#viaTools = false;
    this.#rootIsTools = isTools;
  }

  /** `.` or `?.` */
  dot(): void {
    this.#state = this.#state === NAMESPACE
      ? NAMESPACE_DOT
      : this.#state === FUNCTION
      ? FUNCTION_DOT
      : NOTHING;
  }

  /** A word behind a dot. */
  property(start: number, end: number): void {
    const follows = this.#state === NAMESPACE_DOT || (this.#state === FUNCTION_DOT && this.#shift());
    if (!follows || this.#source.charCodeAt(start) === 35) {
      this.#state = NOTHING;
      return;
    }
    this.#state = FUNCTION;
    this.#nameStart = start;
    this.#nameEnd = end;
    this.#end = end;
  }

  /** `[` */
  openBracket(afterDot: boolean): void {
    const state = this.#state;
    const follows = state === NAMESPACE || (state === NAMESPACE_DOT && afterDot) ||
      ((state === FUNCTION || state === FUNCTION_DOT) && this.#shift());
    this.#state = follows ? OPEN_QUOTED : NOTHING;
  }

  /** A string: its offsets, quotes included. */
  string(start: number, end: number): void {
    if (this.#state !== OPEN_QUOTED) {
      this.#state = NOTHING;
      return;
    }
    this.#state = QUOTED;
    this.#nameStart = start + 1;
    this.#nameEnd = end - 1;
  }

  /** `]`, which ends at `end`. */
  closeBracket(end: number): void {
    this.#state = this.#state === QUOTED ? FUNCTION : NOTHING;
    this.#end = end;
  }

  /** `(`: the callee that it calls, where there is one. */
  take(afterDot: boolean, afterBreak: boolean): Callee | undefined {
    const state = this.#state;
    this.#state = NOTHING;
    if (state !== FUNCTION && !(state === FUNCTION_DOT && afterDot)) return undefined;
    if (afterBreak && this.#afterTypeSign) return undefined;
    return {
      namespace: this.#viaTools ? this.#namespace : this.#rootName(),
      fn: this.#name(),
      viaTools: this.#viaTools,
      start: this.#start,
      end: this.#end,
      awaitStart: this.#awaitStart,
    };
  }

  /** What was read is `tools.<namespace>`: the function is still to come. */
  #shift(): boolean {
    if (!this.#rootIsTools || this.#viaTools) return false;
    this.#viaTools = true;
    this.#namespace = this.#name();
    return true;
  }

  #name(): string {
    const raw = this.#source.slice(this.#nameStart, this.#nameEnd);
    const before = this.#source.charCodeAt(this.#nameStart - 1);
    if (before === 34 || before === 39) return decodeString(raw);
    return this.#decoded.get(this.#nameStart) ?? raw;
  }

  #rootName(): string {
    const decoded = this.#decoded.get(this.#start);
    if (decoded !== undefined) return decoded;
    let end = this.#start;
    while (isPart(this.#source.charCodeAt(end))) end++;
    return this.#source.slice(this.#start, end);
  }
}
