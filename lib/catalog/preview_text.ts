/** The beginning of a text, and how much there is. */
export interface TextPreview {
  text: string;
  /** Size of the whole text in UTF-8. */
  totalBytes: number;
  /** Whether anything was left out. */
  cut: boolean;
}

const CHUNK = 65_536;

/**
 * Gives as much of a text as fits a number of bytes, cut between characters.
 *
 * @param text text of any length
 * @param bytes the most that the beginning may take in UTF-8
 * @returns the beginning, and the size of the whole
 *
 * @example
 * ```ts
 * import { previewText } from "./preview_text.ts";
 * console.assert(previewText("aé", 2).text === "a");
 * ```
 */
export function previewText(text: string, bytes: number): TextPreview {
  const room = Math.max(0, Math.floor(bytes));
  const totalBytes = utf8Length(text);
  if (totalBytes <= room) return { text, totalBytes, cut: false };
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(room));
  return { text: text.slice(0, read), totalBytes, cut: true };
}

/** Counts a text's bytes in UTF-8 without holding them. */
export function utf8Length(text: string): number {
  const encoder = new TextEncoder();
  const buffer = new Uint8Array(Math.min(CHUNK, text.length) * 3);
  let total = 0;
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + CHUNK, text.length);
    // Half a surrogate pair would be counted as a replacement character.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    const { read, written } = encoder.encodeInto(text.slice(at, end), buffer);
    total += written;
    at += read;
  }
  return total;
}
