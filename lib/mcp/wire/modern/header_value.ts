const PREFIX = "=?base64?";
const SUFFIX = "?=";
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/**
 * Writes a text as an HTTP header value: plain ASCII as it is, everything else as `=?base64?…?=`.
 *
 * @example
 * ```ts
 * import { headerValue } from "./header_value.ts";
 * console.assert(headerValue("eu-west") === "eu-west");
 * console.assert(headerValue("日") === "=?base64?5pel?=");
 * ```
 */
export function headerValue(text: string): string {
  if (PLAIN.test(text) && !(text.startsWith(PREFIX) && text.endsWith(SUFFIX))) return text;
  return PREFIX + new TextEncoder().encode(text).toBase64() + SUFFIX;
}

/** Reads a header value that may be `=?base64?…?=`; nothing where that is broken. */
export function readHeaderValue(value: string): string | undefined {
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  try {
    const bytes = Uint8Array.fromBase64(value.slice(PREFIX.length, -SUFFIX.length), {
      lastChunkHandling: "strict",
    });
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // no text was meant by it
  }
}
