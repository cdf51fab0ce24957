import { configJsonSchema } from "../../config/json_schema.ts";
import type { CommandContext } from "../context.ts";

/** Prints the JSON Schema of a configuration file; no daemon is asked. */
export async function showConfigSchema(cx: CommandContext): Promise<number> {
  await cx.out.line(JSON.stringify(configJsonSchema(), null, 2));
  return 0;
}
