const NAME = /[A-Za-z_$\u0080-\uffff][\w.$:\u0080-\uffff-]*/y;
/** An attribute with a quoted or braced value, as no type parameter has. */
const ATTRIBUTE = /\s{1,200}[A-Za-z_$][\w$:-]{0,200}=["'{]/y;

/** Tells JSX elements from `<T>` assertions and arrows by what the rest of the source says. */
export class JsxNames {
  readonly #source: string;
  #closings: Map<string, number> | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  /** Offset after the name of the element that opens at `i` (at the `>` of `<>`), or -1 where none does. */
  elementAt(i: number): number {
    const source = this.#source;
    if (source.charCodeAt(i + 1) === 62) return this.#lastClosing("") > i ? i + 1 : -1;
    const end = this.nameEnd(i + 1);
    if (end === i + 1) return -1;
    const next = source.charCodeAt(end);
    if (next === 44 || next === 61) return -1;
    const name = source.slice(i + 1, end);
    if (this.#lastClosing(name) > i) return end;
    ATTRIBUTE.lastIndex = end;
    return name !== "const" && ATTRIBUTE.test(source) ? end : -1;
  }

  /** Offset after an element's name, or `start` where there is none. */
  nameEnd(start: number): number {
    NAME.lastIndex = start;
    return NAME.test(this.#source) ? NAME.lastIndex : start;
  }

  /** Where an element of that name is closed last; found for all names in one pass, when first asked. */
  #lastClosing(name: string): number {
    if (this.#closings === undefined) {
      this.#closings = new Map();
      for (let at = this.#source.indexOf("</"); at !== -1; at = this.#source.indexOf("</", at + 2)) {
        if (this.#source.charCodeAt(at + 2) === 62) this.#closings.set("", at);
        else this.#closings.set(this.#source.slice(at + 2, this.nameEnd(at + 2)), at);
      }
    }
    return this.#closings.get(name) ?? -1;
  }
}
