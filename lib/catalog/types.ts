import type { JsonObject, JsonSchema } from "../schema/types.ts";

/** A tool as the server sent it; unknown members are kept. */
export interface McpTool extends JsonObject {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: JsonSchema;
  outputSchema?: JsonSchema;
  annotations?: ToolAnnotations;
}

/** The behaviour hints of MCP's `ToolAnnotations`. */
export interface ToolAnnotations extends JsonObject {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** A prompt as the server sent it. */
export interface McpPrompt extends JsonObject {
  name: string;
  title?: string;
  description?: string;
  arguments?: { name: string; description?: string; required?: boolean }[];
}

/** A resource as the server sent it. */
export interface McpResource extends JsonObject {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

/** A resource template as the server sent it. */
export interface McpResourceTemplate extends JsonObject {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

/** What one reading of a server's lists gave, unfiltered and without anything lost. */
export interface ServerListing {
  serverInfo: JsonObject;
  protocolVersion: string;
  capabilities: JsonObject;
  instructions?: string;
  tools: McpTool[];
  prompts: McpPrompt[];
  resources: McpResource[];
  resourceTemplates: McpResourceTemplate[];
  /** Sentences about what was odd: duplicate names, repeated cursors, entries that are no objects. */
  warnings: string[];
}

/** What mcpx found odd in one tool's schemas; the tool is listed and callable all the same. */
export interface SchemaFinding {
  /** JSON pointer into the tool, such as `/inputSchema/properties/a/type`. */
  pointer: string;
  /** What is odd, in one sentence. */
  message: string;
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
  findings: SchemaFinding[];
}
