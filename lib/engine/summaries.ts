/** A tool as listings and searches show it. */
export interface ToolSummary {
  /** `<namespace>.<fn>`. */
  name: string;
  /** The tool's own MCP name. */
  wireName: string;
  server: string;
  description?: string | undefined;
  signature: string;
  annotations?: Record<string, unknown> | undefined;
  findings?: { pointer: string; message: string; hint?: string | undefined }[] | undefined;
}

/** A server that could not be read, with the reason. */
export interface ServerProblem {
  server: string;
  code: string;
  message: string;
  hint?: string | undefined;
}
