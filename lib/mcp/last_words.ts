/** Lines of a crash that say where, not what. */
const NOISE = /^(at\s|Node\.js v\d|\^+$|throw\s|node:internal|[{}()[\];,\s]*$|hint: )/;
/** Lines that say what went wrong. */
const COMPLAINT =
  /\b\w*(error|exception|panic)\b|\b(fatal|cannot|could not|failed|missing|required|not found|refused|denied)\b/i;
const LOOKED_AT = 40;
const LONGEST = 300;

/**
 * The line by which a process said why it ended: the last complaint among the last lines of its stderr, else the last line.
 *
 * @param stderrTail what is kept of its stderr
 * @returns one line of at most 300 characters; empty where nothing was written
 *
 * @example
 * ```ts
 * import { lastWords } from "./last_words.ts";
 * const tail = "Error: Cannot find module 'x'\n    at load (node:internal)\n\nNode.js v20.20.2\n";
 * console.assert(lastWords(tail) === "Error: Cannot find module 'x'");
 * ```
 */
export function lastWords(stderrTail: string): string {
  const lines = stderrTail.split("\n").slice(-LOOKED_AT).map((line) => line.trim()).filter((line) =>
    line !== ""
  );
  const telling = lines.filter((line) => !NOISE.test(line));
  const words = telling.findLast((line) => COMPLAINT.test(line)) ?? telling.at(-1) ?? lines.at(-1) ?? "";
  return words.slice(0, LONGEST);
}
