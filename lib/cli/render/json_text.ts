const QUOTE = 34;
const BACKSLASH = 92;

/** Values nested deeper than this stay on one line: indentation would grow with the square of the depth. */
const DEEPEST_BREAK = 100;

/**
 * Indents JSON text without reading its numbers, so that every digit stays as it came.
 *
 * @param text valid JSON
 * @param indent spaces per level
 * @returns the text with one member or element per line
 *
 * @example
 * ```ts
 * import { prettyJson } from "./json_text.ts";
 * console.assert(prettyJson('{"id":9007199254740993}') === '{\n  "id": 9007199254740993\n}');
 * ```
 */
export function prettyJson(text: string, indent = 2): string {
  const pieces: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const char = text[at];
    if (char === '"') {
      const end = stringEnd(text, at);
      pieces.push(text.slice(at, end));
      at = end;
    } else if (char === "{" || char === "[") {
      const next = skipSpace(text, at + 1);
      if (text[next] === "}" || text[next] === "]") {
        pieces.push(char, text[next] ?? "");
        at = next + 1;
        continue;
      }
      depth++;
      pieces.push(char, lineBreak(depth, indent));
      at++;
    } else if (char === "}" || char === "]") {
      const inner = depth--;
      pieces.push(inner > DEEPEST_BREAK ? "" : lineBreak(depth, indent), char);
      at++;
    } else if (char === ",") {
      pieces.push(",", lineBreak(depth, indent));
      at++;
    } else if (char === ":") {
      pieces.push(": ");
      at++;
    } else if (char === " " || char === "\n" || char === "\r" || char === "\t") at++;
    else {
      const end = literalEnd(text, at);
      pieces.push(text.slice(at, end));
      at = end;
    }
  }
  return pieces.join("");
}

/**
 * Cuts a JSON object into its members' texts, without reading them.
 *
 * @param text valid JSON
 * @returns the text of each member; empty where the text is no object
 */
export function memberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skipSpace(text, 0);
  if (text[at] !== "{") return members;
  at = skipSpace(text, at + 1);
  while (text[at] === '"') {
    const nameEnd = stringEnd(text, at);
    const name: unknown = JSON.parse(text.slice(at, nameEnd));
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = valueEnd(text, start);
    members.set(String(name), text.slice(start, end));
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return members;
}

function lineBreak(depth: number, indent: number): string {
  return depth > DEEPEST_BREAK ? "" : "\n" + " ".repeat(depth * indent);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \n\r\t".includes(text[at] ?? "")) at++;
  return at;
}

/** The index behind the string that starts at `from`. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

function literalEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !',:]}" \n\r\t[{'.includes(text[at] ?? "")) at++;
  return Math.max(at, from + 1);
}

/** The index behind the value that starts at `from`. */
function valueEnd(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return stringEnd(text, from);
  if (first !== "{" && first !== "[") return literalEnd(text, from);
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at) - 1;
    else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}
