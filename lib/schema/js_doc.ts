/** Control characters, and those that hide or reorder the text around them. */
const HIDING = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/**
 * A doc comment that no text can leave or give a meaning to.
 *
 * `*` followed by `/` is broken by a backslash, line ends of every kind become lines, a tag at the start of a line
 * (`@ts-ignore`, `@deprecated`) is only text, and characters that hide or reorder text become spaces.
 *
 * @param paragraphs texts; empty ones are left out
 * @param indent what stands before each line
 * @returns the comment with a line end, or an empty string where there is nothing to say
 *
 * @example
 * ```ts
 * import { jsDoc } from "./js_doc.ts";
 * console.assert(jsDoc(["Ends *" + "/ here"], "") === "/** Ends *\\/ here *" + "/\n");
 * ```
 */
export function jsDoc(paragraphs: readonly string[], indent: string): string {
  const lines = paragraphs.filter((text) => text.trim() !== "").flatMap(inertLines)
    .filter((line, at, all) => line !== "" || all[at - 1] !== "");
  const [first] = lines;
  if (first === undefined) return "";
  if (lines.length === 1 && first.length + indent.length < 105) return `${indent}/** ${first} */\n`;
  const body = lines.map((line) => line === "" ? `${indent} *\n` : `${indent} * ${line}\n`).join("");
  return `${indent}/**\n${body}${indent} */\n`;
}

/** A text as lines that mean nothing inside a comment. */
function inertLines(text: string): string[] {
  return text.trim()
    .replace(/\*\//g, "*\\/")
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replace(HIDING, " "))
    .map((line) => line.trimEnd().replace(/^([\s*/]*)@/, "$1\\@"));
}
