import { isObject } from "../../../lib/json/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";

/**
 * Whether a host with these capabilities can answer a request that a server makes of its client.
 *
 * Questions came with 2025-06-18; an empty `elicitation` means forms alone. URLs to visit, and tools for a model's completion, came with
 * 2025-11-25, each with a declaration of its own.
 */
export function hostCan(
  { version, capabilities }: { version: string; capabilities: JsonObject },
  method: string,
  params: JsonObject,
): boolean {
  switch (method) {
    case "elicitation/create": {
      const { elicitation } = capabilities;
      if (!isObject(elicitation) || version < "2025-06-18") return false;
      if (params.mode !== "url") return elicitation.form !== undefined || elicitation.url === undefined;
      return version >= "2025-11-25" && elicitation.url !== undefined;
    }
    case "sampling/createMessage":
      return isObject(capabilities.sampling) &&
        (!wantsTools(params) || (version >= "2025-11-25" && capabilities.sampling.tools !== undefined));
    case "roots/list":
      return isObject(capabilities.roots);
    default:
      return false;
  }
}

function wantsTools({ tools, toolChoice }: JsonObject): boolean {
  return tools !== undefined || toolChoice !== undefined;
}
