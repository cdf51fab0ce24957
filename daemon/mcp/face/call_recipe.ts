import { isObject } from "../../../lib/json/mod.ts";
import type { RecipeTool } from "../../../lib/engine/recipes/recipe_tools.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostRequest } from "../host_request.ts";
import { errorResult, hostCaller } from "./operation_tool.ts";

/**
 * Runs a recipe for a host. The text is what the recipe gave, or the script where the ceiling kept it from running; the whole
 * document is the structured content.
 */
export async function callRecipe(recipe: RecipeTool, request: HostRequest): Promise<JsonObject> {
  const given = request.params.arguments ?? {};
  if (!isObject(given)) {
    return errorResult(
      new McpxError("invalid-input", "Cannot call the tool: `arguments` is not a JSON object."),
    );
  }
  try {
    const document = await recipe.run(given, hostCaller(request));
    const { ok, error, result, script, clampedBy, autonomy, requested } = document;
    const text = [
      ...(clampedBy
        ? [
          `requested ${requested}, clamped to ${autonomy} by ${clampedBy.setting} (${clampedBy.layer}: ${clampedBy.source})`,
        ]
        : []),
      ...(typeof error?.message === "string" ? [error.message] : []),
      ...(script === undefined ? [] : [script]),
      ...(result === undefined ? [] : [typeof result === "string" ? result : JSON.stringify(result)]),
    ].join("\n");
    return {
      content: [{ type: "text", text }],
      structuredContent: { ...document },
      ...(ok ? {} : { isError: true }),
    };
  } catch (thrown) {
    const error = McpxError.from(thrown);
    if (error.code === "cancelled") throw error;
    return errorResult(error);
  }
}
