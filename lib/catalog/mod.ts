/** The catalog: finding, naming, filtering and presenting the tools of every upstream. @module */
export { buildSearchIndex, type SearchIndex } from "./search_index.ts";
export { type RankedTool, searchTools } from "./search_tools.ts";
export * from "./types.ts";
