const MENTION = /\$\$|\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?=:-|\})|\$env:([A-Za-z_][A-Za-z0-9_]*)/g;
const PASSTHROUGH = /"envPassthrough"\s*:\s*\[([^\]]*)\]/g;
const QUOTED_NAME = /"([A-Za-z_][A-Za-z0-9_]*)"/g;

/**
 * Names the variables that a configuration file mentions, without parsing it: a caller sends the daemon these and no others.
 *
 * Comments count as well: naming a variable too many costs nothing.
 *
 * @param text the raw text of a configuration file
 * @returns names in the order they appear, each once
 *
 * @example
 * ```ts
 * import { mentionedVariables } from "./mentioned_variables.ts";
 * console.assert(mentionedVariables('{"url": "https://${HOST:-localhost}/$env:TOKEN"}').join() === "HOST,TOKEN");
 * ```
 */
export function mentionedVariables(text: string): string[] {
  const plain = text.includes("\\u") ? text.replace(/\\u00(24|7b|7d)/gi, unescape) : text;
  const names = new Set<string>();
  for (const match of plain.matchAll(MENTION)) {
    const name = match[1] ?? match[2];
    if (name !== undefined) names.add(name);
  }
  for (const list of plain.matchAll(PASSTHROUGH)) {
    for (const name of (list[1] ?? "").matchAll(QUOTED_NAME)) names.add(name[1] ?? "");
  }
  return [...names];
}

function unescape(_escape: string, code: string): string {
  return String.fromCharCode(parseInt(code, 16));
}
