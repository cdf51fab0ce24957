import type { JsonObject } from "../../../lib/schema/mod.ts";
import { isObject } from "../wire/host_message.ts";

/**
 * Whether a host with these capabilities can answer a request that a server makes of its client.
 *
 * An empty `elicitation` means forms alone, and URLs to visit came with 2025-11-25.
 */
export function hostCan(
  { version, capabilities }: { version: string; capabilities: JsonObject },
  method: string,
  params: JsonObject,
): boolean {
  switch (method) {
    case "elicitation/create": {
      const { elicitation } = capabilities;
      if (!isObject(elicitation)) return false;
      if (params.mode !== "url") return elicitation.form !== undefined || elicitation.url === undefined;
      return version >= "2025-11-25" && elicitation.url !== undefined;
    }
    case "sampling/createMessage":
      return isObject(capabilities.sampling);
    case "roots/list":
      return isObject(capabilities.roots);
    default:
      return false;
  }
}
