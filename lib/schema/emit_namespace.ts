import type { CatalogTool } from "../catalog/types.ts";
import { jsDoc } from "./js_doc.ts";
import { propertyKey } from "./literal.ts";
import { type NamedTarget, planReferences } from "./reference_plan.ts";
import { argumentsRequired } from "./arguments_required.ts";
import { SchemaDocument } from "./schema_document.ts";
import { nameTypes, pascalCase } from "./type_names.ts";
import { TypeWriter } from "./type_writer.ts";
import type { JsonSchema } from "./types.ts";
import { usableInput, usableOutput } from "./usable_schema.ts";

/** One upstream, ready to be written as types. */
export interface NamespaceTypes {
  /** The identifier its tools are called under. */
  namespace: string;
  /** The server's name in the configuration. */
  server: string;
  /** What the server is for. */
  description?: string;
  /** Its tools. */
  tools: readonly CatalogTool[];
}

/** One schema of a tool on its way to text. */
interface PlannedSchema {
  document: SchemaDocument;
  rootName: string;
  targets: NamedTarget[];
}

interface PlannedTool {
  tool: CatalogTool;
  input: PlannedSchema;
  output: PlannedSchema | undefined;
}

/** The named types of one namespace. */
interface SharedTypes {
  /** Identity of a target -> its name. */
  names: ReadonlyMap<string, string>;
  /** Name -> declaration, for those that are written. */
  types: Map<string, string>;
  needs: Map<string, Set<string>>;
}

/**
 * Writes the TypeScript declarations of one upstream.
 *
 * A `declare namespace` holds the named types and the interface `Tools`, and a constant of the same name has that
 * interface; so every tool answers to its identifier (`ns.get_user`, `ns.delete`) and to its wire name in brackets
 * (`ns["get-user"]`). The text is the same whatever the order of the tools, and compiles whatever they hold.
 *
 * @param upstream the namespace, the server's name, and its tools
 * @returns declarations, ending in a line end
 * @see spec/01, "Types"
 *
 * @example
 * ```ts
 * import { emitNamespace } from "./emit_namespace.ts";
 * const tool = { namespace: "demo", fn: "echo", server: "demo", tool: { name: "echo" }, findings: [] };
 * console.assert(emitNamespace({ namespace: "demo", server: "demo", tools: [tool] }).includes("echo(args?:"));
 * ```
 */
export function emitNamespace(upstream: NamespaceTypes): string {
  const tools = [...new Map(upstream.tools.map((tool) => [tool.fn, tool])).values()].sort(byFunction).map(
    plan,
  );
  const schemas = tools.flatMap(({ input, output }) => output ? [input, output] : [input]);
  const names = nameTypes(
    schemas.flatMap(({ targets, rootName }) => targets.map((target) => ({ target, rootName }))),
  );
  const shared: SharedTypes = { names, types: new Map(), needs: new Map() };
  const written = tools.map((tool) => writeTool(tool, shared)).join("");
  const aliases = writeAliases(tools.map(({ tool }) => tool));
  const head = jsDoc([`Server: ${upstream.server}`, textOf(upstream.description)], "  ");
  const named = [...shared.types].sort(([a], [b]) => compare(a, b)).map(([, text]) => text).join("");
  return `declare namespace ${upstream.namespace} {\n${named}${head}  interface Tools {\n${written}${aliases}  }\n}\n` +
    `declare const ${upstream.namespace}: ${upstream.namespace}.Tools;\n`;
}

function plan(tool: CatalogTool): PlannedTool {
  const output = usableOutput(tool.tool);
  return {
    tool,
    input: planSchema(usableInput(tool.tool), tool, "Args"),
    output: output === undefined ? undefined : planSchema(output, tool, "Result"),
  };
}

function planSchema(schema: JsonSchema, tool: CatalogTool, role: "Args" | "Result"): PlannedSchema {
  const document = new SchemaDocument(schema);
  return {
    document,
    rootName: `${pascalCase(tool.fn)}${role}`,
    targets: planReferences(document, `${tool.fn}\0${role}`),
  };
}

function writeTool(planned: PlannedTool, shared: SharedTypes): string {
  const { tool: { fn, tool }, input, output } = planned;
  const optional = argumentsRequired(input.document) ? "" : "?";
  const args = writeSchema(input, shared);
  const result = output ? writeSchema(output, shared) : "unknown";
  const doc = jsDoc([
    textOf(tool.description) || textOf(tool.title),
    tool.name === fn ? "" : `Wire name: ${JSON.stringify(tool.name)}`,
    hintsOf(tool.annotations),
  ], "    ");
  return `${doc}    ${propertyKey(fn)}(args${optional}: ${args}): Promise<${result}>;\n`;
}

/** Writes a schema's type, and the named types it brings that are not written yet. */
function writeSchema(planned: PlannedSchema, { names, types, needs }: SharedTypes): string {
  const local = new Map(planned.targets.map(({ pointer, identity }) => [pointer, names.get(identity)]));
  const nameOf = ({ pointer }: { pointer: string }): string | undefined => local.get(pointer);
  const writer = new TypeWriter(planned.document, { multiline: true, nameOf, needs });
  for (const target of planned.targets) {
    const name = names.get(target.identity);
    if (name === undefined || types.has(name)) continue;
    types.set(name, `  type ${name} = ${writer.writeNamed(name, target, "  ")};\n`);
  }
  return local.get("") ?? writer.write(undefined, "    ");
}

/** The wire names that are no identifiers, for `ns["get-user"]`; `then` would make the namespace awaitable. */
function writeAliases(tools: readonly CatalogTool[]): string {
  const taken = new Set(tools.map(({ fn }) => fn));
  const lines: string[] = [];
  for (const { fn, tool: { name } } of tools) {
    if (taken.has(name) || name === "then") continue;
    taken.add(name);
    lines.push(`    ${propertyKey(name)}: Tools[${JSON.stringify(fn)}];\n`);
  }
  return lines.join("");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

const HINTS = [["readOnlyHint", "read-only"], ["destructiveHint", "destructive"], [
  "idempotentHint",
  "idempotent",
]] as const;

function hintsOf(annotations: unknown): string {
  if (typeof annotations !== "object" || annotations === null) return "";
  const held = new Map(Object.entries(annotations));
  const words = HINTS.filter(([hint]) => held.get(hint) === true).map(([, word]) => word);
  return words.length === 0 ? "" : `Hints: ${words.join(", ")}.`;
}

function byFunction(a: CatalogTool, b: CatalogTool): number {
  return compare(a.fn, b.fn);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
