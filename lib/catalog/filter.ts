import { McpxError } from "../errors/mod.ts";

/** Which tools of a server are seen: exact names, globs (`delete_*`) or `/regexp/flags`. */
export interface ToolVisibility {
  /** When present, only what every one of these lists has is visible. */
  readonly include?: readonly (readonly string[])[];
  readonly exclude: readonly string[];
}

/** No tool has a longer name in earnest; a regular expression is not let loose on one that does. */
const MAX_NAME = 512;

/**
 * Tells whether a filter lets a tool be seen and called.
 *
 * @param filter the server's patterns; `exclude` wins
 * @param wireName the tool's own name
 * @param fn its identifier: a pattern may name either
 * @returns whether it is visible
 * @throws {McpxError} `server-config` when a regular expression is none
 *
 * @example
 * ```ts
 * import { toolVisible } from "./filter.ts";
 * console.assert(!toolVisible({ exclude: ["delete_*"] }, "delete-all", "delete_all"));
 * ```
 */
export function toolVisible(filter: ToolVisibility, wireName: string, fn: string): boolean {
  return compileToolFilter(filter)(wireName, fn);
}

/**
 * Reads a filter's patterns once, for many tools.
 *
 * @param filter the server's patterns
 * @returns what {@link toolVisible} answers, for one tool after another
 * @throws {McpxError} `server-config` when a regular expression is none
 */
export function compileToolFilter(filter: ToolVisibility): (wireName: string, fn: string) => boolean {
  const include = filter.include?.map((list) => list.map(compilePattern)) ?? [];
  const exclude = filter.exclude.map(compilePattern);
  return (wireName, fn) => {
    const fits = (pattern: Pattern, whenTooLong: boolean): boolean =>
      pattern(wireName, whenTooLong) || pattern(fn, whenTooLong);
    if (exclude.some((pattern) => fits(pattern, true))) return false;
    return include.every((list) => list.some((pattern) => fits(pattern, false)));
  };
}

/** Whether a name fits; names too long for a regular expression give `whenTooLong`, so that they stay hidden. */
type Pattern = (name: string, whenTooLong: boolean) => boolean;

function compilePattern(pattern: string): Pattern {
  if (pattern.startsWith("/")) {
    const expression = compileExpression(pattern);
    return (name, whenTooLong) => name.length > MAX_NAME ? whenTooLong : expression.test(name);
  }
  if (!/[*?]/.test(pattern)) return (name) => name === pattern;
  const glob = [...pattern];
  return (name) => globFits(glob, [...name]);
}

function compileExpression(pattern: string): RegExp {
  const end = pattern.lastIndexOf("/");
  try {
    if (end === 0) throw new SyntaxError("the closing / is missing");
    // With g or y a RegExp remembers where it stopped, and the next name would be read from there.
    return new RegExp(pattern.slice(1, end), pattern.slice(end + 1).replace(/[gy]/g, ""));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new McpxError("server-config", `Cannot use the tool filter ${pattern}: ${cause.message}.`, {
      hint: "Write a name, a glob such as delete_*, or a regular expression such as /^delete_/i.",
      data: { pattern },
      cause,
    });
  }
}

/** Matches in time proportional to both lengths multiplied, whatever the pattern. */
function globFits(glob: readonly string[], name: readonly string[]): boolean {
  let at = 0;
  let read = 0;
  let star = -1;
  let starRead = 0;
  while (read < name.length) {
    if (glob[at] === "*") {
      star = at++;
      starRead = read;
    } else if (at < glob.length && (glob[at] === "?" || glob[at] === name[read])) {
      at++;
      read++;
    } else if (star >= 0) {
      at = star + 1;
      read = ++starRead;
    } else {
      return false;
    }
  }
  while (glob[at] === "*") at++;
  return at === glob.length;
}
