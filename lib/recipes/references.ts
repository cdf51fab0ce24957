import { atWords, type AtWordSite } from "../diagnose/at_words.ts";
import type { RecipeParameter, RecipeProblem } from "./types.ts";

/** One place of a script where a value goes. */
export interface Reference {
  name: string;
  /** Offsets of the `@` and after the name. */
  start: number;
  end: number;
  site: AtWordSite;
}

/** What is wrong further down is told once this is mended. */
const MOST_PROBLEMS = 20;

/** Every reference of a script, and what is wrong with some. */
export interface References {
  references: Reference[];
  problems: RecipeProblem[];
  /** `@words` in code that are no parameter and decorate nothing, each once. */
  unknown: { name: string; line: number }[];
}

/**
 * Finds the references to parameters: `@name` in code, never in a string, a comment, a template's text or a regular
 * expression. An `@word` that names no parameter is left alone.
 *
 * A reference has to stand where a value may stand whatever it is. Where it could not, it is a problem: as an object's key, behind
 * a dot, right behind another value, or as a decorator.
 *
 * @param source the script
 * @param parameters what its header declares
 *
 * @example
 * ```ts
 * import { findReferences } from "./references.ts";
 * const who = { name: "who", type: "string", description: "", line: 1 } as const;
 * console.assert(findReferences('f(@who, "@who")', [who]).references.length === 1);
 * ```
 */
export function findReferences(source: string, parameters: readonly RecipeParameter[]): References {
  const names = new Set(parameters.map(({ name }) => name));
  const { sites, balanced } = atWords(source);
  const found: References = { references: [], problems: [], unknown: [] };
  const lineAt = lineCounter(source);
  const told = new Set<string>();
  for (const site of sites) {
    const { name, start, end } = site;
    if (!names.has(name)) {
      if (!site.decorates && !told.has(name)) found.unknown.push({ name, line: lineAt(start) });
      told.add(name);
      continue;
    }
    const problem = misplaced(site);
    if (problem === undefined) found.references.push({ name, start, end, site });
    else if (found.problems.length < MOST_PROBLEMS) {
      found.problems.push({ ...problem, line: lineAt(start) });
    }
  }
  if (!balanced && names.size > 0) {
    found.problems.push({ line: 1, message: "A bracket, string or comment of the script is never closed." });
  }
  return found;
}

/** Why no value can go there. */
function misplaced({ name, place, decorates }: AtWordSite): Omit<RecipeProblem, "line"> | undefined {
  if (decorates) {
    return {
      message: `@${name} is a decorator in the script, and the name of a parameter as well.`,
      hint: "Give the parameter another name; a value that is meant needs a semicolon behind it.",
    };
  }
  if (place === "key") {
    return { message: `@${name} stands as the key of an object.`, hint: `[@${name}]: …` };
  }
  if (place === "member") {
    return { message: `@${name} stands behind a dot.`, hint: `…[@${name}]` };
  }
  if (place === "after-value") {
    return {
      message: `@${name} stands right behind another value.`,
      hint: "End the statement before it with a semicolon.",
    };
  }
  return undefined;
}

/** Gives the line of each of rising offsets, from 1, in one pass over the source. */
function lineCounter(source: string): (offset: number) => number {
  const breaks = /\r\n|[\n\r\u2028\u2029]/g;
  let line = 1;
  let next = breaks.exec(source);
  return (offset) => {
    for (; next !== null && next.index < offset; next = breaks.exec(source)) line++;
    return line;
  };
}
