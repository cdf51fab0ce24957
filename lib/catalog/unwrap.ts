import { isObject, parseJson } from "../json/mod.ts";
import type { JsonObject } from "../schema/types.ts";
import { sameJson } from "./same_json.ts";

/** A tool's result as scripts and the command line see it. */
export interface UnwrappedResult {
  /**
   * `structuredContent` as it is; else JSON of a single text block, parsed; else its text; else a single other
   * block as it is; several blocks as a list; `null` for nothing at all.
   */
  value: unknown;
  /** What `content` says beside `structuredContent`: empty where it only repeats it, or where there is none. */
  extra: unknown[];
  /** All text blocks, joined by line ends: an error's message. */
  text: string;
  /** Whether the tool reported an error. Everything else is filled all the same. */
  isError: boolean;
  /** Sentences about what was odd. */
  notes: string[];
}

const KNOWN_TYPES = new Set(["text", "image", "audio", "resource", "resource_link"]);

/**
 * Takes a result out of its MCP envelope, without losing anything.
 *
 * @param envelope the result of `tools/call`, as it came
 * @returns the value, what stands beside it, and whether it is an error
 *
 * @example
 * ```ts
 * import { unwrapResult } from "./unwrap.ts";
 * console.assert(unwrapResult({ content: [{ type: "text", text: "plain" }] }).value === "plain");
 * ```
 */
export function unwrapResult(envelope: JsonObject): UnwrappedResult {
  const notes: string[] = [];
  const blocks = blocksOf(envelope, notes);
  const parts = blocks.map((block) => isText(block) ? block.text : block);
  const result = {
    text: blocks.filter(isText).map((block) => block.text).join("\n"),
    isError: envelope.isError === true,
    notes,
  };
  if (!hasStructured(envelope, blocks)) {
    return { value: plainValue(blocks, parts), extra: [], ...result };
  }
  const structured = envelope.structuredContent;
  const extra = repeats(blocks, structured)
    ? []
    : parts.filter((_, at) => !repeats([blocks[at]], structured));
  if (extra.length > 0) {
    notes.push("The result's content says more than its structuredContent; both are given.");
  }
  return { value: structured, extra, ...result };
}

/** Some servers send `structuredContent: null` for "none", beside content that counts. */
function hasStructured(envelope: JsonObject, blocks: readonly unknown[]): boolean {
  const { structuredContent } = envelope;
  return structuredContent !== undefined && (structuredContent !== null || blocks.length === 0);
}

function blocksOf(envelope: JsonObject, notes: string[]): unknown[] {
  const { content } = envelope;
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) {
    notes.push("The result's content is no list; it is taken as one block.");
    return [typeof content === "string" ? { type: "text", text: content } : content];
  }
  for (const type of new Set(content.map(typeOf))) {
    if (!KNOWN_TYPES.has(type)) notes.push(`Content of type ${type} is passed on as it came.`);
  }
  return content;
}

function typeOf(block: unknown): string {
  return isObject(block) && typeof block.type === "string" ? block.type : "unknown";
}

function isText(block: unknown): block is { type: "text"; text: string } {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}

function plainValue(blocks: readonly unknown[], parts: readonly unknown[]): unknown {
  if (blocks.length === 0) return null;
  if (blocks.length > 1) return parts;
  const [block] = blocks;
  if (!isText(block)) return block;
  const parsed = parseWhole(block.text);
  return parsed === undefined ? block.text : parsed.value;
}

/** JSON that prints back as it was written: `1.10` is a version, and stays text. */
function parseWhole(text: string): { value: unknown } | undefined {
  if (!/^\s*[[{"\-0-9tfn]/.test(text)) return undefined;
  try {
    const value = parseJson(text);
    const exact = typeof value === "number" ? String(value) === text.trim() : true;
    return exact ? { value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Whether text blocks only say again what `structuredContent` says: as JSON, or as the plain value that a
 * server wrapped in one member (`{ result }`, `{ content }`), one block an item where it is a list.
 */
function repeats(blocks: readonly unknown[], structured: unknown): boolean {
  if (!blocks.every(isText)) return false;
  const texts = blocks.filter(isText).map(({ text }) => text);
  const [only] = texts;
  if (texts.length === 1 && only !== undefined && says(only, structured)) return true;
  const members = isObject(structured) ? Object.values(structured) : [];
  if (members.length !== 1) return texts.length === 0;
  const [wrapped] = members;
  if (texts.length === 1 && only !== undefined && says(only, wrapped)) return true;
  return Array.isArray(wrapped) && wrapped.length === texts.length &&
    texts.every((text, at) => says(text, wrapped[at]));
}

function says(text: string, value: unknown): boolean {
  if (text === "") return true;
  if (typeof value === "string" && value === text) return true;
  const parsed = parseWhole(text);
  return parsed !== undefined && sameJson(parsed.value, value);
}
