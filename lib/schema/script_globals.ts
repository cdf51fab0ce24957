/** The declarations of what every script finds, whatever servers there are. */
export const SCRIPT_GLOBALS = `/** Types that mcpx itself uses in scripts. */
declare namespace mcpx {
  /** One tool that a search found. */
  interface FoundTool {
    /** The name to call it by: \`ns.fn\`. */
    tool: string;
    description?: string;
    /** Its TypeScript signature in one line. */
    signature?: string;
    [member: string]: unknown;
  }
  /** One tool in full. */
  interface ToolDescription extends FoundTool {
    inputSchema?: unknown;
    outputSchema?: unknown;
  }
  /** Where bytes were stored. */
  interface Artifact {
    id: string;
    [member: string]: unknown;
  }
  /** Writes a record at one level. */
  type Log = (message: unknown, attributes?: Record<string, unknown>) => void;
}
/** The arguments that the script was started with. */
declare const args: any;
/** Calls a tool by name: \`ns.fn\`, with its identifier or its own MCP name. */
declare function call<Result = unknown>(name: string, args?: object): Promise<Result>;
/** Finds tools by words, best first. */
declare function search(query: string, limit?: number): Promise<mcpx.FoundTool[]>;
/** Gives the description, schemas and signature of one tool. */
declare function describe(name: string): Promise<mcpx.ToolDescription>;
/** Adds a value to the results of the run. */
declare function emit(value: unknown): void;
/** Writes log records. */
declare const log: { debug: mcpx.Log; info: mcpx.Log; warn: mcpx.Log; error: mcpx.Log };
/** Stores data under a name; a value that is no text and no bytes is stored as JSON. */
declare function artifact(name: string, data: unknown, mimeType?: string): Promise<mcpx.Artifact>;
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
