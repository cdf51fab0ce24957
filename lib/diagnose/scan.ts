import { Lexer, type RawCall } from "./scanner/lexer.ts";
import { findBreak, hasOddBreaks } from "./scanner/skip.ts";
import { WordTable } from "./scanner/words.ts";
import type { ScannedArgument, ScanResult, ToolCallSite } from "./types.ts";

/** What a scan may be told. */
export interface ScanOptions {
  /** Only calls of these are wanted; without it, every call of two plain names. `tools.<ns>.<fn>(…)` always is. */
  namespaces?: ReadonlySet<string>;
  /** The module whose named imports are the namespaces themselves; default `mcpx`. */
  ownModule?: string;
}

/**
 * Finds tool calls in TypeScript or JavaScript source, in one pass and without parsing.
 *
 * Found: `ns.fn(…)`, `ns["fn"](…)`, `ns?.fn?.(…)` and the same behind `tools.`, with white space, line breaks and
 * comments anywhere they may stand. Not found, on purpose: a callee that is computed, in parentheses, asserted
 * (`ns!.fn`), called with type arguments (`ns.fn<T>(…)`), renamed by an import, or one whose parenthesis never
 * closes; and one behind a line break before the parenthesis where a type may stand (`x: ns.fn⏎(…)`). Text of JSX
 * is skipped where its closing tag is in the source. No input throws, and time grows with the length alone.
 *
 * @param source source text
 * @param options which namespaces are wanted
 * @returns the calls in the order of the source, those of a locally bound name marked as shadowed
 * (Diagnose, "The scanner")
 *
 * @example
 * ```ts
 * import { scan } from "./scan.ts";
 * const { calls } = scan("await demo.echo({ message: 'x' })", { namespaces: new Set(["demo"]) });
 * console.assert(calls[0]?.fn === "echo" && calls[0].line === 1);
 * ```
 */
export function scan(source: string, options: ScanOptions = {}): ScanResult {
  const { namespaces, ownModule = "mcpx" } = options;
  const lexer = new Lexer(source, { words: new WordTable(namespaces), namespaces, ownModule });
  lexer.run();
  const wanted = lexer.calls.filter((call) => call.end !== -1 && isWanted(call, options.namespaces));
  if (wanted.length === 0) return { calls: [], balanced: lexer.balanced };
  const ranges = lexer.bindings.ranges(source, !lexer.balanced);
  const cursors = new Map<string, number>();
  const position = positions(source);
  const calls = wanted.map((call): ToolCallSite => {
    const root = call.viaTools ? "tools" : call.namespace;
    const { line, column } = position(call.start);
    return {
      namespace: call.namespace,
      fn: call.fn,
      viaTools: call.viaTools,
      start: call.start,
      open: call.open,
      end: call.end,
      calleeEnd: call.calleeEnd,
      line,
      column,
      ...(call.awaitStart === -1 ? {} : { awaitStart: call.awaitStart }),
      argument: argumentOf(call),
      shadowed: isShadowed(ranges.get(root), call.start, root, cursors),
    };
  });
  return { calls, balanced: lexer.balanced };
}

function isWanted(call: RawCall, names: ReadonlySet<string> | undefined): boolean {
  return names === undefined || call.viaTools || names.has(call.namespace);
}

function argumentOf(call: RawCall): ScannedArgument {
  if (call.empty) return { kind: "none" };
  if (call.argument === undefined) return { kind: "other" };
  return { kind: "object", properties: call.argument.properties, open: call.argument.open };
}

/** Whether the offset lies in one of the ranges; offsets come in order, so each list is walked once. */
function isShadowed(
  ranges: [number, number][] | undefined,
  at: number,
  name: string,
  cursors: Map<string, number>,
): boolean {
  if (ranges === undefined) return false;
  let cursor = cursors.get(name) ?? 0;
  while (cursor < ranges.length && ranges[cursor]![1] < at) cursor++;
  cursors.set(name, cursor);
  return cursor < ranges.length && ranges[cursor]![0] <= at;
}

/** Turns rising offsets into lines and columns, in one pass over the source. */
function positions(source: string): (offset: number) => { line: number; column: number } {
  const odd = hasOddBreaks(source);
  let line = 1;
  let lineStart = 0;
  let next = -1;
  const find = (from: number): number => {
    if (odd) return findBreak(source, from);
    const found = source.indexOf("\n", from);
    return found === -1 ? source.length : found;
  };
  return (offset) => {
    if (next === -1) next = find(0);
    while (next < offset) {
      lineStart = source.startsWith("\r\n", next) ? next + 2 : next + 1;
      line++;
      next = find(lineStart);
    }
    return { line, column: offset - lineStart + 1 };
  };
}
