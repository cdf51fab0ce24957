import { isObject } from "../wire/host_message.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { Exposed } from "./exposed.ts";

/**
 * What mcpx declares towards a host: what it can deliver to it, and nothing else.
 *
 * @param version the revision of the host
 * @param exposed what the host is offered; whether resources can be watched depends on the servers
 */
export function faceCapabilities(version: string, { servers }: Exposed): JsonObject {
  const watches = servers.some(({ cached }) => {
    const resources = cached?.listing.capabilities.resources;
    return isObject(resources) &&
      (resources.subscribe === true || cached?.listing.protocolVersion === "2026-07-28");
  });
  return {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, ...(watches ? { subscribe: true } : {}) },
    logging: {},
    ...(version === "2024-11-05" ? {} : { completions: {} }),
  };
}
