import type { Engine } from "../lib/engine/engine.ts";
import { bodyLimits, readBody } from "./http/read_input.ts";
import { readCaller, readRequestSettings } from "./http/request_caller.ts";
import type { McpSurface } from "./mcp/mcp_surface.ts";

/** The MCP surface, loaded with its first request: a daemon that no host talks to does without it. */
export class LazyMcp {
  readonly #engine: Engine;
  #surface: Promise<McpSurface> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Answers one request to `/mcp`. */
  async fetch(request: Request): Promise<Response> {
    this.#surface ??= this.#open();
    return await (await this.#surface).fetch(request);
  }

  /** Ends what would never end by itself; what runs goes on and is answered. */
  async leave(): Promise<void> {
    (await this.#surface)?.leave();
  }

  /** Ends sessions and streams. */
  async close(): Promise<void> {
    await (await this.#surface)?.close();
  }

  async #open(): Promise<McpSurface> {
    const { McpSurface } = await import("./mcp/mcp_surface.ts");
    const engine = this.#engine;
    return new McpSurface({
      engine,
      readBody: (request) => readBody(request, bodyLimits(engine)),
      readOrigin: ({ headers }) => {
        const { identity, env, isCommandLine } = readCaller(headers.get("x-mcpx-caller"));
        const values = readRequestSettings(headers.get("x-mcpx-settings"));
        return { identity, isBridge: isCommandLine, ...(env ? { env } : {}), ...(values ? { values } : {}) };
      },
    });
  }
}
