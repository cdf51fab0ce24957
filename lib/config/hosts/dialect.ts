import { McpxError } from "../../errors/mod.ts";
import { escapeTemplate, parseTemplate } from "../template.ts";

/** How a host writes variables inside strings. */
export interface Dialect {
  /** What it replaces in a string; without it every string is literal. */
  pattern?: RegExp;
  /** mcpx's spelling of one match, or nothing where the match is literal text to the host. */
  read?(match: string, folder: string): string | undefined;
  /** The host's spelling of a variable; without it none can be written. */
  write?(name: string, fallback?: string): string | undefined;
}

/** Strings are what they are: Claude Desktop, Codex. */
export const LITERAL: Dialect = {};

/** `${VAR}` and `${VAR:-default}`: Claude Code. */
export const BRACES: Dialect = {
  pattern: /\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/g,
  read: (match) => match,
  write: (name, fallback) => fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`,
};

/** `${env:VAR}` and the editors' own words: Cursor, VS Code, Windsurf. */
export const EDITOR: Dialect = {
  pattern:
    /\$\{(?:env:[A-Za-z_]\w*|input:[^}]*|file:[^}]*|workspaceFolder|workspaceRoot|userHome|\/|pathSeparator)\}/g,
  read: (match, folder) => {
    const body = match.slice(2, -1);
    if (body.startsWith("workspace")) return escapeTemplate(folder);
    if (body === "userHome") return "${HOME}";
    return body === "/" || body === "pathSeparator" ? "/" : match;
  },
  write: (name, fallback) => fallback === undefined ? `\${env:${name}}` : undefined,
};

/** `{env:VAR}` and `{file:path}`: opencode. */
export const CURLY: Dialect = {
  pattern: /\{(?:env|file):[^}]*\}/g,
  read: (match) => `$${match}`,
  write: (name, fallback) => fallback === undefined ? `{env:${name}}` : undefined,
};

/** `$VAR` and `${VAR}`: Gemini CLI. */
export const SHELL: Dialect = {
  pattern: /\$(?:\{[A-Za-z_]\w*(?::-[^}]*)?\}|[A-Za-z_]\w*)/g,
  read: (match) => match.startsWith("${") ? match : `\${${match.slice(1)}}`,
  write: (name, fallback) => fallback === undefined ? `\${${name}}` : undefined,
};

/** Every spelling with a dollar and braces: a file whose host is not known. */
export const ANY: Dialect = {
  pattern: /\$\{[^}]*\}|\$env:[A-Za-z_]\w*/g,
  read: (match, folder) => EDITOR.read?.(match, folder),
};

/** mcpx's own. */
export const OWN: Dialect = {
  pattern: /[\s\S]+/g,
  read: (match) => match,
};

/** Turns a host's string into mcpx's spelling; whatever the host takes literally is escaped. */
export function readDialect(text: string, dialect: Dialect, folder: string): string {
  const { pattern, read } = dialect;
  if (!pattern || !read) return escapeTemplate(text);
  let result = "";
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    result += escapeTemplate(text.slice(end, match.index)) +
      (read(match[0], folder) ?? escapeTemplate(match[0]));
    end = match.index + match[0].length;
  }
  return result + escapeTemplate(text.slice(end));
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
  let result = "";
  for (const part of parseTemplate(text)) {
    const fallback = part.kind === "variable" && part.fallback?.every((inner) => inner.kind === "text")
      ? part.fallback.map((inner) => inner.kind === "text" ? inner.text : "").join("")
      : undefined;
    const written = part.kind === "text"
      ? part.text
      : part.kind === "variable" && (part.fallback === undefined || fallback !== undefined)
      ? dialect.write?.(part.name, fallback)
      : undefined;
    if (written === undefined) {
      throw new McpxError(
        "unsupported",
        `Cannot write ${field} for ${title}: it does not expand such an expression.`,
        {
          hint: `Let ${title} start mcpx itself, which expands it: mcpx serve`,
        },
      );
    }
    result += written;
  }
  return result;
}
