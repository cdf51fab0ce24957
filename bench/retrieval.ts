import { type CatalogTool, type SearchIndex, searchTools } from "../lib/catalog/mod.ts";

/** A query with the tools (`server:tool`) that answer it. */
export interface RetrievalQuery {
  query: string;
  tools: string[];
}

/** How well a set of queries is answered. */
export interface RetrievalFigures {
  /** Recall over all labelled tools in the first k, averaged over queries. */
  r1: number;
  r5: number;
  /** Reciprocal rank of the first labelled tool, averaged over queries. */
  mrr: number;
  /** One line for each query whose first answer is not a labelled tool. */
  misses: string[];
}

interface StoredTool {
  server: string;
  tool: string;
  description?: string;
  inputSchema?: CatalogTool["tool"]["inputSchema"];
  schema?: CatalogTool["tool"]["inputSchema"];
}

function read<Shape>(name: string): Shape {
  return JSON.parse(Deno.readTextFileSync(new URL(`../tests/fixtures/${name}`, import.meta.url)));
}

function toCatalog({ tools }: { tools: StoredTool[] }): CatalogTool[] {
  return tools.map(({ server, tool, description, inputSchema, schema }) => ({
    namespace: server.replace(/[^A-Za-z0-9_]/g, "_"),
    fn: tool.replace(/[^A-Za-z0-9_]/g, "_"),
    server,
    tool: { name: tool, description, inputSchema: inputSchema ?? schema },
    findings: [],
  }));
}

/** The 45 tools and 24 graded queries of mcpproxy-go's evaluation set. */
export function loadGradedQueries(): { tools: CatalogTool[]; queries: RetrievalQuery[] } {
  const stored = read<
    { queries: { query: string; labels: { tool_id: string; relevance: number }[] }[] }
  >("retrieval-queries.json");
  return {
    tools: toCatalog(read("retrieval-corpus.tools.json")),
    queries: stored.queries.map(({ query, labels }) => ({
      query,
      tools: labels.filter(({ relevance }) => relevance > 0).map(({ tool_id }) => tool_id),
    })),
  };
}

/** The 527 tools of LiveMCPTool with queries written for this project. */
export function loadOwnQueries(): { tools: CatalogTool[]; queries: RetrievalQuery[] } {
  return {
    tools: toCatalog(read("livemcptool.tools.json")),
    queries: read("retrieval-own-queries.json"),
  };
}

/** Runs queries against an index and measures the answers. */
export function measureRetrieval(index: SearchIndex, queries: readonly RetrievalQuery[]): RetrievalFigures {
  const figures: RetrievalFigures = { r1: 0, r5: 0, mrr: 0, misses: [] };
  for (const { query, tools } of queries) {
    const ids = searchTools(index, query, { limit: index.tools.length })
      .map(({ tool }) => `${tool.server}:${tool.tool.name}`);
    const recall = (k: number): number =>
      ids.slice(0, k).filter((id) => tools.includes(id)).length / tools.length / queries.length;
    const rank = ids.findIndex((id) => tools.includes(id));
    figures.r1 += recall(1);
    figures.r5 += recall(5);
    if (rank >= 0) figures.mrr += 1 / (rank + 1) / queries.length;
    if (rank !== 0) {
      figures.misses.push(`${rank + 1}: ${query} -> ${ids.slice(0, 4).join(", ")} (${tools.join(", ")})`);
    }
  }
  return figures;
}
