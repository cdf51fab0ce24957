import type { Api } from "../lib/cli/api.ts";
import type { InlineOptions } from "../lib/cli/entries.ts";
import { Engine } from "../lib/engine/engine.ts";
import { VERSION } from "../lib/version.ts";
import { apiOf } from "./app_api.ts";
import { createApp } from "./http/app.ts";
import { LazyMcp } from "./lazy_mcp.ts";

/**
 * The daemon's API inside this process: no socket, no daemon; servers live as long as the command.
 *
 * @throws {McpxError} `invalid-config`
 */
export async function openInline(options: InlineOptions): Promise<Api> {
  const engine = await Engine.open({
    cwd: options.cwd,
    env: Deno.env.toObject(),
    flags: options.settings,
    ...(options.configFile === undefined ? {} : { configFile: options.configFile }),
  });
  const mcp = new LazyMcp(engine);
  const app = createApp({
    engine,
    mcp: (request) => mcp.fetch(request),
    guard: { transport: "unix" },
    health: () => ({
      version: VERSION,
      pid: Deno.pid,
      key: "inline",
      startedAt: engine.startedAt.toISOString(),
      ready: true,
    }),
  });
  return apiOf(app, async () => {
    await mcp.close();
    await engine.close();
  });
}
