/** What a character can begin. */
export const SPACE = 1;
export const BREAK = 2;
export const WORD = 3;
export const DIGIT = 4;
export const QUOTE = 5;
export const PUNCTUATION = 0;

/** Class of each ASCII character. */
export const CLASS: Uint8Array = new Uint8Array(128);
/** Whether an ASCII character can go on an identifier. */
export const PART: Uint8Array = new Uint8Array(128);

for (let c = 0; c < 128; c++) {
  const char = String.fromCharCode(c);
  if (/[A-Za-z_$\\#]/.test(char)) CLASS[c] = WORD;
  else if (/[0-9]/.test(char)) CLASS[c] = DIGIT;
  else if (char === "\n" || char === "\r") CLASS[c] = BREAK;
  else if (c === 9 || c === 11 || c === 12 || c === 32) CLASS[c] = SPACE;
  else if (char === '"' || char === "'") CLASS[c] = QUOTE;
  if (/[A-Za-z0-9_$]/.test(char)) PART[c] = 1;
}

/** Class of a character beyond ASCII: white space, a line break, or part of a word. */
export function wideClass(c: number): number {
  if (c === 0x2028 || c === 0x2029) return BREAK;
  if (c === 0xa0 || c === 0xfeff || c === 0x1680 || c === 0x202f || c === 0x205f || c === 0x3000) {
    return SPACE;
  }
  return c >= 0x2000 && c <= 0x200a ? SPACE : WORD;
}
