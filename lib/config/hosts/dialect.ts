import { McpxError } from "../../errors/mod.ts";
import { unknownReason } from "../server.ts";
import { joinTexts, parseTemplate, printTemplate, type TemplatePart, usesCommands } from "../template.ts";

/** How a host writes variables inside strings. */
export interface Dialect {
  /** What a string means to the host, in mcpx's parts; without it every string is literal. */
  read?(text: string, folder: string): TemplatePart[];
  /** The host's spelling of a variable; without it none can be written. */
  write?(name: string, fallback?: string): string | undefined;
}

/** A host's string in mcpx's spelling. */
export interface ReadText {
  text: string;
  /** Whether it holds what would read a file or run a command, and stays text. */
  kept: boolean;
  /** Why mcpx cannot say the same, where it cannot. */
  problem?: string;
}

/** Strings are what they are: Claude Desktop, Codex. */
export const LITERAL: Dialect = {};

/** `${VAR}` and `${VAR:-default}`: Claude Code. */
export const BRACES: Dialect = {
  read: (text) => split(text, /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, variableOf),
  write: (name, fallback) => fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`,
};

const EDITOR_WORDS =
  "env:([A-Za-z_]\\w*)|input:([^}]*)|(workspaceFolder|workspaceRoot|userHome|\\/|pathSeparator)";

/** `${env:VAR}` and the editors' own words: Cursor, VS Code. */
export const EDITOR: Dialect = {
  read: (text, folder) =>
    split(text, new RegExp(`\\$\\{(?:${EDITOR_WORDS})\\}`, "g"), (match) => editorPart(match, folder)),
  write: (name, fallback) => fallback === undefined ? `\${env:${name}}` : undefined,
};

/** The same, and `${file:path}`: Windsurf. */
export const EDITOR_FILES: Dialect = {
  read: (text, folder) =>
    split(text, new RegExp(`\\$\\{(?:${EDITOR_WORDS}|file:([^}]*))\\}`, "g"), (match) => {
      const [, , , , file] = match;
      return file === undefined ? editorPart(match, folder) : { kind: "file", body: file };
    }),
  write: (name, fallback) => fallback === undefined ? `\${env:${name}}` : undefined,
};

/** `{env:VAR}` and `{file:path}`: opencode. */
export const CURLY: Dialect = {
  read: (text) =>
    split(text, /\{(env|file):([^}]*)\}/g, ([match, kind, body = ""]) => {
      if (kind === "file") return { kind: "file", body };
      return /^[A-Za-z_]\w*$/.test(body)
        ? { kind: "variable", name: body }
        : { kind: "unknown", text: match };
    }),
  write: (name, fallback) => fallback === undefined ? `{env:${name}}` : undefined,
};

/** `$VAR` and `${VAR}`: Gemini CLI. */
export const SHELL: Dialect = {
  read: (text) =>
    split(
      text,
      /\$(?:\{([A-Za-z_]\w*)(?::-([^}]*))?\}|([A-Za-z_]\w*))/g,
      ([match, name, fallback, bare]) => variableOf([match, name ?? bare, fallback]),
    ),
  write: (name, fallback) => fallback === undefined ? `\${${name}}` : undefined,
};

/** mcpx's own. */
export const OWN: Dialect = { read: (text) => parseTemplate(text) };

/** Every spelling with a dollar and braces: a file whose host is not known. */
export const ANY: Dialect = {
  read: (text, folder) =>
    parseTemplate(text).map((part) => {
      if (part.kind === "variable" && !part.fallback) return editorWord(part.name, folder) ?? part;
      if (part.kind !== "unknown") return part;
      // What is never closed is an expression to nobody.
      return editorWord(part.text.slice(2, -1), folder) ??
        (part.text.endsWith("}") ? part : { kind: "text", text: part.text });
    }),
};

type Match = readonly (string | undefined)[];

/** Cuts a string where a host sees an expression; what lies between is text. */
function split(
  text: string,
  pattern: RegExp,
  read: (match: [string, ...Match]) => TemplatePart | undefined,
): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, ...groups] = match;
    parts.push({ kind: "text", text: text.slice(end, match.index) });
    parts.push(read([whole, ...groups]) ?? { kind: "text", text: whole });
    end = match.index + whole.length;
  }
  return [...parts, { kind: "text", text: text.slice(end) }];
}

/** A variable whose default is text and nothing else. */
function variableOf([, name = "", fallback]: Match): TemplatePart {
  if (fallback === undefined) return { kind: "variable", name };
  return { kind: "variable", name, fallback: [{ kind: "text", text: fallback }] };
}

function editorPart([, name, input, word = ""]: Match, folder: string): TemplatePart | undefined {
  if (name !== undefined) return { kind: "variable", name };
  return input === undefined ? editorWord(word, folder) : { kind: "input", body: input };
}

function editorWord(word: string, folder: string): TemplatePart | undefined {
  if (word === "workspaceFolder" || word === "workspaceRoot") return { kind: "text", text: folder };
  if (word === "userHome") return { kind: "variable", name: "HOME" };
  return word === "/" || word === "pathSeparator" ? { kind: "text", text: "/" } : undefined;
}

/**
 * Turns a host's string into mcpx's spelling.
 *
 * Whatever the host takes literally stays text, and so does what would read a file or run a command: a file that is imported comes
 * from anywhere, and what it is imported into is trusted.
 */
export function readDialect(text: string, dialect: Dialect, folder: string): ReadText {
  const parts = dialect.read?.(text, folder) ?? [{ kind: "text", text }];
  const harmless = withoutCommands(parts, dialect);
  const kept = usesCommands(text) || parts.some(({ kind }) => kind === "file" || kind === "command");
  const written = printTemplate(harmless);
  if (written !== undefined) return { text: written, kept };
  const odd = harmless.find((part) => part.kind === "unknown");
  return { text, kept, problem: odd?.kind === "unknown" ? unknownReason(odd.text) : unwritable(text) };
}

/** Parts in which a file or a command is the text that stands for it. */
function withoutCommands(parts: readonly TemplatePart[], dialect: Dialect): TemplatePart[] {
  return parts.map((part): TemplatePart => {
    if (part.kind === "file" || part.kind === "command") {
      const word = part.kind === "file" ? "file" : "cmd";
      return { kind: "text", text: `${dialect === CURLY ? "" : "$"}{${word}:${part.body}}` };
    }
    if (part.kind !== "variable" || !part.fallback) return part;
    return { ...part, fallback: withoutCommands(part.fallback, dialect) };
  });
}

function unwritable(text: string): string {
  return `${
    JSON.stringify(text.slice(0, 80))
  } cannot be written in mcpx's form: it has a $ before a variable, or braces in a default`;
}

