import { isSecretFlag, looksSecret, passwordInUrl } from "./secrets.ts";
import type { ServerTarget } from "./types.ts";

const MASK = "***";

/**
 * Writes a server's command line or address in one line, as its file has it, without what looks like a secret.
 *
 * @param target the target, its strings unexpanded
 *
 * @example
 * ```ts
 * import { targetText } from "./target_text.ts";
 * const text = targetText({ kind: "stdio", command: "npx", args: ["demo", "--token", "abcd1234"], env: {} });
 * console.assert(text === "npx demo --token ***");
 * ```
 */
export function targetText(target: ServerTarget): string {
  if (target.kind === "http") return maskUrl(target.url);
  const args = target.args.map((arg, at) => {
    const before = target.args[at - 1] ?? "";
    const joined = /^(--?[\w-]+=)(.*)$/s.exec(arg);
    if (joined && looksSecret(joined[1]?.replace(/=$/, "") ?? "", joined[2] ?? "")) {
      return `${joined[1]}${MASK}`;
    }
    return isSecretFlag(before, arg) && looksSecret(before, arg) || looksSecret("", arg) ? MASK : arg;
  });
  return [target.command, ...args].map(quoted).join(" ");
}

function maskUrl(url: string): string {
  const password = passwordInUrl(url);
  const shown = password === undefined ? url : url.replace(`:${password}@`, `:${MASK}@`);
  return shown.replace(
    /([?&])([^=&#]+)=([^&#]*)/g,
    (all, mark: string, name: string, value: string) =>
      looksSecret(name, value) ? `${mark}${name}=${MASK}` : all,
  );
}

function quoted(word: string): string {
  return /^[\w@%+=:,./${}*~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
