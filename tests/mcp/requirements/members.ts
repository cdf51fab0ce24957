/** Which members the objects that mcpx makes may have in a revision, as its published schema names them. */
export interface Members {
  initialize: string[];
  serverInfo: string[];
  capabilities: string[];
  tool: string[];
  callResult: string[];
  progress: string[];
  log: string[];
}

/** Reads them off for a revision: what it began with, and what came since. */
export function membersOf(version: string): Members {
  const since = (revision: string, ...names: string[]): string[] => version >= revision ? names : [];
  return {
    initialize: ["protocolVersion", "capabilities", "serverInfo", "instructions", "_meta"],
    serverInfo: [
      "name",
      "version",
      ...since("2025-06-18", "title"),
      ...since("2025-11-25", "description", "icons", "websiteUrl"),
    ],
    capabilities: [
      "experimental",
      "logging",
      "prompts",
      "resources",
      "tools",
      ...since("2025-03-26", "completions"),
      ...(version === "2025-11-25" ? ["tasks"] : []),
      ...since("2026-07-28", "extensions"),
    ],
    tool: [
      "name",
      "description",
      "inputSchema",
      ...since("2025-03-26", "annotations"),
      ...since("2025-06-18", "title", "outputSchema", "_meta"),
      ...since("2025-11-25", "icons"),
      ...(version === "2025-11-25" ? ["execution"] : []),
    ],
    callResult: [
      "content",
      "isError",
      "_meta",
      ...since("2025-06-18", "structuredContent"),
      ...since("2026-07-28", "resultType"),
    ],
    progress: ["progressToken", "progress", "total", ...since("2025-03-26", "message")],
    log: ["level", "logger", "data"],
  };
}
