/*
 * `import … from "mcpx"` and `export …` become plain statements of the same length, line breaks kept, so that every position behind them
 * stays the user's own. The place of each statement comes from the parser, which refuses them one after the other.
 */

/** Source with one module statement less, and what the statement declared. */
export interface RewrittenStatement {
  source: string;
  /** Exported name to local name. */
  exports: [exported: string, local: string][];
}

/** A module statement that a script may not have. */
export class ModuleSyntaxFault extends Error {
  override readonly name = "ModuleSyntaxFault";
}

const IMPORT =
  /import(?:\s+(type)(?=\s*[{*]|\s+(?!from\s*["'])[\w$]))?(?:\s+([\w$]+)\s*,?)?\s*(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})?\s*from\s*(["'])([^"'\n]*)\5(?:\s*with\s*\{[^}]*\})?[ \t]*;?/y;
const BARE_IMPORT = /import\s*(["'])([^"'\n]*)\1[ \t]*;?/y;
const EXPORT_LIST = /export\s+(type\s+)?\{([^}]*)\}(\s*from\b)?[ \t]*;?/y;
const EXPORT_FUNCTION =
  /export\s+default(\s+)((?:async\s+)?function\b\s*\*?|(?:abstract\s+)?class\b)(\s*)([\w$]*)/y;
const DECLARATION =
  /export(?=\s+(?:(?:declare\s+|abstract\s+)*(?:(?:async\s+)?function\b\s*\*?|class\b|(?:const\s+)?enum\b|namespace\b|module\b|type\b|interface\b|const\b|let\b|var\b|using\b)))/y;
const NAMED =
  /\s+(?:(?:declare|abstract)\s+)*(?:(?:async\s+)?function\s*\*?|class|(?:const\s+)?enum|namespace|const|let|var)\s*([\w$]+|\{[^}]*\}|\[[^\]]*\])/y;

/**
 * Rewrites the `import` or `export` statement that begins at `offset`.
 *
 * @param source the whole script
 * @param offset where the parser refused the statement
 * @throws {ModuleSyntaxFault} for anything but an import from `mcpx` or an export of something of the script's own
 */
export function rewriteModuleStatement(source: string, offset: number): RewrittenStatement {
  return source.startsWith("import", offset) ? rewriteImport(source, offset) : rewriteExport(source, offset);
}

function rewriteImport(source: string, offset: number): RewrittenStatement {
  const bare = at(BARE_IMPORT, source, offset);
  const match = bare ?? at(IMPORT, source, offset);
  if (match === null) throw new ModuleSyntaxFault('Cannot read the import: it is `import { … } from "mcpx"`');
  const specifier = (bare === null ? match[6] : match[2]) ?? "";
  if (specifier !== "mcpx") {
    throw new ModuleSyntaxFault(
      `Cannot import ${JSON.stringify(specifier)}: scripts import from "mcpx" only`,
    );
  }
  const [whole, type, main, star, named] = match;
  const targets: string[] = [];
  if (bare === null && type === undefined) {
    for (const name of [main, star]) if (name !== undefined) targets.push(`${name}=$mcpx`);
    if (named !== undefined) targets.push(`{${destructured(named)}}=$mcpx`);
  }
  const statement = targets.length === 0
    ? ";"
    : `${targets.length > 1 ? "let" : "const"} ${targets.join(",")};`;
  return { source: replaceAt(source, offset, whole, statement), exports: [] };
}

/** `a, b as c, type D` as a destructuring pattern. */
function destructured(named: string): string {
  return listed(named).map(([from, to]) => from === "default" ? "" : from === to ? from : `${from}:${to}`)
    .filter((part) => part !== "").join(",");
}

function listed(named: string): [string, string][] {
  const parts = named.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "").split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "" && !/^type\s+[\w$]/.test(part)).map((part) => {
    const [from = "", to = from] = part.split(/\s+as\s+/);
    return [from, to];
  });
}

function rewriteExport(source: string, offset: number): RewrittenStatement {
  const list = at(EXPORT_LIST, source, offset);
  if (list !== null) {
    const [whole, type, names = "", from] = list;
    if (from !== undefined) {
      throw new ModuleSyntaxFault("Cannot export from another module: a script is one file");
    }
    const exports = type === undefined ? listed(names) : [];
    return {
      source: replaceAt(source, offset, whole, ";"),
      exports: exports.map(([local, exported]) => [exported, local]),
    };
  }
  const made = at(EXPORT_FUNCTION, source, offset);
  if (made !== null) return rewriteDefault(source, offset, made);
  if (/^export\s+default\b/.test(source.slice(offset, offset + 40))) {
    const whole = at(/export\s+default/y, source, offset)?.[0] ?? "";
    return { source: replaceAt(source, offset, whole, "$mcpx.default="), exports: [["default", ""]] };
  }
  if (at(DECLARATION, source, offset) === null) {
    throw new ModuleSyntaxFault("Cannot read the export: a script exports declarations of its own");
  }
  const names = declaredNames(source, offset + "export".length);
  return {
    source: replaceAt(source, offset, "export", ""),
    exports: names.map((name) => [name, name]),
  };
}

/** A default function or class keeps its name, or gets one in the place of `export default`, so that it is hoisted as before. */
function rewriteDefault(source: string, offset: number, match: RegExpExecArray): RewrittenStatement {
  const [whole, , keyword = "", gap = "", given = ""] = match;
  const named = given !== "" && given !== "extends" && given !== "implements";
  const name = named ? given : "$default";
  const statement = `${keyword.trimEnd()} ${name}`;
  const tail = named ? "" : `${gap}${given}`;
  const kept = whole.slice(0, whole.length - tail.length);
  return { source: replaceAt(source, offset, kept, statement), exports: [["default", name]] };
}

function declaredNames(source: string, offset: number): string[] {
  const target = at(NAMED, source, offset)?.[1];
  if (target === undefined) return [];
  if (/^[\w$]+$/.test(target)) {
    const statement = /^[^;\n]*/.exec(source.slice(offset))?.[0] ?? "";
    const more = [...statement.matchAll(/,\s*([A-Za-z_$][\w$]*)\s*(?::[^,=]*)?=(?![=>])/g)].map((found) =>
      found[1] ?? ""
    );
    return [target, ...more];
  }
  return [...target.matchAll(/([A-Za-z_$][\w$]*)\s*(?=[,}\]=]|$)/g)].map((found) => found[1] ?? "");
}

function at(pattern: RegExp, source: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(source);
}

/** Puts `replacement` in the place of `whole`, with the same line breaks and the same column at its end. */
function replaceAt(source: string, offset: number, whole: string, replacement: string): string {
  const lines = whole.split("\n");
  const last = lines.length - 1;
  const width = lines[last]?.length ?? 0;
  const filled = last === 0
    ? replacement.padEnd(width)
    : `${replacement}${"\n".repeat(last)}${" ".repeat(width)}`;
  return source.slice(0, offset) + filled + source.slice(offset + whole.length);
}