/**
 * Turns a string of mcpx's into a host's spelling.
 *
 * @throws {McpxError} `unsupported` where the host cannot say it
 */
export function writeDialect(
  text: string,
  dialect: Dialect,
  { title, field }: { title: string; field: string },
): string {
  if (dialect === OWN) return text;
  const parts = parseTemplate(text);
  const refused = (why: string): McpxError =>
    new McpxError("unsupported", `Cannot write ${field} for ${title}: ${why}.`, {
      hint: `Let ${title} start mcpx itself, which expands it: mcpx serve`,
    });
  let result = "";
  for (const part of parts) {
    const fallback = part.kind === "variable" && part.fallback?.every((inner) => inner.kind === "text")
      ? part.fallback.map((inner) => inner.kind === "text" ? inner.text : "").join("")
      : undefined;
    const written = part.kind === "text"
      ? part.text
      : part.kind === "variable" && (part.fallback === undefined || fallback !== undefined)
      ? dialect.write?.(part.name, fallback)
      : undefined;
    if (written === undefined) throw refused("it does not expand such an expression");
    result += written;
  }
  // Text here may be an expression there.
  const there = dialect.read?.(result, "") ?? [{ kind: "text", text: result }];
  if (JSON.stringify(joinTexts(there)) === JSON.stringify(joinTexts(parts))) return result;
  throw refused("its text would be an expression there");
}
