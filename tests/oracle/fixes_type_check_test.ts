import assert from "node:assert/strict";
import ts from "typescript";
import type { CatalogTool } from "../../lib/catalog/mod.ts";
import { deriveFunctions, deriveNamespaces } from "../../lib/catalog/names.ts";
import { type DiagnosedTool, diagnoseScript, explainCall } from "../../lib/diagnose/mod.ts";
import { emitTypes } from "../../lib/schema/mod.ts";

interface RealTool {
  server: string;
  tool: string;
  inputSchema: { properties?: Record<string, { type?: unknown }> };
}

/** The 527 tools of real servers, by the namespace that mcpx gives each server. */
async function realTools(): Promise<Map<string, CatalogTool[]>> {
  const file = new URL("../fixtures/livemcptool.tools.json", import.meta.url);
  const { tools }: { tools: RealTool[] } = JSON.parse(await Deno.readTextFile(file));
  const byServer = Map.groupBy(tools, ({ server }) => server);
  const namespaces = deriveNamespaces([...byServer.keys()].map((name) => ({ name })));
  return new Map([...byServer].map(([server, own]) => {
    const namespace = namespaces.get(server) ?? server;
    const functions = deriveFunctions(own.map(({ tool }) => tool));
    return [
      namespace,
      own.map(({ tool, inputSchema }): CatalogTool => ({
        namespace,
        fn: functions.get(tool) ?? tool,
        server,
        tool: { name: tool, inputSchema },
        findings: [],
      })),
    ];
  }));
}

/** The type errors of a module beside a declaration file: the lines of the module that have one, with what it is. */
function typeErrors(declarations: string, module: string): Map<number, string> {
  const files: Record<string, string> = { "tools.d.ts": declarations, "fixes.ts": module };
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    lib: ["lib.esnext.d.ts"],
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.fileExists = (name) => Object.hasOwn(files, name) || ts.sys.fileExists(name);
  host.getSourceFile = (name, target) => {
    const text = Object.hasOwn(files, name) ? files[name] : undefined;
    return text === undefined ? read(name, target) : ts.createSourceFile(name, text, target);
  };
  const found = ts.getPreEmitDiagnostics(ts.createProgram(Object.keys(files), options, host));
  return new Map(found.map(({ file, start = 0, messageText }) => [
    file === undefined ? -1 : file.getLineAndCharacterOfPosition(start).line,
    ts.flattenDiagnosticMessageText(messageText, "\n"),
  ]));
}

/** Calls of a tool that are wrong in every way that there is. */
function wrongCalls({ namespace, fn, tool }: CatalogTool): string[] {
  const callee = `await ${namespace}.${fn}`;
  const { properties = {} } = tool.inputSchema as RealTool["inputSchema"];
  const calls = [`${callee}()`, `${callee}({})`];
  for (const [name, { type }] of Object.entries(properties)) {
    const key = JSON.stringify(name);
    for (const value of ['"text"', "5", "1.5", "true", "[]", "{}", '"5"', "null"]) {
      // What is in an object that was written stays as it was written, right or wrong.
      if (value !== "{}" || (typeof type === "string" && type !== "object")) {
        calls.push(`${callee}({ ${key}: ${value} })`);
      }
    }
    calls.push(`${callee}({ ${JSON.stringify(`${name}x`)}: 1 })`);
  }
  return calls;
}

Deno.test("every fix of a wrong call of a real tool type-checks", async () => {
  const tools = await realTools();
  const namespaces = new Map([...tools].map(([namespace, own]) => {
    const known = new Map<string, DiagnosedTool>();
    for (const { fn, tool } of own) {
      known.set(fn, { wire: tool.name, fn, ...(tool.inputSchema ? { inputSchema: tool.inputSchema } : {}) });
    }
    return [namespace, { server: namespace, tools: known }];
  }));
  const fixes = new Set<string>();
  for (const tool of [...tools.values()].flat()) {
    for (const call of wrongCalls(tool)) {
      for (const { fix } of diagnoseScript(call, { namespaces })) if (fix !== undefined) fixes.add(fix);
    }
    const { namespace, fn } = tool;
    const rejected = explainCall({
      namespace,
      fn,
      inputSchema: tool.tool.inputSchema,
      arguments: {},
      answer: { kind: "rpc-error", code: -32602, message: "Invalid params" },
    });
    for (const { fix } of rejected) if (fix !== undefined) fixes.add(fix);
  }
  const lines = [...fixes];
  assert.ok(lines.length > 1000, `${lines.length} fixes`);
  const declarations = emitTypes(
    [...tools].map(([namespace, own]) => ({ namespace, server: own[0]?.server ?? namespace, tools: own })),
  );
  const errors = typeErrors(declarations, [...lines, "export {};"].join("\n"));
  const told = [...errors].slice(0, 20).map(([line, text]) => `${lines[line] ?? "declarations"}\n  ${text}`);
  assert.equal(errors.size, 0, `${errors.size} of ${lines.length}:\n${told.join("\n")}`);
});
