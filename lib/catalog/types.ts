import type { JsonObject, JsonSchema } from "../schema/types.ts";

/** A tool as the server sent it; unknown members are kept. */
export interface McpTool extends JsonObject {
  /** The name that the server knows it by. */
  name: string;
  /** A name for people. */
  title?: string;
  /** What it does. */
  description?: string;
  /** The schema of its arguments. */
  inputSchema?: JsonSchema;
  /** The schema of its structured result. */
  outputSchema?: JsonSchema;
  /** What it says of its effects. */
  annotations?: ToolAnnotations;
}

/** The behaviour hints of MCP's `ToolAnnotations`. */
export interface ToolAnnotations extends JsonObject {
  /** A name for people. */
  title?: string;
  /** Whether it changes nothing. */
  readOnlyHint?: boolean;
  /** Whether it may destroy something. */
  destructiveHint?: boolean;
  /** Whether doing it twice is the same as once. */
  idempotentHint?: boolean;
  /** Whether it deals with a world beyond the server's own. */
  openWorldHint?: boolean;
}

/** A prompt as the server sent it. */
export interface McpPrompt extends JsonObject {
  /** The name that the server knows it by. */
  name: string;
  /** A name for people. */
  title?: string;
  /** What it is for. */
  description?: string;
  /** What it takes. */
  arguments?: { name: string; description?: string; required?: boolean }[];
}

/** A resource as the server sent it. */
export interface McpResource extends JsonObject {
  /** Its address. */
  uri: string;
  /** Its name. */
  name: string;
  /** A name for people. */
  title?: string;
  /** What it holds. */
  description?: string;
  /** The type of its content. */
  mimeType?: string;
}

/** A resource template as the server sent it. */
export interface McpResourceTemplate extends JsonObject {
  /** The template of its addresses, as RFC 6570 has it. */
  uriTemplate: string;
  /** Its name. */
  name: string;
  /** A name for people. */
  title?: string;
  /** What it gives. */
  description?: string;
  /** The type of its content. */
  mimeType?: string;
}

/** How long an answer may be kept, and for whom (2026-07-28). */
export interface CacheHint {
  /** How long, ms; 0: not at all. */
  ttlMs: number;
  /** Whether it may be shared between users. */
  cacheScope: "public" | "private";
}

/** What one reading of a server's lists gave, unfiltered and without anything lost. */
export interface ServerListing {
  /** What the server says of itself. */
  serverInfo: JsonObject;
  /** The revision that was agreed on. */
  protocolVersion: string;
  /** What the server can do. */
  capabilities: JsonObject;
  /** What the server tells its callers. */
  instructions?: string;
  /** Its tools. */
  tools: McpTool[];
  /** Its prompts. */
  prompts: McpPrompt[];
  /** Its resources. */
  resources: McpResource[];
  /** Its resource templates. */
  resourceTemplates: McpResourceTemplate[];
  /** What the server says of how long each list may be kept; servers before 2026-07-28 say nothing. */
  cacheHints?: ListCacheHints;
  /** Sentences about what was odd: duplicate names, repeated cursors, entries that are no objects. */
  warnings: string[];
}

/** The cache hints of a server's lists. */
export interface ListCacheHints {
  /** Of `tools/list`. */
  tools?: CacheHint;
  /** Of `prompts/list`. */
  prompts?: CacheHint;
  /** Of `resources/list`. */
  resources?: CacheHint;
  /** Of `resources/templates/list`. */
  resourceTemplates?: CacheHint;
}

/** What mcpx found odd in one tool's schemas; the tool is listed and callable all the same. */
export interface SchemaFinding {
  /** JSON pointer into the tool, such as `/inputSchema/properties/a/type`. */
  pointer: string;
  /** What is odd, in one sentence. */
  message: string;
  /** What to do about it. */
  hint?: string;
}

/** A tool as the catalog offers it. */
export interface CatalogTool {
  /** The namespace it is called under: a legal identifier. */
  namespace: string;
  /** Its identifier inside the namespace. */
  fn: string;
  /** The server's name in the configuration. */
  server: string;
  /** The wire name is `tool.name`. */
  tool: McpTool;
  /** What is odd about its schemas. */
  findings: SchemaFinding[];
}
