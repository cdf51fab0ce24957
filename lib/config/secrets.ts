const SECRET_NAME =
  /token|secret|passw|passphrase|pwd|api[-_]?key|apikey|access[-_]?key|private[-_]?key|credential|cookie|session|signature|webhook|(?:^|[-_])(?:auth|authorization|key|pat|pass|pin|pw|dsn)(?:$|[-_])|authorization/i;
const SECRET_SHAPE =
  /^(?:sk-|sk_|pk_|rk_|ghp_|gho_|ghu_|ghs_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|ya29\.|eyJ|hf_|npm_|pypi-|dop_v1_|figd_|lin_api_|ntn_|secret_|tvly-|fc-|ctx7sk)[\w.-]{8,}|^(?:Bearer|Basic|Token)\s+\S{6,}|-----BEGIN [A-Z ]*PRIVATE KEY/;
const PLAIN_NAME =
  /^(?:HOME|PATH|PWD|OLDPWD|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TERM|EDITOR|TMPDIR|TEMP|TMP|HOSTNAME|XDG_.*|NODE_ENV|DISPLAY|PORT|HOST)$/;

/** Whether a variable, header or parameter of this name holds a secret, as names go. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Whether `value` is the argument of a flag such as `--api-key`. */
export function isSecretFlag(flag: string, value: string): boolean {
  return flag.startsWith("-") && !flag.includes("=") && isSecretName(flag) && !value.startsWith("-");
}

/**
 * Tells whether a value written out in a configuration is likely a secret.
 *
 * @param name the variable's, header's or flag's name; empty where there is none
 * @param value as written
 * @returns whether somebody should be told before it is copied or shown
 *
 * @example
 * ```ts
 * import { looksSecret } from "./secrets.ts";
 * console.assert(looksSecret("API_KEY", "abc123") && !looksSecret("API_KEY", "${API_KEY}"));
 * ```
 */
export function looksSecret(name: string, value: string): boolean {
  const literal = value.replace(/\$\{[^}]*\}|\$env:\w+|\{env:\w+\}/g, "").trim();
  if (literal === "" || /^(?:Bearer|Basic|Token)$/i.test(literal)) return false;
  if (SECRET_SHAPE.test(literal) || passwordInUrl(literal) !== undefined) return true;
  return isSecretName(name) && literal.length >= 4 && !isPlainValue(name, literal);
}

function isPlainValue(name: string, value: string): boolean {
  if (/^(?:true|false|none|null|auto|\d{1,5})$/i.test(value)) return true;
  if (/^(?:~|\.{1,2}|\/(?:home|etc|usr|var|tmp|opt|run|root|Users|Applications))\//.test(value)) return true;
  return /file|path|dir|url|host/i.test(name) && /[/.]/.test(value);
}

/**
 * Tells whether the value of an expanded variable must not be shown.
 *
 * Unknown names count as secret, except where the value is a path, a number, or too short to be found in a text
 * without spoiling it.
 *
 * @param name the variable
 * @param value what it expanded to
 */
export function isSecretVariable(name: string, value: string): boolean {
  if (PLAIN_NAME.test(name)) return false;
  if (isSecretName(name)) return value.length >= 4;
  return value.length >= 8 && !/^(?:[~/].*|[\d.:]+|https?:\/\/[^@?]*)$/.test(value);
}

/** The password inside a URL such as `postgres://user:password@host`, where there is one. */
export function passwordInUrl(value: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^@\s/]+)@/i.exec(value)?.[1];
}
