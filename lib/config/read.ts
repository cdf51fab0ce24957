import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { McpxError } from "../errors/mod.ts";
import { readRegularFile } from "../store/read_regular_file.ts";
import { sha256 } from "./digest.ts";
import type { ConfigFile } from "./search.ts";

/** The largest configuration file that is read, bytes. */
export const MAX_CONFIG_BYTES = 8 * 1024 * 1024;

/** Where something stands in a file; both count from 1. */
export interface Position {
  line: number;
  column: number;
}

/** A file of the configuration set, parsed. */
export interface ConfigText {
  /** The file. */
  file: ConfigFile;
  /** The text without its BOM. */
  text: string;
  /** SHA-256 of the bytes that were parsed, in hexadecimal. */
  digest: string;
  /** Its object. */
  value: Record<string, unknown>;
  /** Sentences: keys that are written twice. */
  notes: string[];
  /** Where the value under a path of keys begins; the nearest enclosing one where there is none. */
  position(path: readonly (string | number)[]): Position;
}

/**
 * Reads one configuration file: JSON with comments and trailing commas; a BOM and CRLF are accepted.
 *
 * @param file the file
 * @returns its object, with positions for messages
 * @throws {McpxError} `invalid-config` with file, line, column and what was expected there
 */
export async function readConfigFile(file: ConfigFile): Promise<ConfigText> {
  const bytes = await readBytes(file.path);
  return parseConfigText(decodeConfig(bytes, file.path), file, await sha256(bytes));
}

/** Reads a file whole, refusing what is too large. @throws {McpxError} `invalid-config` */
export async function readBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const info = await Deno.stat(path);
    if (info.size > MAX_CONFIG_BYTES) throw tooLarge(path, info.size);
    return (await readRegularFile(path, { limit: MAX_CONFIG_BYTES })).bytes;
  } catch (error) {
    if (error instanceof McpxError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new McpxError("invalid-config", `Cannot read ${path}: ${reason}.`, {
      hint: `ls -l ${path}`,
      data: { file: path },
      cause: error,
    });
  }
}

function tooLarge(path: string, size: number): McpxError {
  return new McpxError(
    "invalid-config",
    `Cannot read ${path}: it has ${size} bytes, a configuration file may have ${MAX_CONFIG_BYTES}.`,
    { hint: "Is it a configuration file?", data: { file: path, size, limit: MAX_CONFIG_BYTES } },
  );
}

/** Decodes UTF-8 with or without a BOM. @throws {McpxError} `invalid-config` for anything else */
export function decodeConfig(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    throw new McpxError("invalid-config", `Cannot read ${path}: it is ${utf16 ? "UTF-16" : "not UTF-8"}.`, {
      hint: `iconv -f ${utf16 ? "utf-16" : "latin1"} -t utf-8 ${path}`,
      data: { file: path },
      cause: error,
    });
  }
}

/**
 * Parses the text of a configuration file.
 *
 * @param text decoded, without a BOM
 * @param file named in messages
 * @param digest SHA-256 of the bytes
 * @returns its object, with positions for messages
 * @throws {McpxError} `invalid-config` with file, line, column and what was expected there
 */
export function parseConfigText(text: string, file: ConfigFile, digest: string): ConfigText {
  const at = lineIndex(text);
  const refuse = (offset: number, what: string): never => {
    const { line, column } = at(offset);
    throw new McpxError("invalid-config", `Cannot parse ${file.path}:${line}:${column}: ${what}.`, {
      hint: `Correct line ${line} of ${file.path}.`,
      data: { file: file.path, line, column },
    });
  };
  const errors: ParseError[] = [];
  const root = parse(text, errors, refuse);
  const first = errors[0];
  if (first) refuse(first.offset, expected(first));
  if (root === undefined) {
    return refuse(0, `expected {}, found ${text.trim() === "" ? "an empty file" : "nothing but comments"}`);
  }
  if (root.type !== "object") return refuse(root.offset, `expected an object, found ${article(root.type)}`);
  const notes: string[] = [];
  const value = valueOf(root, (key, offset) => {
    const { line, column } = at(offset);
    notes.push(
      `${file.path}:${line}:${column}: the key ${JSON.stringify(key)} is written twice; the last counts.`,
    );
  });
  const object = Object.fromEntries(Object.entries(value ?? {}));
  return { file, text, digest, value: object, notes, position: (path) => at(offsetOf(root, path)) };
}

function parse(
  text: string,
  errors: ParseError[],
  refuse: (offset: number, what: string) => never,
): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    if (error instanceof RangeError) return refuse(0, "its values are nested too deeply");
    throw error;
  }
}

const EXPECTED: Record<string, string> = {
  InvalidSymbol: "expected a value, found a bare word",
  InvalidNumberFormat: "expected a number",
  PropertyNameExpected: "expected a key in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected `:` after the key",
  CommaExpected: "expected `,` or a closing bracket",
  CloseBraceExpected: "expected `}`",
  CloseBracketExpected: "expected `]`",
  EndOfFileExpected: "expected the end of the file",
  UnexpectedEndOfComment: "expected `*/`",
  UnexpectedEndOfString: 'expected `"` before the end of the line',
  UnexpectedEndOfNumber: "expected a digit",
  InvalidUnicode: "expected four hexadecimal digits after `\\u`",
  InvalidEscapeCharacter: "expected an escape that JSON has, after `\\`",
  InvalidCharacter: "expected no control character in a string",
};

function expected(error: ParseError): string {
  return EXPECTED[printParseErrorCode(error.error)] ?? "expected JSON";
}

function article(type: Node["type"]): string {
  return type === "array" ? "an array" : type === "null" ? "null" : `a ${type}`;
}

/** Plain values of a parsed tree; `__proto__` becomes an own key like any other. */
function valueOf(node: Node, repeated: (key: string, offset: number) => void): unknown {
  if (node.type === "array") return (node.children ?? []).map((child) => valueOf(child, repeated));
  if (node.type !== "object") return node.value;
  const entries = new Map<string, unknown>();
  for (const { children: [key, value] = [] } of node.children ?? []) {
    if (!key || !value) continue;
    const name = String(key.value);
    if (entries.has(name)) repeated(name, key.offset);
    entries.set(name, valueOf(value, repeated));
  }
  return Object.fromEntries(entries);
}

/** The offset of the deepest node along a path, reading the last of repeated keys. */
function offsetOf(root: Node, path: readonly (string | number)[]): number {
  let node = root;
  let offset = root.offset;
  for (const step of path) {
    const property = node.children?.findLast((child, at) =>
      node.type === "array" ? at === step : child.children?.[0]?.value === step
    );
    if (!property) return offset;
    offset = property.offset;
    const next = node.type === "array" ? property : property.children?.[1];
    if (!next) return offset;
    node = next;
  }
  return offset;
}

function lineIndex(text: string): (offset: number) => Position {
  return (offset) => {
    const before = text.slice(0, offset);
    const lines = before.split(/\r\n|\n|\r/);
    return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
  };
}
