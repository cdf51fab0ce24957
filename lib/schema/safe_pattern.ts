import { compilePattern, type PatternProgram } from "./pattern/compile_pattern.ts";
import { LONGEST_PATTERN } from "./pattern/parse_pattern.ts";
import { type PatternBudget, runPattern } from "./pattern/run_pattern.ts";

/** How many steps one check may take: some tenths of a second. */
const MOST_STEPS = 2_000_000;
const MOST_KEPT = 20;
/** Machines of the patterns that were used last. */
const kept = new Map<string, PatternProgram | undefined>();

/** What a check that looks at many texts takes for all of them together. */
export function patternBudget(): PatternBudget {
  return { steps: MOST_STEPS };
}

/**
 * Whether `text` fits a pattern that a server sent; undefined where that cannot be found out in bounded time.
 *
 * The pattern is not run by an engine that goes back and tries again: its time is bounded whatever it is. What that way cannot
 * decide is what is not regular: back references, look-around, groups with flags of their own.
 *
 * @param budget what is left of the work that may be spent; default: some tenths of a second for this text alone
 *
 * @example
 * ```ts
 * import { fitsPattern } from "./safe_pattern.ts";
 * console.assert(fitsPattern("^(a+)+$", "a".repeat(50) + "!") === false);
 * console.assert(fitsPattern("^(a)\\1$", "aa") === undefined);
 * ```
 */
export function fitsPattern(
  pattern: string,
  text: string,
  budget: PatternBudget = patternBudget(),
): boolean | undefined {
  if (pattern.length > LONGEST_PATTERN || text.length > budget.steps || budget.steps <= 0) return undefined;
  const program = programOf(pattern, budget);
  return program && runPattern(program, text, budget);
}

function programOf(pattern: string, budget: PatternBudget): PatternProgram | undefined {
  if (kept.has(pattern)) return kept.get(pattern);
  const program = compilePattern(pattern);
  budget.steps -= pattern.length + (program?.steps.length ?? 0);
  const [oldest] = kept.keys();
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(pattern, program);
  return program;
}
