import { stripTypeScriptTypes } from "node:module";
import { McpxError } from "../errors/mod.ts";
import { ModuleSyntaxFault, rewriteModuleStatement } from "./module_syntax.ts";
import { type Position, StackMap } from "./stack_map.ts";

/** A script ready for the realm: plain JavaScript that starts itself with `$start`. */
export interface PreparedScript {
  code: string;
  /** Where column 1 of the user's first line stands, for the compiler. */
  columnOffset: number;
  /** From positions of `code` to the user's, where stripping could not keep them. */
  map?: StackMap;
}

/** How {@link prepareScript} names things. */
export interface PrepareOptions {
  /** The name in messages; default `script.ts`. */
  filename?: string;
  /** The export that is the script's function; default `default`. */
  exportName?: string;
}

const HEAD = '$start(async($mcpx,$mport)=>{"use strict";';
const TAIL = "\n})";
const MODULE_WORDS = "'import', and 'export'";
const IMPORT_CALL = /(?<!(?<!\.\.)\.\s*)\bimport(?=\s*(?:\/\*[\s\S]*?\*\/\s*)*\()/g;
/** Stripping a type alias eats the semicolon of the next line, which keeps `[` or `(` from being read as its continuation. */
const SEMICOLON_FIRST = /^[ \t]*;[ \t]*[[(`]/m;
const MAX_STATEMENTS = 1000;

/**
 * Turns a user's TypeScript into JavaScript in which positions are still the user's: types are blanked out, and only where they cannot
 * be (enums, namespaces) is the code printed anew, with a map. `import … from "mcpx"` and `export` become plain statements.
 *
 * The parser is native code that a hostile text can abort: call it in a sandbox process only.
 *
 * @param source the script as written
 * @param options its name and the export that is wanted
 * @returns what the sandbox compiles
 * @throws {McpxError} `script-syntax` with the user's line and column; `script-error` when the wanted export does not exist
 *
 * @example
 * ```ts
 * import { prepareScript } from "./strip.ts";
 * console.assert(prepareScript("const n: number = 1; return n;").code.includes("const n         = 1"));
 * ```
 */
export function prepareScript(source: string, options: PrepareOptions = {}): PreparedScript {
  const { filename = "script.ts", exportName = "default" } = options;
  let text = source.startsWith("#!") ? `//${source.slice(2)}` : source;
  const exports = new Map<string, string>();
  for (let round = 0; round <= MAX_STATEMENTS; round++) {
    const fault = parseFault(text);
    if (fault === undefined) return finish(blockImportCalls(text), exports, exportName);
    if (!fault.message.startsWith(MODULE_WORDS)) throw syntaxError(filename, fault.message, fault);
    const offset = statementOffset(text, fault);
    try {
      const rewritten = rewriteModuleStatement(text, offset);
      text = rewritten.source;
      for (const [exported, local] of rewritten.exports) exports.set(exported, local);
    } catch (error) {
      if (!(error instanceof ModuleSyntaxFault)) throw error;
      throw syntaxError(filename, error.message, fault);
    }
  }
  throw syntaxError(filename, `It has more than ${MAX_STATEMENTS} imports and exports`, {
    line: 1,
    column: 1,
  });
}

/** The error for a script that does not parse. */
export function syntaxError(filename: string, problem: string, position?: Position): McpxError {
  const place = position === undefined ? filename : `${filename}:${position.line}:${position.column}`;
  return new McpxError("script-syntax", `Cannot parse ${place}: ${problem.replace(/\.$/, "")}.`, {
    data: position === undefined ? {} : { line: position.line, column: position.column },
  });
}

function finish(text: string, exports: Map<string, string>, exportName: string): PreparedScript {
  const tail = `${exportSuffix(exports, exportName)}${TAIL}`;
  if (!SEMICOLON_FIRST.test(text)) {
    try {
      return { code: stripTypeScriptTypes(HEAD + text + tail), columnOffset: -HEAD.length };
    } catch {
      // Not erasable: printed anew below.
    }
  }
  const printed = stripTypeScriptTypes(HEAD + text + tail, { mode: "transform", sourceMap: true });
  const [code = "", encoded] = printed.split("//# sourceMappingURL=data:application/json;base64,");
  return {
    code,
    columnOffset: 0,
    ...(encoded === undefined ? {} : { map: new StackMap(encoded, HEAD.length) }),
  };
}

function exportSuffix(exports: Map<string, string>, exportName: string): string {
  const local = exports.get(exportName);
  if (local === undefined) {
    if (exportName === "default") return "";
    const known = exports.size === 0 ? "nothing" : [...exports.keys()].join(", ");
    throw new McpxError("script-error", `Cannot run the export ${exportName}: the script exports ${known}.`);
  }
  if (local === "") return "";
  return `\n;$mcpx.${exportName === "default" ? "default" : "$export"}=${local}`;
}

interface Fault extends Position {
  message: string;
}

/** What the parser says about a script, in the user's line and column. */
function parseFault(text: string): Fault | undefined {
  const wrapped = HEAD + text + TAIL;
  if (parses(wrapped)) return undefined;
  try {
    stripTypeScriptTypes(wrapped, { mode: "transform" });
    return undefined;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const [, line = "1", column = "1"] = /:(\d+):(\d+)\s*$/.exec(said) ?? [];
    const message = (said.split("\n")[0] ?? said).replace(/^SyntaxError: /, "");
    const lines = text.split("\n").length;
    return {
      message,
      line: Math.min(Number(line), lines),
      column: Math.max(1, Number(column) - (line === "1" ? HEAD.length : 0)),
    };
  }
}

function parses(wrapped: string): boolean {
  try {
    stripTypeScriptTypes(wrapped);
    return true;
  } catch {
    return false;
  }
}

/** Where the refused statement begins; the parser counts columns in characters, so a line with others is searched. */
function statementOffset(text: string, fault: Fault): number {
  let start = 0;
  for (let line = 1; line < fault.line; line++) start = text.indexOf("\n", start) + 1;
  const exact = start + fault.column - 1;
  if (/^(?:im|ex)port\b/.test(text.slice(exact, exact + 7))) return exact;
  const end = text.indexOf("\n", start);
  const places = [...text.slice(start, end < 0 ? undefined : end).matchAll(/\b(?:im|ex)port\b/g)].map((
    match,
  ) => match.index);
  const nearest = places.sort((a, b) => Math.abs(a - fault.column) - Math.abs(b - fault.column))[0] ?? 0;
  return start + nearest;
}

/**
 * Makes each dynamic import a call that rejects with the script's own position. Whether a match is code or stands in a string is asked of the
 * parser: breaking the word breaks code only. What slips through is refused again by the realm and by the resolve hook.
 */
function blockImportCalls(text: string): string {
  let out = text;
  let asked = 0;
  for (const match of text.matchAll(IMPORT_CALL)) {
    if (++asked > MAX_STATEMENTS) break;
    const broken = `${out.slice(0, match.index)}im@ort${out.slice(match.index + 6)}`;
    if (parseFault(broken) !== undefined) {
      out = `${out.slice(0, match.index)}$mport${out.slice(match.index + 6)}`;
    }
  }
  return out;
}
