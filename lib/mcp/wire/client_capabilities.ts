import type { JsonObject } from "../../schema/types.ts";
import type { ConnectOptions } from "../types.ts";

/** The capabilities that a client with these handlers declares, the same in both eras. */
export function clientCapabilities(handlers: ConnectOptions["handlers"]): JsonObject {
  return {
    ...(handlers["elicitation/create"] ? { elicitation: { form: {}, url: {} } } : {}),
    ...(handlers["sampling/createMessage"] ? { sampling: {} } : {}),
    ...(handlers["roots/list"] ? { roots: { listChanged: true } } : {}),
  };
}
