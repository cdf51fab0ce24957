import { VERSION } from "../../../lib/version.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";

/** Who mcpx says it is. */
export const SERVER_INFO: JsonObject = { name: "mcpx", title: "mcpx", version: VERSION };
