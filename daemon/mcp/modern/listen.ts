import { McpxError } from "../../../lib/errors/mod.ts";
import { resourceSubject } from "../../../lib/engine/watch_subject.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { uriRule, withUri } from "../face/uris.ts";
import type { HostRequest } from "../host_request.ts";
import { type HostId, isObject } from "../wire/host_message.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
/** How many resources one subscription may watch. */
const MOST_RESOURCES = 1000;

/** What a subscription is for, as far as it can be honoured. */
interface Wanted {
  toolsListChanged?: true;
  promptsListChanged?: true;
  resourcesListChanged?: true;
  resourceSubscriptions?: string[];
}

/**
 * Serves `subscriptions/listen`: acknowledges what is honoured, then tells of it until `ended`.
 *
 * @returns the result that ends the subscription in good order
 * @throws {RpcError} -32602
 */
export async function serveListen(
  face: McpFace,
  request: HostRequest,
  options: { id: HostId; ended: AbortSignal },
): Promise<JsonObject> {
  const { id, ended } = options;
  const asked = readFilter(request.params);
  const _meta = { [SUBSCRIPTION]: id };
  const tell = (method: string, params: unknown): void =>
    request.notify(method, { ...(isObject(params) ? params : {}), _meta });
  await using watching = new AsyncDisposableStack();
  const told: string[] = [];
  for (const uri of asked.resourceSubscriptions ?? []) {
    try {
      const target = await face.locate(uri, request.caller);
      const rule = uriRule(target.entry.definition);
      watching.use(
        await face.engine.watch.watch({ entry: target.entry, subject: resourceSubject(target.uri) }, {
          caller: request.caller,
          onTold: ({ _meta: _own, ...params }) =>
            tell("notifications/resources/updated", withUri(params, rule)),
          onLapse: () => tell("notifications/resources/updated", { uri }),
        }),
      );
      told.push(uri);
    } catch (error) {
      // What cannot be watched is missing from the acknowledgement.
      face.engine.note(
        "info",
        `Cannot watch ${uri}: ${error instanceof RpcError ? error.message : McpxError.from(error).message}`,
      );
    }
  }
  const { resourceSubscriptions, ...lists } = asked;
  tell("notifications/subscriptions/acknowledged", {
    notifications: { ...lists, ...(resourceSubscriptions ? { resourceSubscriptions: told } : {}) },
  });
  using _listening = face.engine.notices.listen((notice) => {
    if (notice.type !== "lists") return;
    for (const kind of ["tools", "prompts", "resources"] as const) {
      if (lists[`${kind}ListChanged`] && face.concerns(notice, kind, request.caller)) {
        tell(`notifications/${kind}/list_changed`, {});
      }
    }
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const signals = [ended, request.caller.signal];
  for (const signal of signals) {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  }
  await promise;
  return { resultType: "complete", _meta };
}

function readFilter(params: JsonObject): Wanted {
  const { notifications } = params;
  if (!isObject(notifications)) throw new RpcError(RPC.invalidParams, "`notifications` is not an object.");
  const { resourceSubscriptions } = notifications;
  const wanted: Wanted = {};
  for (const name of ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] as const) {
    if (notifications[name] === true) wanted[name] = true;
  }
  if (resourceSubscriptions === undefined) return wanted;
  const isList = Array.isArray(resourceSubscriptions) && resourceSubscriptions.length <= MOST_RESOURCES &&
    resourceSubscriptions.every((uri) => typeof uri === "string");
  if (!isList) throw new RpcError(RPC.invalidParams, "`resourceSubscriptions` is not a list of URIs.");
  return { ...wanted, resourceSubscriptions };
}
