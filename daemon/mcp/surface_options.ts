import type { RequestSettings } from "../../lib/engine/settings_stack.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import type { CallerIdentity } from "../../lib/pool/mod.ts";

/** Who sends a request, as its headers say. */
export interface RequestOrigin {
  identity: CallerIdentity;
  env?: Readonly<Record<string, string>>;
  values?: RequestSettings["values"];
  /** Whether mcpx's own bridge carries it, which knows no tool's schema. */
  isBridge: boolean;
}

/** What the MCP surface stands on. */
export interface McpSurfaceOptions {
  engine: Engine;
  /** Reads a bounded JSON body. @throws {McpxError} `too-large`, `unsupported-media-type`, `invalid-input` */
  readBody(request: Request): Promise<unknown>;
  /** @throws {McpxError} `invalid-input` */
  readOrigin(request: Request): RequestOrigin;
}
