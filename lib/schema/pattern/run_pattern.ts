import type { PatternProgram, PatternStep } from "./compile_pattern.ts";
import type { PatternAssertion } from "./parse_pattern.ts";

/** What is left of the work that a check may take. */
export interface PatternBudget {
  steps: number;
}

/**
 * Whether a text has a match anywhere: every way through the machine is followed at once, so that the time is at most the size of
 * the machine for each character.
 *
 * @returns nothing where `budget` ends first
 */
export function runPattern(
  program: PatternProgram,
  text: string,
  budget: PatternBudget,
): boolean | undefined {
  const characters = program.unicode ? [...text] : text.split("");
  const places = new Places(program, characters);
  let active: number[] = [];
  for (let at = 0;; at++) {
    active.push(program.start);
    const reached = places.follow(active, at);
    if (reached.matches) return true;
    budget.steps -= reached.visited;
    if (budget.steps < 0) return undefined;
    const character = characters[at];
    if (character === undefined) return false;
    active = [];
    for (const step of reached.ones) if (step.fits(character)) active.push(step.next);
  }
}

type One = Extract<PatternStep, { kind: "one" }>;

/** Where the machine is, with what leads on without a character. */
class Places {
  readonly #program: PatternProgram;
  readonly #characters: readonly string[];
  /** At which character each step was last reached, from one on. */
  readonly #seen: Uint32Array;

  constructor(program: PatternProgram, characters: readonly string[]) {
    this.#program = program;
    this.#characters = characters;
    this.#seen = new Uint32Array(program.steps.length);
  }

  follow(from: number[], at: number): { matches: boolean; visited: number; ones: One[] } {
    const ones: One[] = [];
    let visited = 0;
    for (let place = from.pop(); place !== undefined; place = from.pop()) {
      if (this.#seen[place] === at + 1) continue;
      this.#seen[place] = at + 1;
      visited++;
      const step = this.#program.steps[place];
      if (step === undefined) continue;
      if (step.kind === "match") return { matches: true, visited, ones };
      if (step.kind === "one") ones.push(step);
      else if (step.kind === "split") from.push(step.next, step.other);
      else if (this.#holds(step.assertion, at)) from.push(step.next);
    }
    return { matches: false, visited, ones };
  }

  #holds(assertion: PatternAssertion, at: number): boolean {
    if (assertion === "start") return at === 0;
    if (assertion === "end") return at === this.#characters.length;
    const boundary = isWord(this.#characters[at - 1]) !== isWord(this.#characters[at]);
    return boundary === (assertion === "boundary");
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /^\w$/.test(character);
}
