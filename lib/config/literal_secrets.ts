import { isSecretName } from "./secrets.ts";
import { parseTemplate } from "./template.ts";

/** Shorter values cannot be taken out of a text without spoiling it. */
const SHORTEST = 6;

/** Names whose values are no secret, whatever they look like. */
const HARMLESS_NAME = new RegExp(
  "^(?:" + [
    "HOME|PATH|PWD|OLDPWD|USER|USERNAME|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TZ|TERM|COLORTERM|EDITOR|VISUAL|PAGER|BROWSER",
    "TMPDIR|TEMP|TMP|HOSTNAME|XDG_.*|DISPLAY|CI|DEBUG|VERBOSE|QUIET|NO_COLOR|FORCE_COLOR|CLICOLOR.*",
    "MODE|ENV|ENVIRONMENT|STAGE|PROFILE|AWS_PROFILE|REGION|LOCALE|TIMEZONE|VERSION|MODEL|PORT|HOST|BIND|WORKERS",
    "RUST_LOG|RUST_BACKTRACE|NODE_OPTIONS|NODE_PATH|NODE_NO_.*|NODE_EXTRA_CA_CERTS|JAVA_HOME|JAVA_OPTS|GO[A-Z]*|UV_.*|DENO_[A-Z_]+",
    "PYTHON[A-Z]*|VIRTUAL_ENV|LD_LIBRARY_PATH|CLASSPATH|NO_PROXY|no_proxy",
    ".*[_-](?:ENV|LEVEL|MODE|REGION|ZONE|LOCALE|TIMEZONE|VERSION|MODEL|PORT|HOST|HOSTNAME|DIR|DIRS|FOLDER|PATH|PATHS|FILE|ROOT|TIMEOUT|LIMIT|FORMAT|ENCODING|TRANSPORT|ENABLED|DISABLED)",
    "LOG_?LEVEL|LOG_?FORMAT",
    "Accept(?:-.*)?|Content-(?:Type|Language|Encoding)|User-Agent|Cache-Control|Connection|Origin|Referer|MCP-Protocol-Version|X-Requested-With",
  ].join("|") + ")$",
  "i",
);
/** Words with digits in them that are everybody's. */
const KNOWN_WORD =
  /^(?:v?\d{1,15}|[a-z]{1,5}\d{1,2}|\d{1,9}(?:ms|s|m|h|d|b|k|kb|mb|gb|kib|mib|gib)?|utf(?:8|16)|latin1|sha\d{1,3}|md5|base64|http[123]|ipv[46]|node\d{1,2}|python\d{1,3}|es\d{1,4}|oauth2?|x86|amd64|arm64|x64|localhost\d?)$/i;
const SEPARATORS = /[^\p{L}\p{N}]+/u;
/** From how many letters on a word without a digit is no word of anybody's. */
const LONGEST_WORD = 24;

/**
 * The secrets in a value that a configuration writes out for a variable or a header.
 *
 * A name that is known to be harmless clears its value. Otherwise a value is a secret where one of its words is none that people use:
 * letters mixed with digits or cases, or too long. Paths, numbers, switches, addresses and words stay readable by the same rule.
 *
 * @param name the variable or the header
 * @param written the value as written; what an expression in it gives is judged elsewhere
 * @param options.exists whether there is such a file or folder: the path of one is no secret
 * @returns the value, and within it what would be recognised alone; nothing where it is harmless
 *
 * @example
 * ```ts
 * import { literalSecrets } from "./literal_secrets.ts";
 * console.assert(literalSecrets("SLOT", "hunter22pass").includes("hunter22pass"));
 * console.assert(literalSecrets("NODE_ENV", "production").length === 0);
 * ```
 */
export function literalSecrets(
  name: string,
  written: string,
  options: { exists?: (path: string) => boolean } = {},
): string[] {
  if (HARMLESS_NAME.test(name) && !isSecretName(name)) return [];
  const secrets = new Set<string>();
  for (const part of parseTemplate(written)) {
    const text = part.kind === "text" ? part.text.trim() : "";
    if (text.length < SHORTEST) continue;
    const odd = text.split(SEPARATORS).filter((word) => word !== "" && !isWord(word));
    if (odd.length === 0 || isNumber(text) || arePaths(text, options.exists)) continue;
    secrets.add(text);
    // A server that repeats it may leave out what stands around it.
    for (const word of odd) if (word.length >= 8) secrets.add(word);
    for (const piece of text.split(/[\s"'/?&=:,;{}[\]()<>]+/)) {
      if (piece.length >= 8 && piece.split(SEPARATORS).some((word) => word !== "" && !isWord(word))) {
        secrets.add(piece);
      }
    }
  }
  return [...secrets];
}

/** Whether the text is one path, or several, of what is there. */
function arePaths(text: string, exists: ((path: string) => boolean) | undefined): boolean {
  if (exists === undefined || !text.startsWith("/")) return false;
  return text.split(/[:,;]\s*/).every((path) => path.startsWith("/") && exists(path));
}

function isNumber(text: string): boolean {
  return /^[+-]?[\d.,_:]+(?:e[+-]?\d+)?$/i.test(text);
}

/** Whether people use such a word: letters alone, written as one or several words, or few enough of them to hold nothing. */
function isWord(word: string): boolean {
  if (word.length <= 4 || KNOWN_WORD.test(word)) return true;
  if (!/^\p{L}+$/u.test(word)) return false;
  if (word.length > LONGEST_WORD) return false;
  // Words that are joined begin with a capital each; a random text changes case oftener.
  const changes = word.match(/\p{Ll}(?=\p{Lu})|\p{Lu}{2}(?=\p{Ll})/gu)?.length ?? 0;
  return changes <= Math.floor(word.length / 5);
}
