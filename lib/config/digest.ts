/**
 * Digests bytes or text with SHA-256; loading `node:crypto` for it would cost more than all of a configuration's loading.
 *
 * @param content bytes, or text as UTF-8
 * @returns 64 hexadecimal digits
 */
export async function sha256(content: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
