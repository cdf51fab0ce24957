import { utf8Length } from "../catalog/preview_text.ts";
import { scan } from "../diagnose/scan.ts";

/** What a model is asked. */
export interface GenerationRequest {
  system: string;
  prompt: string;
}

/** A tool as a model is told of it. */
export interface OfferedTool {
  /** How it is called: `<namespace>.<function>(args: …): …`. */
  signature: string;
  description?: string | undefined;
}

const BYTES_PER_TOKEN = 4;
const MAX_SENTENCE = 160;
const SYSTEM =
  "You write one short TypeScript script for mcpx. Each namespace below is a global object, its functions take one object and " +
  "return a promise. Top-level await and return work; the script returns what answers the request. It has no imports and reaches " +
  "nothing but these functions. Answer with the script alone, in one ```ts block. If the functions cannot do it, answer " +
  "with the single word IMPOSSIBLE.";

/**
 * Writes the request to a model: the user's words, and as many of the tools as the budget holds, best first.
 *
 * @param request the user's words
 * @param tools what search ranks for them, best first
 * @param tokens how many tokens, of four bytes, the tools may take
 */
export function generationRequest(
  request: string,
  tools: readonly OfferedTool[],
  tokens: number,
): GenerationRequest {
  let left = tokens * BYTES_PER_TOKEN;
  const lines: string[] = [];
  for (const tool of tools) {
    const line = linesOf(tool).find((text) => utf8Length(text) + 1 <= left);
    if (line === undefined) continue;
    lines.push(line);
    left -= utf8Length(line) + 1;
  }
  return { system: SYSTEM, prompt: `${lines.join("\n")}\n\nRequest: ${request}` };
}

function linesOf({ signature, description }: OfferedTool): string[] {
  const signed = signature.replace(/\s+/g, " ");
  const sentence = (description ?? "").split(/[.!?](?=\s)|\n/)[0]?.trim().slice(0, MAX_SENTENCE) ?? "";
  return sentence === "" ? [signed] : [`${signed} // ${sentence}`, signed];
}

/**
 * Reads a model's answer: the longest fenced block, or the whole of it where it is code.
 *
 * @param text what the model said
 * @param namespaces the namespaces that exist: a script that calls none of them is no answer
 * @returns the script, or why there is none, as the end of a sentence
 */
export function readGeneration(
  text: string,
  namespaces: ReadonlySet<string>,
): { script: string } | { problem: string } {
  const blocks = [...text.matchAll(/```[\w-]*[ \t]*\r?\n([^]*?)\r?\n?```/g)].map(([, body = ""]) => body);
  const script = (blocks.sort((a, b) => b.length - a.length)[0] ?? text).trim();
  if (/^IMPOSSIBLE\b/.test(script)) return { problem: "it says that no tool can do this" };
  if (script === "") return { problem: "it answered nothing" };
  const { calls } = scan(script, { namespaces });
  if (!calls.some(({ shadowed }) => !shadowed)) return { problem: "its answer calls no tool" };
  return { script: `${script}\n` };
}
