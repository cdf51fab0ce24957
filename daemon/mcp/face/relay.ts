import { isObject } from "../../../lib/json/mod.ts";
import type { UpstreamRequestOptions } from "../../../lib/engine/server_requests.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostRequest } from "../host_request.ts";
import { wantsLevel } from "./log_levels.ts";
import { progressTokenOf } from "./progress_token.ts";

const ENVELOPE = "io.modelcontextprotocol/";
/** What the connection to a server says for itself, whoever asks. */
const OWN = new Set([`${ENVELOPE}protocolVersion`, `${ENVELOPE}clientInfo`]);

/**
 * The params of a host's request as they go to a server: whole, but for what belongs to the host's own connection.
 *
 * @returns params, and the `_meta` members that only the modern era knows
 */
export function upstreamParams(request: HostRequest, own: JsonObject = {}): JsonObject {
  const { _meta, ...params } = request.params;
  if (!isObject(_meta)) return { ...params, ...own };
  const kept = Object.fromEntries(
    Object.entries(_meta).filter(([key]) => key !== "progressToken" && !OWN.has(key)),
  );
  return { ...params, ...own, ...(Object.keys(kept).length > 0 ? { _meta: kept } : {}) };
}

/** Passes on what a server says while one of a host's requests runs, and what the host can do. */
export function relayTo(request: HostRequest): NonNullable<UpstreamRequestOptions["relay"]> {
  const progressToken = progressTokenOf(request.params);
  return {
    meta: {
      [`${ENVELOPE}clientCapabilities`]: upstreamCapabilities(request),
      ...(request.logLevel === undefined ? {} : { [`${ENVELOPE}logLevel`]: request.logLevel }),
    },
    // A host of a session has said so for all its requests.
    ...(request.era === "legacy" || request.logLevel === undefined ? {} : { logLevel: request.logLevel }),
    ...(progressToken === undefined ? {} : {
      onProgress: (_progress, params) => {
        const { progressToken: _theirs, ...rest } = params;
        request.notify("notifications/progress", { progressToken, ...rest });
      },
    }),
    ...(request.logLevel === undefined ? {} : {
      onLog: (entry) => {
        if (!wantsLevel(request.logLevel, entry.level) || request.told?.has(entry)) return;
        request.told?.add(entry);
        request.notify("notifications/message", entry);
      },
    }),
  };
}

/** What a server may ask of this host; the tasks of 2025-11-25 are no capability of the modern era. */
function upstreamCapabilities({ era, capabilities }: HostRequest): JsonObject {
  if (era === "modern") return capabilities;
  const { tasks: _tasks, ...rest } = capabilities;
  return rest;
}
