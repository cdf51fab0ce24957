import {
  type ParsedPattern,
  parsePattern,
  type PatternAssertion,
  type PatternNode,
} from "./parse_pattern.ts";

/** One step of a program. A step's number is its place. */
export type PatternStep =
  | { kind: "one"; fits(character: string): boolean; next: number }
  | { kind: "assertion"; assertion: PatternAssertion; next: number }
  | { kind: "split"; next: number; other: number }
  | { kind: "match" };

/** A pattern as a machine of bounded size. */
export interface PatternProgram {
  steps: readonly PatternStep[];
  start: number;
  unicode: boolean;
}

const MOST_STEPS = 20_000;

/** Makes a machine of a pattern; nothing where it is none, holds more than regular parts, or would be too large. */
export function compilePattern(pattern: string): PatternProgram | undefined {
  const parsed = parsePattern(pattern);
  return parsed && new PatternCompiler().compile(parsed);
}

class PatternCompiler {
  readonly #steps: PatternStep[] = [];
  #visits = 0;

  compile({ node, unicode }: ParsedPattern): PatternProgram | undefined {
    const start = this.#emit(node, this.#add({ kind: "match" }));
    return start === undefined ? undefined : { steps: this.#steps, start, unicode };
  }

  /** Adds what leads through `node` to `next`, and gives where it begins; nothing once it has become too large. */
  #emit(node: PatternNode, next: number): number | undefined {
    if (++this.#visits > MOST_STEPS) return undefined; // what is empty adds no step, and takes time still
    switch (node.kind) {
      case "one":
        return this.#add({ kind: "one", fits: node.fits, next });
      case "assertion":
        return this.#add({ kind: "assertion", assertion: node.assertion, next });
      case "all":
        return node.parts.reduceRight<number | undefined>(
          (after, part) => after === undefined ? undefined : this.#emit(part, after),
          next,
        );
      case "any":
        return this.#choice(node.parts, next);
      case "repeat":
        return this.#repeat(node, next);
    }
  }

  #choice(parts: readonly PatternNode[], next: number): number | undefined {
    let start: number | undefined;
    for (const part of parts) {
      const other = this.#emit(part, next);
      if (other === undefined) return undefined;
      start = start === undefined ? other : this.#add({ kind: "split", next: start, other });
    }
    return start;
  }

  #repeat(
    { part, least, most }: Extract<PatternNode, { kind: "repeat" }>,
    next: number,
  ): number | undefined {
    let start: number | undefined = next;
    if (most === Infinity) {
      const split: PatternStep = { kind: "split", next, other: next };
      start = this.#add(split);
      const body = this.#emit(part, start);
      if (body === undefined) return undefined;
      split.other = body;
    } else {
      for (let count = least; count < most && start !== undefined; count++) {
        const body: number | undefined = this.#emit(part, start);
        start = body === undefined ? undefined : this.#add({ kind: "split", next, other: body });
      }
    }
    for (let count = 0; count < least && start !== undefined; count++) start = this.#emit(part, start);
    return start;
  }

  #add(step: PatternStep): number {
    return this.#steps.push(step) - 1;
  }
}
