const CONTEXT = 2;

/**
 * Shows a change of a text line by line: what goes with `-`, what comes with `+`, a little of what stays around it.
 *
 * The changes are taken to be one stretch, as they are where one entry of a file is set.
 *
 * @example
 * ```ts
 * import { lineChanges } from "./line_changes.ts";
 * console.assert(lineChanges("a\nb\n", "a\nc\n") === "  a\n- b\n+ c\n");
 * ```
 */
export function lineChanges(before: string, after: string): string {
  const old = linesOf(before);
  const next = linesOf(after);
  let head = 0;
  while (head < old.length && head < next.length && old[head] === next[head]) head++;
  let tail = 0;
  while (
    tail < old.length - head && tail < next.length - head &&
    old[old.length - 1 - tail] === next[next.length - 1 - tail]
  ) tail++;
  return [
    ...old.slice(Math.max(0, head - CONTEXT), head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...next.slice(head, next.length - tail).map((line) => `+ ${line}`),
    ...next.slice(next.length - tail).slice(0, CONTEXT).map((line) => `  ${line}`),
  ].map((line) => `${line}\n`).join("");
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
