import type { ScannedProperty, ScannedValue } from "../types.ts";
import { decodeString } from "./skip.ts";

const KEY = 0;
const AFTER_KEY = 1;
const VALUE = 2;
const REST = 3;

/** What a token is, as far as an argument object cares. */
export const TOKEN_WORD = 0;
export const TOKEN_STRING = 1;
export const TOKEN_NUMBER = 2;
export const TOKEN_OTHER = 3;

const UNKNOWN: ScannedValue = { kind: "unknown" };

/** Reads the top level of one object literal, token by token; what is nested is skipped by depth. */
export class ArgumentReader {
  readonly #source: string;
  /** Depth of the tokens that belong to the object itself. */
  readonly depth: number;
  /** Index of the call. */
  readonly call: number;
  readonly properties: ScannedProperty[] = [];
  open = false;
  /** End of the last token or nested bracket. */
  lastEnd = 0;
  #phase = KEY;
  #key: string | undefined;
  #start = 0;
  #tokens = 0;
  #value: ScannedValue = UNKNOWN;
  #minus = false;

  constructor(source: string, depth: number, call: number) {
    this.#source = source;
    this.depth = depth;
    this.call = call;
  }

  /** Takes the next token of the object's own level. */
  token(type: number, start: number, end: number): void {
    const c = this.#source.charCodeAt(start);
    if (type === TOKEN_OTHER && c === 44) {
      this.finish();
      return;
    }
    if (this.#phase === KEY) this.#readKey(type, c, start, end);
    else if (this.#phase === AFTER_KEY) this.#afterKey(type, c, start, end);
    else if (this.#phase === VALUE) this.#readValue(type, c, start, end);
    this.lastEnd = end;
  }

  #readKey(type: number, c: number, start: number, end: number): void {
    this.#start = start;
    this.#value = UNKNOWN;
    if (type === TOKEN_OTHER) {
      if (c === 42) return;
      this.open = true;
      this.#phase = REST;
      return;
    }
    this.#key = this.#name(type, start, end);
    this.#phase = AFTER_KEY;
  }

  #afterKey(type: number, c: number, start: number, end: number): void {
    if (type !== TOKEN_OTHER) {
      this.#key = this.#name(type, start, end);
    } else if (c === 58) {
      this.#phase = VALUE;
      this.#tokens = 0;
      this.#minus = false;
    } else if (c !== 42) {
      if (c === 91) {
        this.open = true;
        this.#key = undefined;
      }
      this.#phase = REST;
    }
  }

  #readValue(type: number, c: number, start: number, end: number): void {
    this.#tokens++;
    if (this.#tokens === 1) {
      this.#minus = c === 45;
      this.#value = this.#literal(type, c, start, end);
    } else if (this.#tokens === 2 && this.#minus && type === TOKEN_NUMBER) {
      const value = this.#literal(type, c, start, end);
      this.#value = value.kind === "literal" && typeof value.value === "number"
        ? { kind: "literal", value: -value.value }
        : UNKNOWN;
    } else {
      this.#value = UNKNOWN;
    }
  }

  #literal(type: number, c: number, start: number, end: number): ScannedValue {
    if (type === TOKEN_STRING) {
      return { kind: "literal", value: decodeString(this.#source.slice(start + 1, end - 1)) };
    }
    const text = this.#source.slice(start, end);
    if (type === TOKEN_NUMBER) {
      const value = Number(text.replaceAll("_", ""));
      return Number.isFinite(value) ? { kind: "literal", value } : UNKNOWN;
    }
    if (type === TOKEN_WORD) {
      if (text === "true" || text === "false") return { kind: "literal", value: text === "true" };
      return text === "null" ? { kind: "literal", value: null } : UNKNOWN;
    }
    if (c === 91) return { kind: "array" };
    return c === 123 ? { kind: "object" } : UNKNOWN;
  }

  #name(type: number, start: number, end: number): string {
    if (type === TOKEN_STRING) return decodeString(this.#source.slice(start + 1, end - 1));
    const text = this.#source.slice(start, end);
    return type === TOKEN_NUMBER ? String(Number(text.replaceAll("_", ""))) : text;
  }

  /** Ends the property under way. */
  finish(): void {
    if (this.#key !== undefined) {
      this.properties.push({ key: this.#key, value: this.#value, start: this.#start, end: this.lastEnd });
    }
    this.#key = undefined;
    this.#phase = KEY;
  }
}
