import ts from "typescript";

/** A call as the compiler sees it. */
export interface CompilerCall {
  name: string;
  line: number;
  /** Offset of the callee. */
  start: number;
  /** Whether the root identifier is bound in the file. */
  bound: boolean;
  /** One of the spellings that the scanner leaves out on purpose. */
  blind: boolean;
}

interface Bound {
  locals?: ReadonlyMap<string, { flags: number }>;
}

const BINDS = ts.SymbolFlags.Value | ts.SymbolFlags.Alias | ts.SymbolFlags.ExportValue;

/** The calls of a file whose callee is `a.b` or `a["b"]`, or undefined where it does not parse. */
export function compilerCalls(path: string, text: string): CompilerCall[] | undefined {
  const file = parse(path, text);
  if (file === undefined) return undefined;
  const calls: CompilerCall[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const callee = calleeOf(node.expression);
      if (callee !== undefined) {
        const start = callee.root.getStart(file);
        calls.push({
          name: `${callee.root.text}.${callee.property}`,
          line: file.getLineAndCharacterOfPosition(start).line + 1,
          start,
          bound: isBound(node, callee.root.text),
          blind: node.typeArguments !== undefined || hasTypeBreak(node, text, file),
        });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return calls;
}

/** Parses a file, TypeScript by its extension and JSX where it wants it; undefined where it has syntax errors. */
function parse(path: string, text: string): ts.SourceFile | undefined {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const { parseDiagnostics } = file as ts.SourceFile & { parseDiagnostics?: readonly unknown[] };
  if (parseDiagnostics?.length) return undefined;
  const { bindSourceFile } = ts as typeof ts & {
    bindSourceFile(file: ts.SourceFile, options: ts.CompilerOptions): void;
  };
  bindSourceFile(file, {});
  return file;
}

function calleeOf(node: ts.Expression): { root: ts.Identifier; property: string } | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && ts.isIdentifier(node.name)) {
    return { root: node.expression, property: node.name.text };
  }
  if (
    ts.isElementAccessExpression(node) && ts.isIdentifier(node.expression) &&
    ts.isStringLiteral(node.argumentExpression)
  ) {
    return { root: node.expression, property: node.argumentExpression.text };
  }
  return undefined;
}

/** Whether a line break before the parenthesis stands where a type might end. */
function hasTypeBreak(node: ts.CallExpression, text: string, file: ts.SourceFile): boolean {
  const between = text.slice(node.expression.end, node.arguments.pos);
  return /[\r\n]/.test(between) && /[:|&]\s*$|typeof\s*$/.test(text.slice(0, node.getStart(file)));
}

/** Whether a name is bound between a node and the top of its file. */
function isBound(node: ts.Node, name: string): boolean {
  const key = ts.escapeLeadingUnderscores(name).toString();
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
    const symbol = (at as ts.Node & Bound).locals?.get(key);
    if (symbol !== undefined && (symbol.flags & BINDS) !== 0) return true;
    if ((ts.isFunctionExpression(at) || ts.isClassExpression(at)) && at.name?.text === name) return true;
  }
  return false;
}
