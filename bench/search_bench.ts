/**
 * Quality and speed of tool search: `deno run -A bench/search_bench.ts [--misses]`.
 *
 * Quality is recall over all labelled tools in the first k and the reciprocal rank of the first labelled tool,
 * averaged over queries; speed is taken over ten thousand tools made from the real ones.
 */
import { buildSearchIndex, type CatalogTool, type SearchIndex, searchTools } from "../lib/catalog/mod.ts";
import { loadGradedQueries, loadOwnQueries, measureRetrieval, type RetrievalQuery } from "./retrieval.ts";

function report(title: string, index: SearchIndex, queries: readonly RetrievalQuery[]): void {
  const { r1, r5, mrr, misses } = measureRetrieval(index, queries);
  print(`${title.padEnd(34)} R@1 ${r1.toFixed(3)}  R@5 ${r5.toFixed(3)}  MRR ${mrr.toFixed(3)}`);
  if (Deno.args.includes("--misses")) { for (const miss of misses) print(`    ${miss}`); }
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Copies of the real tools under changed names, so that the vocabulary grows as it would. */
function manyTools(tools: readonly CatalogTool[], count: number): CatalogTool[] {
  return Array.from({ length: count }, (_, at) => {
    const original = tools[at % tools.length] as CatalogTool;
    const copy = Math.floor(at / tools.length);
    const word = copy.toString(26).replace(/[0-9]/g, (digit) => "uvwxyzrstk"[Number(digit)] ?? "q");
    const name = copy === 0 ? original.tool.name : `${original.tool.name}_${word}${word}ext`;
    return {
      ...original,
      namespace: copy === 0 ? original.namespace : `${original.namespace}_${word}`,
      fn: name,
      tool: { ...original.tool, name },
    };
  });
}

function half(queries: readonly RetrievalQuery[], which: 0 | 1): RetrievalQuery[] {
  return queries.filter((_, at) => at % 2 === which);
}

const graded = loadGradedQueries();
const own = loadOwnQueries();
const gradedIndex = buildSearchIndex(graded.tools);
const ownIndex = buildSearchIndex(own.tools);
report("graded, 45 tools, all", gradedIndex, graded.queries);
report("graded, even half", gradedIndex, half(graded.queries, 0));
report("graded, odd half", gradedIndex, half(graded.queries, 1));
report("own, 527 tools, all", ownIndex, own.queries);
report("own, even half", ownIndex, half(own.queries, 0));
report("own, odd half", ownIndex, half(own.queries, 1));

const many = manyTools(own.tools, 10_000);
const started = performance.now();
const index = buildSearchIndex(many);
const built = performance.now();
const renewed = buildSearchIndex(many, { previous: index });
const rebuilt = performance.now();
print(`10,000 tools: index ${(built - started).toFixed(0)} ms, again ${(rebuilt - built).toFixed(0)} ms`);
const queries = [...graded.queries, ...own.queries].map(({ query }) => query);
queries.push("serach flies", "direcotry litsing", "get user list", "creatign a reposiotry");
for (let round = 0; round < 2; round++) for (const query of queries) searchTools(renewed, query);
const times: number[] = [];
for (let round = 0; round < 3; round++) {
  for (const query of queries) {
    const before = performance.now();
    searchTools(renewed, query, { limit: 20 });
    times.push(performance.now() - before);
  }
}
times.sort((a, b) => a - b);
const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
print(
  `a query: mean ${mean.toFixed(2)} ms, median ${times[times.length >> 1]?.toFixed(2)} ms, ` +
    `95 % ${times[Math.floor(times.length * 0.95)]?.toFixed(2)} ms, most ${times.at(-1)?.toFixed(2)} ms`,
);
