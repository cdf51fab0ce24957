import ts from "typescript";
import { LineSplitter } from "../lines.ts";
import type { CheckAnswer, CheckRequest, TypeProblem } from "./messages.ts";
import { WEB_GLOBALS } from "./web_globals.ts";

/*
 * The process that checks scripts against types. All texts are in memory; the only files that it can read are the compiler's own
 * declarations of the language. It is given one line for each check and answers with one.
 */

const SCRIPT = "/script.ts";
/** A script may return from its top level, which a module may not. */
const RETURN_OUTSIDE_FUNCTION = 1108;
const MOST_PROBLEMS = 100;

/** Checks what comes on standard input until it ends. */
export async function typeCheckMain(): Promise<void> {
  const checker = new Checker();
  const lines = new LineSplitter();
  const encoder = new TextEncoder();
  for await (const chunk of Deno.stdin.readable) {
    for (const line of lines.push(chunk)) {
      const request: CheckRequest = JSON.parse(line);
      const answer: CheckAnswer = { id: request.id, problems: checker.check(request) };
      let rest = encoder.encode(`${JSON.stringify(answer)}\n`);
      while (rest.length > 0) rest = rest.subarray(Deno.stdout.writeSync(rest));
    }
  }
}

class Checker {
  readonly #texts = new Map<string, { text: string; version: number }>([
    ["/web.d.ts", { text: WEB_GLOBALS, version: 1 }],
  ]);
  readonly #service = ts.createLanguageService(this.#host(), ts.createDocumentRegistry());

  check({ source, types }: CheckRequest): TypeProblem[] {
    this.#put("/tools.d.ts", types);
    this.#put("/mcpx.d.ts", moduleTypes(types));
    // Without an import or export it would be a script of TypeScript's kind, in which `await` may not stand alone.
    this.#put(SCRIPT, `${withoutReturns(source)}\nexport {};`);
    const found = [
      ...this.#service.getSyntacticDiagnostics(SCRIPT),
      ...this.#service.getSemanticDiagnostics(SCRIPT),
    ].filter(({ code }) => code !== RETURN_OUTSIDE_FUNCTION);
    return found.slice(0, MOST_PROBLEMS).map(({ file, start, messageText, code }) => {
      const { line, character } = file && start !== undefined
        ? file.getLineAndCharacterOfPosition(start)
        : { line: 0, character: 0 };
      return {
        line: line + 1,
        column: character + 1,
        code,
        message: ts.flattenDiagnosticMessageText(messageText, "\n"),
      };
    });
  }

  #put(name: string, text: string): void {
    const known = this.#texts.get(name);
    if (known?.text !== text) this.#texts.set(name, { text, version: (known?.version ?? 0) + 1 });
  }

  #host(): ts.LanguageServiceHost {
    const library = (name: string): boolean => /\/lib\.[\w.]+\.d\.ts$/.test(name);
    const read = (name: string): string | undefined =>
      this.#texts.get(name)?.text ?? (library(name) ? ts.sys.readFile(name) : undefined);
    return {
      getCompilationSettings: () => ({
        strict: true,
        noEmit: true,
        target: ts.ScriptTarget.ESNext,
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        moduleDetection: ts.ModuleDetectionKind.Force,
        lib: ["lib.esnext.d.ts"],
        types: [],
        noResolve: true,
      }),
      getScriptFileNames: () => ["/web.d.ts", "/tools.d.ts", "/mcpx.d.ts", SCRIPT],
      getScriptVersion: (name) => String(this.#texts.get(name)?.version ?? 0),
      getScriptSnapshot: (name) => {
        const text = read(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => "/",
      getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
      fileExists: (name) => this.#texts.has(name) || (library(name) && ts.sys.fileExists(name)),
      readFile: read,
    };
  }
}

/**
 * The compiler looks into no return at the top level, where a script may have one: as `throw`, which takes as many letters and ends the
 * script as well, its expression is checked.
 */
function withoutReturns(source: string): string {
  const file = ts.createSourceFile(SCRIPT, source, ts.ScriptTarget.ESNext);
  let out = source;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression !== undefined) {
      const start = node.getStart(file);
      out = `${out.slice(0, start)}throw ${out.slice(start + "return".length)}`;
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return out;
}

/** What `import … from "mcpx"` gives: the globals, under the same names. */
function moduleTypes(types: string): string {
  const namespaces = [...types.matchAll(/^ {2}readonly ([A-Za-z_$][\w$]*): \1\.Tools;$/gm)].map((match) =>
    match[1] ?? ""
  );
  const names = [
    ...["args", "call", "search", "describe", "emit", "log", "artifact", "tools", "ToolError"],
    ...namespaces,
  ];
  return [
    ...names.map((name) => `declare const $mcpx_${name}: typeof ${name};`),
    "type $mcpx_Error = ToolError;",
    'declare module "mcpx" {',
    ...names.map((name) => `  export const ${name}: typeof $mcpx_${name};`),
    "  export type ToolError = $mcpx_Error;",
    "}",
  ].join("\n");
}
