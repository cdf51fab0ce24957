import { nearest } from "../catalog/nearest.ts";
import { explainingChange } from "./explaining_change.ts";
import { checkArguments } from "./check_arguments.ts";
import { fixCall } from "./fix_call.ts";
import { scan } from "./scan.ts";
import { ToolSchema } from "./tool_schema.ts";
import type {
  ChangeLookup,
  DiagnosedCatalog,
  DiagnosedNamespace,
  DiagnosedTool,
  Finding,
  ToolCallSite,
} from "./types.ts";
import { calleeSource, oneLine } from "./value_source.ts";

/** Findings beyond this many are left out: they say nothing new. */
export const MOST_FINDINGS = 200;

/**
 * Finds the calls in a script that do not fit the tools as they are.
 *
 * @param source the script's source, TypeScript or JavaScript
 * @param catalog the namespaces and tools that there are
 * @param changes what is recorded about each tool, which is joined to what it explains
 * @returns the findings in the order of the script, fatal ones and others (Diagnose, "Findings on a script")
 *
 * @example
 * ```ts
 * import { diagnoseScript } from "./diagnose_script.ts";
 * const echo = { wire: "echo", fn: "echo", inputSchema: { required: ["message"] } };
 * const namespaces = new Map([["demo", { server: "demo", tools: new Map([["echo", echo]]) }]]);
 * const [finding] = diagnoseScript("await demo.echo()", { namespaces });
 * console.assert(finding?.kind === "missing-argument" && finding.field === "message");
 * ```
 */
export function diagnoseScript(
  source: string,
  catalog: DiagnosedCatalog,
  changes: ChangeLookup = () => [],
): Finding[] {
  const { calls } = scan(source, { namespaces: new Set(catalog.namespaces.keys()) });
  const script: Script = { source, catalog, changes };
  const findings: Finding[] = [];
  for (const call of calls) {
    if (findings.length >= MOST_FINDINGS) break;
    if (!call.shadowed) findings.push(...diagnoseCallSite(call, script));
  }
  return findings;
}

interface Script {
  source: string;
  catalog: DiagnosedCatalog;
  changes: ChangeLookup;
}

/** Flattened input by tool, so that a tool that is called often is flattened once for as long as the catalog has it. */
const schemas = new WeakMap<DiagnosedTool, ToolSchema>();

function diagnoseCallSite(call: ToolCallSite, script: Script): Finding[] {
  const namespace = script.catalog.namespaces.get(call.namespace);
  if (namespace === undefined) return [unknownNamespace(call, script)];
  if (namespace.unread) return [];
  const tool = namespace.tools.get(call.fn);
  if (tool === undefined) return [unknownTool(call, namespace, script)];
  let schema = schemas.get(tool);
  if (schema === undefined) {
    schema = new ToolSchema(tool.inputSchema);
    schemas.set(tool, schema);
  }
  const problems = checkArguments(call.argument, schema, script.changes(namespace.server, tool.wire));
  if (problems.length === 0) return [];
  const fix = fixCall(script.source, call, { schema, problems });
  return problems.map(({ fatal, kind, field, message, changed, suggestion }) => ({
    kind,
    tool: `${call.namespace}.${tool.fn}`,
    field,
    message,
    ...(changed === undefined ? {} : { changed }),
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(fix === undefined ? {} : { fix }),
    fatal,
    ...placeOf(call, script.source),
  }));
}

function placeOf(call: ToolCallSite, source: string): Pick<Finding, "line" | "column" | "wrote" | "span"> {
  const start = call.awaitStart ?? call.start;
  return {
    line: call.line,
    column: call.column,
    wrote: oneLine(source.slice(start, Math.min(call.end, start + 2000))),
    span: { start, end: call.end },
  };
}

function unknownNamespace(call: ToolCallSite, script: Script): Finding {
  const [suggestion] = nearest(call.namespace, script.catalog.namespaces.keys(), 1);
  const message = `there is no namespace ${call.namespace}${
    suggestion === undefined ? "" : `: did you mean ${suggestion}?`
  }`;
  return {
    kind: "unknown-namespace",
    tool: `${call.namespace}.${call.fn}`,
    message,
    ...renamed(suggestion, (name) => `tools.${name}`, call, script),
    fatal: true,
    ...placeOf(call, script.source),
  };
}

function unknownTool(call: ToolCallSite, namespace: DiagnosedNamespace, script: Script): Finding {
  const [suggestion] = nearest(call.fn, namespace.tools.keys(), 1);
  const message = `there is no tool ${call.fn} in ${call.namespace}${
    suggestion === undefined ? "" : `: did you mean ${suggestion}?`
  }`;
  const changed = explainingChange(script.changes(namespace.server, call.fn), ["tool-removed"]);
  const root = call.viaTools ? `tools.${call.namespace}` : call.namespace;
  return {
    kind: "unknown-tool",
    tool: `${call.namespace}.${call.fn}`,
    message,
    ...(changed === undefined ? {} : { changed }),
    ...renamed(suggestion, (name) => calleeSource(root, name), call, script),
    fatal: true,
    ...placeOf(call, script.source),
  };
}

/** The suggestion, and the call with it in place, where that stays short. */
function renamed(
  suggestion: string | undefined,
  callee: (name: string) => string,
  call: ToolCallSite,
  script: Script,
): Pick<Finding, "suggestion" | "fix"> {
  if (suggestion === undefined) return {};
  const isNamespace = script.catalog.namespaces.has(suggestion) &&
    !script.catalog.namespaces.has(call.namespace);
  const namespace = script.catalog.namespaces.get(isNamespace ? suggestion : call.namespace);
  const tool = namespace?.tools.get(isNamespace ? call.fn : suggestion);
  const text = isNamespace ? calleeSource(callee(suggestion), call.fn) : callee(suggestion);
  const schema = new ToolSchema(tool?.inputSchema);
  const problems = tool === undefined ? [] : checkArguments(call.argument, schema, []);
  const fix = fixCall(script.source, call, { schema, problems, callee: text });
  return { suggestion, ...(fix === undefined ? {} : { fix }) };
}
