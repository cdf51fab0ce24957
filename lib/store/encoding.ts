/** Bytes of base64 text, as MCP carries binary content. @throws {SyntaxError} when it is not base64 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text.replace(/\s+/g, ""));
}

/** Lower-case hex digits of bytes. */
export function encodeHex(bytes: Uint8Array): string {
  return bytes.toHex();
}
