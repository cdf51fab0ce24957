import { type CatalogTool, catalogWithinBudget } from "../catalog/mod.ts";
import { emitNamespace, emitTypes, signature } from "../schema/mod.ts";
import { recipeClosing } from "./recipes/recipe_tools.ts";
import type { ServerProblem, ToolSummary } from "./summaries.ts";
import type { Caller } from "./caller.ts";
import type { Engine } from "./engine.ts";

/** Which servers a listing is about. */
export interface ListingScope {
  namespace?: string | undefined;
  cached?: boolean | undefined;
}

/** One tool with all that is known of it. */
export interface ToolDescription {
  tool: ToolSummary;
  /** Its TypeScript declaration. */
  types: string;
  inputSchema?: unknown;
  outputSchema?: unknown;
}

/** The tools that a caller sees. */
export async function listTools(
  engine: Engine,
  caller: Caller,
  scope: ListingScope,
): Promise<{ tools: ToolSummary[]; problems: ServerProblem[] }> {
  const { tools, problems } = await readTools(engine, caller, scope);
  return { tools: tools.map(summarise), problems };
}

/** The tools that fit a request in words, best first. */
export async function searchCatalog(
  engine: Engine,
  caller: Caller,
  input: { query: string; limit?: number | undefined; cached?: boolean | undefined },
): Promise<{ tools: (ToolSummary & { score: number })[]; problems: ServerProblem[] }> {
  const problems = input.cached ? [] : await engine.readListings(caller);
  const limit = input.limit ?? caller.settings.get("search.limit");
  const found = engine.catalog.search(input.query, limit, caller.settings.get("servers.groups"));
  return {
    tools: found.map(({ tool, score }) => ({ ...summarise(tool), score: Math.round(score * 1000) / 1000 })),
    problems,
  };
}

/** One tool: signature, declaration and schemas. */
export async function describeTool(engine: Engine, caller: Caller, name: string): Promise<ToolDescription> {
  const tool = await engine.resolveTool(name, caller);
  return {
    tool: summarise(tool),
    types: emitNamespace({ namespace: tool.namespace, server: tool.server, tools: [tool] }),
    inputSchema: tool.tool.inputSchema,
    ...(tool.tool.outputSchema === undefined ? {} : { outputSchema: tool.tool.outputSchema }),
  };
}

/** The TypeScript declarations of one server's tools, or of all. */
export async function emitCatalogTypes(
  engine: Engine,
  caller: Caller,
  scope: ListingScope,
): Promise<{ types: string; problems: ServerProblem[] }> {
  const { tools, problems } = await readTools(engine, caller, scope);
  const byNamespace = Map.groupBy(tools, (tool) => tool.namespace);
  const namespaces = [...byNamespace].map(([namespace, members]) => {
    const { definition } = engine.catalog.server(namespace);
    const { name, description } = definition;
    return { namespace, server: name, ...(description === undefined ? {} : { description }), tools: members };
  });
  return { types: emitTypes(namespaces), problems };
}

/** As much of the catalog as fits a number of tokens. */
export async function catalogText(
  engine: Engine,
  caller: Caller,
  input: { budget?: number | undefined; cached?: boolean | undefined },
): Promise<{ catalog: string; problems: ServerProblem[] }> {
  const { tools, problems } = await readTools(
    engine,
    caller,
    input.cached === undefined ? {} : { cached: input.cached },
  );
  const tokens = input.budget ?? caller.settings.get("catalog.budget");
  const recipes = await recipeClosing(engine, caller);
  return { catalog: catalogWithinBudget(tools, { tokens, recipes, signature: afterName }), problems };
}

/** A tool's signature without the name, which the catalog writes itself. */
function afterName(tool: CatalogTool): string {
  const whole = signature(tool);
  return whole.slice(whole.indexOf("("));
}

async function readTools(
  engine: Engine,
  caller: Caller,
  scope: ListingScope,
): Promise<{ tools: CatalogTool[]; problems: ServerProblem[] }> {
  const only = scope.namespace === undefined
    ? undefined
    : engine.catalog.server(scope.namespace).definition.name;
  const problems = scope.cached ? [] : await engine.readListings(caller, only === undefined ? {} : { only });
  const servers = only === undefined ? engine.visibleServers(caller) : [engine.catalog.server(only)];
  return { tools: servers.flatMap((entry) => engine.catalog.toolsOf(entry)), problems };
}

/** What listings and searches show of a tool. */
export function summarise(entry: CatalogTool): ToolSummary {
  const { tool, findings } = entry;
  return {
    name: `${entry.namespace}.${entry.fn}`,
    wireName: tool.name,
    server: entry.server,
    ...(typeof tool.description === "string" ? { description: tool.description } : {}),
    signature: signature(entry),
    ...(tool.annotations ? { annotations: tool.annotations } : {}),
    ...(findings.length > 0 ? { findings } : {}),
  };
}
