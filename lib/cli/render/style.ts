import type { CliIo } from "../io.ts";

/** What a piece of text is, for the eye. */
export type Tone = "bold" | "dim" | "red" | "yellow" | "green" | "cyan";

/** Puts a tone on text, or leaves it plain. */
export type Paint = (tone: Tone, text: string) => string;

// Written out: loading a module for five escape sequences costs a third of an empty program's start.
const CODES: Record<Tone, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
  cyan: [36, 39],
};

/**
 * Chooses between colour and none for one stream: `--color` and `--no-color` first, then `NO_COLOR`, `FORCE_COLOR`, `TERM=dumb`, and
 * at last whether it is a terminal.
 */
export function painter(
  io: Pick<CliIo, "env" | "isTerminal">,
  stream: "stdout" | "stderr",
  flag: boolean | undefined,
): Paint {
  return wantsColor(io, stream, flag) ? paint : (_tone, text) => text;
}

function wantsColor(
  io: Pick<CliIo, "env" | "isTerminal">,
  stream: "stdout" | "stderr",
  flag: boolean | undefined,
): boolean {
  if (flag !== undefined) return flag;
  if (io.env("NO_COLOR")) return false;
  const forced = io.env("FORCE_COLOR") || io.env("CLICOLOR_FORCE");
  if (forced) return forced !== "0" && forced !== "false";
  return io.isTerminal[stream] && io.env("TERM") !== "dumb";
}

function paint(tone: Tone, text: string): string {
  const [on, off] = CODES[tone];
  return `\x1b[${on}m${text}\x1b[${off}m`;
}

// deno-lint-ignore no-control-regex -- control characters are what it is about
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
/** The beginning of a line that mcpx itself would write. */
const LABEL = /\n(?=(?:error|hint|note|warning|waiting):)/g;

/** Text from elsewhere, without the control characters that would steer a terminal or turn text round; tabs and line breaks stay. */
export function inert(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(CONTROL, (char) => {
    if (char === "\r") return "\n";
    const code = char.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, "0")}`;
  });
}

/** The same behind a label of mcpx's: no line of it looks like another one. */
export function inertLines(text: string): string {
  return inert(text).replace(LABEL, "\n  ");
}
