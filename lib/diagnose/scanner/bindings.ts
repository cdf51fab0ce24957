import type { Frame } from "./frames.ts";

/** Names bound in the source, each with the stretch of source in which it means that binding. */
export class Bindings {
  /** Start and end of the name, start and end of the stretch, and the next of the chain: five numbers each. */
  readonly #rows: number[] = [];
  /** Spelling of names that were written with escapes. */
  readonly #decoded: Map<number, string>;

  constructor(decoded: Map<number, string>) {
    this.#decoded = decoded;
  }

  /** Binds a name until `frame` closes. */
  add(frame: Frame, nameStart: number, nameEnd: number, from: number): void {
    this.#rows.push(nameStart, nameEnd, from, -1, frame.bindings);
    frame.bindings = this.#rows.length - 5;
  }

  /** Binds a name until the expression under way in `frame` ends. */
  addToExpression(frame: Frame, nameStart: number, nameEnd: number, from: number): void {
    this.#rows.push(nameStart, nameEnd, from, -1, frame.expressionBindings);
    frame.expressionBindings = this.#rows.length - 5;
  }

  /** Ends what was bound until the end of the expression. */
  endExpression(frame: Frame, at: number): void {
    this.#end(frame.expressionBindings, at);
    frame.expressionBindings = -1;
  }

  /** Ends everything bound in a frame. */
  endFrame(frame: Frame, at: number): void {
    if (frame.bindings !== -1) this.#end(frame.bindings, at);
    if (frame.expressionBindings !== -1) this.endExpression(frame, at);
  }

  #end(head: number, at: number): void {
    for (let row = head; row !== -1; row = this.#rows[row + 4]!) this.#rows[row + 3] = at;
  }

  /**
   * The stretches of source by name, disjoint and in order.
   *
   * @param source the source scanned
   * @param wholeFile whether a name bound anywhere is bound everywhere
   */
  ranges(source: string, wholeFile: boolean): Map<string, [start: number, end: number][]> {
    const found = new Map<string, [number, number][]>();
    for (let row = 0; row < this.#rows.length; row += 5) {
      const nameStart = this.#rows[row]!;
      const name = this.#decoded.get(nameStart) ?? source.slice(nameStart, this.#rows[row + 1]);
      const end = this.#rows[row + 3]!;
      const range: [number, number] = wholeFile || end === -1
        ? [0, source.length]
        : [this.#rows[row + 2]!, end];
      const list = found.get(name);
      if (list === undefined) found.set(name, [range]);
      else list.push(range);
    }
    for (const [name, list] of found) found.set(name, merge(list));
    return found;
  }
}

function merge(list: [number, number][]): [number, number][] {
  list.sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const range of list) {
    const last = merged.at(-1);
    if (last !== undefined && range[0] <= last[1]) last[1] = Math.max(last[1], range[1]);
    else merged.push(range);
  }
  return merged;
}
