/** Bytes of base64 text, as MCP carries binary content; `undefined` where it is no base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text.replace(/\s+/g, ""));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Lower-case hex digits of bytes. */
export function encodeHex(bytes: Uint8Array): string {
  return bytes.toHex();
}
