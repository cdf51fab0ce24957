/** The declarations of what every script finds, whatever servers there are. */
export const SCRIPT_GLOBALS = `/** Types that mcpx itself uses in scripts. */
declare namespace mcpx {
  /** One tool, as searches show it. */
  interface Tool {
    /** The name to call it by: \`ns.fn\`. */
    name: string;
    /** The tool's own MCP name. */
    wireName: string;
    server: string;
    description?: string;
    /** Its TypeScript signature in one line. */
    signature: string;
    annotations?: Record<string, unknown>;
  }
  /** A tool that a search found. */
  interface FoundTool extends Tool {
    score: number;
  }
  /** One tool in full. */
  interface ToolDescription {
    tool: Tool;
    /** Its TypeScript declaration. */
    types: string;
    inputSchema?: unknown;
    outputSchema?: unknown;
  }
  /** Where bytes were stored. */
  interface Artifact {
    id: string;
    /** The name, made safe for a file. */
    name: string;
    path: string;
    mimeType: string;
    bytes: number;
  }
  /** Writes a record at one level. */
  interface Log {
    (message: unknown, attributes?: Record<string, unknown>): void;
  }
  /** Writes records, at \`info\` where no level is said. */
  interface Logger extends Log {
    debug: Log;
    info: Log;
    warn: Log;
    error: Log;
    /** A logger whose records all carry these attributes. */
    with(attributes: Record<string, unknown>): Logger;
  }
}
/** The arguments that the script was started with. */
declare const args: any;
/** Calls a tool by name: \`ns.fn\`, with its identifier or its own MCP name. */
declare function call<Result = unknown>(name: string, args?: object): Promise<Result>;
/** Finds tools by words, best first. */
declare function search(query: string, options?: number | { limit?: number }): Promise<mcpx.FoundTool[]>;
/** Gives the description, schemas and signature of one tool. */
declare function describe(name: string): Promise<mcpx.ToolDescription>;
/** Adds a value to the results of the run. */
declare function emit(value: unknown): void;
/** Writes log records. */
declare const log: mcpx.Logger;
/** Stores data under a name; a value that is no text and no bytes is stored as JSON. */
declare function artifact(name: string, data: unknown): Promise<mcpx.Artifact>;
/** Thrown when a tool fails or cannot be called. */
declare class ToolError extends Error {
  readonly code: string;
  readonly hint?: string;
  readonly data?: Record<string, unknown>;
  readonly diagnostics?: readonly unknown[];
  /** The server's whole answer, where there was one. */
  readonly raw?: unknown;
}
`;
