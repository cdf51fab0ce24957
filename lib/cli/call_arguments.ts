import { McpxError } from "../errors/mod.ts";
import type { TextSource } from "./read_text.ts";

/** Arguments of a tool, recipe or script, as the request carries them. */
export type CallArguments =
  /** The text of a JSON object, digit for digit as it was given. */
  | { json: string }
  /** Names and texts, for the daemon to read by the schema. */
  | { pairs: [string, string][] };

/**
 * Reads arguments as they are written everywhere: one JSON object, `key=value`, `key=@file`, or `-` for a JSON object on standard
 * input.
 *
 * @param words the words of the command line
 * @param source where `-` and `@file` come from
 * @returns the arguments, `undefined` when there are no words
 * @throws {McpxError} `usage` for anything else
 */
export async function readArguments(
  words: readonly string[],
  source: TextSource,
): Promise<CallArguments | undefined> {
  const first = words[0]?.trim();
  if (first === undefined) return undefined;
  if (first === "-" || first.startsWith("{")) {
    if (words.length > 1) {
      throw new McpxError(
        "usage",
        "Cannot read the arguments: give one JSON object or key=value words, not both.",
      );
    }
    return { json: jsonObject(first === "-" ? await source.stdin() : first, "the arguments") };
  }
  const pairs: [string, string][] = [];
  for (const word of words) pairs.push(await readPair(word, source));
  return { pairs };
}

/**
 * Reads the value of `--args`: a JSON object, `-` for standard input, or a file (with or without `@`).
 *
 * @throws {McpxError} `usage` when it is none of them
 */
export async function readArgsFlag(value: string, source: TextSource): Promise<CallArguments> {
  const text = value.trim();
  if (text.startsWith("{")) return { json: jsonObject(text, "--args") };
  if (text === "-") return { json: jsonObject(await source.stdin(), "standard input") };
  const path = text.startsWith("@") ? text.slice(1) : text;
  if (path === "-") return { json: jsonObject(await source.stdin(), "standard input") };
  return { json: jsonObject(await source.file(path), path) };
}

async function readPair(word: string, source: TextSource): Promise<[string, string]> {
  const equals = word.indexOf("=");
  if (equals < 1) {
    throw new McpxError("usage", `Cannot read the argument ${JSON.stringify(word)}: it is not key=value.`, {
      hint: `${equals === 0 ? "key" : word}${equals === 0 ? word : "=<value>"}`,
    });
  }
  const value = word.slice(equals + 1);
  const key = word.slice(0, equals);
  if (!value.startsWith("@") || value === "@") return [key, value];
  if (value === "@-") return [key, await source.stdin()];
  try {
    return [key, await source.file(value.slice(1))];
  } catch (error) {
    if (!(error instanceof McpxError)) throw error;
    throw new McpxError("usage", error.message, {
      hint: `For the text itself: '${JSON.stringify({ [key]: value })}'`,
      cause: error,
    });
  }
}

/** Checks that a text is one JSON object, and gives it unchanged. */
function jsonObject(text: string, name: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new McpxError("usage", `Cannot read ${name}: not JSON (${why}).`, {
      hint: `'{"key": "value"}' in single quotes, or --args FILE`,
      cause: error,
    });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return text.trim();
  throw new McpxError(
    "usage",
    `Cannot read ${name}: arguments are one JSON object, this is ${kindOf(value)}.`,
  );
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return `a ${typeof value}`;
}
