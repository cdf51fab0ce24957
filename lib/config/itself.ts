const OWN_NAME =
  /^(?:@mcpx\/)?mcpx(?:@[^/]*)?(?:-(?:linux|darwin|macos|x86_64|aarch64)[a-z0-9_-]*)?(?:\.exe)?$/;
const OWN_PACKAGE = /^(?:npm:|jsr:)?\/?@mcpx\/mcpx(?:@[^/]*)?(?:\/cli)?$/;
const SHELL = /^(?:sh|bash|zsh|dash|fish|cmd|cmd\.exe|powershell|pwsh)$/;
const OWN_CLI = new URL("../../cli.ts", import.meta.url);

/**
 * Tells whether a stdio entry would start mcpx as a server: starting it would make mcpx its own upstream.
 *
 * Other hosts list mcpx in the same files: as `mcpx serve`, `deno run … cli.ts serve` or `npx … mcpx serve`.
 *
 * @param command the entry's command
 * @param args the entry's arguments
 * @returns whether the entry is mcpx
 *
 * @example
 * ```ts
 * import { isMcpxItself } from "./itself.ts";
 * console.assert(isMcpxItself("npx", ["-y", "mcpx", "serve"]));
 * ```
 */
export function isMcpxItself(command: string, args: readonly string[]): boolean {
  const words = [command, ...args].flatMap((word, at) => {
    const inShell = at > 0 && SHELL.test(baseName(command)) && /\s/.test(word);
    return inShell ? word.trim().split(/\s+/) : [word];
  });
  const deno = words.some((word) => /^deno(?:\.exe)?$/.test(baseName(word)));
  return words.some((word, at) => {
    const named = !word.startsWith("@") && OWN_NAME.test(baseName(word));
    const own = named || OWN_PACKAGE.test(word) || (deno && isOwnCli(word));
    return own && commandWord(words.slice(at + 1)) === "serve";
  });
}

/** The first word that is no flag and no flag's value: global flags may stand before the command. */
function commandWord(words: readonly string[]): string | undefined {
  return words.find((word, at) => {
    const maybeValue = at > 0 && words[at - 1]?.startsWith("-") && !words[at - 1]?.includes("=");
    return !word.startsWith("-") && (word === "serve" || !maybeValue);
  });
}

function isOwnCli(word: string): boolean {
  if (baseName(word) !== "cli.ts") return false;
  if (word === "cli.ts" || word === "./cli.ts") return true;
  return /(?:^|[/@])mcpx(?:[/@-]|$)/.test(word) || word === OWN_CLI.href || word === OWN_CLI.pathname;
}

function baseName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
}
