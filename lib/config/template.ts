/** A piece of a configuration string. */
export type TemplatePart =
  | { kind: "text"; text: string }
  | { kind: "variable"; name: string; fallback?: TemplatePart[] }
  | { kind: "file" | "command" | "input"; body: string }
  /** `${` that opens nothing mcpx knows, or that is never closed. */
  | { kind: "unknown"; text: string };

const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;
const PREFIXED = /^(file|cmd|input):([\s\S]*)$/;
const SHELL_STYLE = /env:([A-Za-z_][A-Za-z0-9_]*)/y;
/** A second `$` before what would be an expression: the expression is meant as text. */
const ESCAPED = /\$(?=\{|env:[A-Za-z_])/y;

/**
 * Splits a configuration string into text and `${…}` expressions. `$${…}` is the text `${…}`; any other `$$` stays as it is, so that
 * a password that holds one means the same here as in other hosts.
 *
 * Braces inside an expression may nest, so a default can hold JSON and a command can hold a block.
 *
 * @param text the string as written
 * @returns the parts, in order
 *
 * @example
 * ```ts
 * import { parseTemplate } from "./template.ts";
 * console.assert(parseTemplate("a${B}")[1]?.kind === "variable");
 * ```
 */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let plain = "";
  const push = (part: TemplatePart): void => {
    if (plain !== "") parts.push({ kind: "text", text: plain });
    plain = "";
    parts.push(part);
  };
  for (let at = 0; at < text.length;) {
    const dollar = text.indexOf("$", at);
    if (dollar < 0) {
      plain += text.slice(at);
      break;
    }
    plain += text.slice(at, dollar);
    SHELL_STYLE.lastIndex = dollar + 1;
    const shell = SHELL_STYLE.exec(text);
    ESCAPED.lastIndex = dollar + 1;
    if (ESCAPED.test(text)) {
      plain += "$";
      at = dollar + 2;
    } else if (text[dollar + 1] === "{") {
      const end = closingBrace(text, dollar + 2);
      at = end < 0 ? text.length : end + 1;
      push(end < 0 ? { kind: "unknown", text: text.slice(dollar) } : expression(text.slice(dollar + 2, end)));
    } else if (shell) {
      push({ kind: "variable", name: shell[1] ?? "" });
      at = SHELL_STYLE.lastIndex;
    } else {
      plain += "$";
      at = dollar + 1;
    }
  }
  if (plain !== "") parts.push({ kind: "text", text: plain });
  return parts;
}

/** Writes text so that {@link parseTemplate} gives back exactly that text. */
export function escapeTemplate(text: string): string {
  return text.replace(/\$(?=\{|env:[A-Za-z_])/g, "$$$$");
}

/**
 * Writes parts so that {@link parseTemplate} gives them back.
 *
 * @param parts in order; texts may stand beside one another
 * @returns the string; nothing where there is no way to write them, as for a `$` right before a variable
 */
export function printTemplate(parts: readonly TemplatePart[]): string | undefined {
  const plain = joinTexts(parts);
  let printed = "";
  for (const part of plain) {
    if (part.kind === "text") printed += escapeTemplate(part.text);
    else if (part.kind === "variable") {
      const fallback = part.fallback && printTemplate(part.fallback);
      if (part.fallback && fallback === undefined) return undefined;
      printed += fallback === undefined ? `\${${part.name}}` : `\${${part.name}:-${fallback}}`;
    } else if (part.kind === "unknown") return undefined;
    else printed += `\${${part.kind === "command" ? "cmd" : part.kind}:${part.body}}`;
  }
  return JSON.stringify(parseTemplate(printed)) === JSON.stringify(plain) ? printed : undefined;
}

/** The same parts without texts side by side, which one string cannot tell apart. */
export function joinTexts(parts: readonly TemplatePart[]): TemplatePart[] {
  const joined: TemplatePart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind === "text" && last?.kind === "text") {
      joined[joined.length - 1] = { kind: "text", text: last.text + part.text };
    } else if (part.kind === "variable") {
      const { kind, name, fallback } = part;
      joined.push({ kind, name, ...(fallback ? { fallback: joinTexts(fallback) } : {}) });
    } else if (part.kind !== "text" || part.text !== "") joined.push(part);
  }
  return joined;
}

/** Every part, those of defaults included. */
export function* allParts(parts: readonly TemplatePart[]): Generator<TemplatePart> {
  for (const part of parts) {
    yield part;
    if (part.kind === "variable" && part.fallback) yield* allParts(part.fallback);
  }
}

/** Whether the string runs a command or reads a file when it is expanded. */
export function usesCommands(text: string): boolean {
  if (!text.includes("${")) return false;
  for (const part of allParts(parseTemplate(text))) {
    if (part.kind === "file" || part.kind === "command") return true;
  }
  return false;
}

function closingBrace(text: string, from: number): number {
  for (let at = from, depth = 1; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at;
  }
  return -1;
}

function expression(body: string): TemplatePart {
  const variable = VARIABLE.exec(body);
  if (variable) {
    const [, name = "", fallback] = variable;
    return fallback === undefined
      ? { kind: "variable", name }
      : { kind: "variable", name, fallback: parseTemplate(fallback) };
  }
  const prefixed = PREFIXED.exec(body);
  if (!prefixed) return { kind: "unknown", text: `\${${body}}` };
  const kind = prefixed[1] === "cmd" ? "command" : prefixed[1] === "file" ? "file" : "input";
  return { kind, body: prefixed[2] ?? "" };
}
