import { isObject } from "../../../lib/json/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { MODERN_VERSION } from "../../../lib/mcp/mod.ts";
import type { Exposed, ExposedTool } from "./exposed.ts";

/** The tasks of 2026-07-28. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/**
 * What mcpx declares towards a host: what it can deliver to it, and nothing else.
 *
 * @param version the revision of the host
 * @param exposed what the host is offered; whether resources can be watched depends on the servers
 * @param canPush whether the host takes event streams: without them nothing can be told to it of itself
 */
export function faceCapabilities(
  version: string,
  { servers, tools }: Exposed,
  canPush: boolean,
): JsonObject {
  const watches = servers.some(({ cached }) => {
    const resources = cached?.listing.capabilities.resources;
    return isObject(resources) &&
      (resources.subscribe === true || cached?.listing.protocolVersion === MODERN_VERSION);
  });
  return {
    ...(canPush
      ? {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, ...(watches ? { subscribe: true } : {}) },
        logging: {},
      }
      : { tools: {}, prompts: {}, resources: {} }),
    ...(version === "2024-11-05" ? {} : { completions: {} }),
    ...(version === MODERN_VERSION && [...tools.values()].some(mayBecomeTask)
      ? { extensions: { [TASKS_EXTENSION]: {} } }
      : {}),
  };
}

/** Whether a tool's own server may answer its call with a task. */
export function mayBecomeTask(tool: ExposedTool): boolean {
  if (tool.kind !== "upstream") return false;
  const extensions = tool.entry.cached?.listing.capabilities.extensions;
  return isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined;
}
