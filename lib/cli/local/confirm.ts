import { McpxError } from "../../errors/mod.ts";
import type { CommandContext } from "../context.ts";

/**
 * Asks before something is changed that belongs to another program or cannot be brought back.
 *
 * @param cx the command: `--yes` answers for the person
 * @param question ends with a question mark
 * @param hint the command that does it without asking
 * @returns whether it was agreed to
 * @throws {McpxError} `not-confirmed` where there is nobody to ask
 */
export async function confirm(cx: CommandContext, question: string, hint: string): Promise<boolean> {
  if (cx.invocation.values.get("yes") === true) return true;
  if (!cx.io.isTerminal.stdin || !cx.io.isTerminal.stderr) {
    throw new McpxError("not-confirmed", "Cannot change anything: nobody is here to be asked.", { hint });
  }
  await cx.err.write(`${question} [y/N] `);
  return /^y(es)?$/i.test((await firstLine(cx.io.openStdin())).trim());
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}
