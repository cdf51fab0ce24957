/** The catalog: finding, naming, filtering, unwrapping and presenting the tools of every upstream. @module */
export { type BudgetOptions, catalogWithinBudget } from "./budget.ts";
export { mergeCacheHints, readCacheHint } from "./cache_hint.ts";
export { checkStructured, type StructuredWarning, type ValidateValue } from "./check_structured.ts";
export { type BinaryReference, extractBinary, type StoreBinary } from "./extract_binary.ts";
export { compileToolFilter, type ToolVisibility, toolVisible } from "./filter.ts";
export { CACHE_FORMAT, parseCachedListing } from "./format_version.ts";
export {
  deriveFunctions,
  deriveNamespaces,
  exposedName,
  exposeNames,
  hashTail,
  isIdentifier,
  type NamedServer,
  type NamedTool,
} from "./names.ts";
export { editDistance, nearest } from "./nearest.ts";
export { indentedJson } from "./indented_json.ts";
export { previewText, type TextPreview, utf8Length } from "./preview_text.ts";
export { type CatalogView, catalogView, resolveTool } from "./resolve.ts";
export { sameJson } from "./same_json.ts";
export { buildSearchIndex, byName, type Postings, type SearchIndex, type ToolTerms } from "./search_index.ts";
export { type RankedTool, searchTools } from "./search_tools.ts";
export { stem } from "./stem.ts";
export { tokenise } from "./tokenise.ts";
export { type UnwrappedResult, unwrapResult } from "./unwrap.ts";
export { matchUriTemplate, readUriTemplate, type UriTemplate } from "./uri_template.ts";
export type {
  CacheHint,
  CatalogTool,
  ListCacheHints,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpTool,
  SchemaFinding,
  ServerListing,
  ToolAnnotations,
} from "./types.ts";
