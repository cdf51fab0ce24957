/**
 * Runs a recipe from another program: the servers of the configuration, the sandbox and the checks come along.
 *
 * `deno run -A docs/examples/run_a_recipe.ts check_connection word=hello` in a folder with an `.mcpx.json`
 */
import { McpxError, openMcpx } from "../../mod.ts";

const [name = "check_connection", ...words] = Deno.args;
const args = Object.fromEntries(words.map((word) => word.split("=", 2)));

await using mcpx = await openMcpx();
try {
  const { ok, result, error } = await mcpx.invoke("recipe.run", { name, args }, { settings: { "exec.timeout": "30s" } });
  console.log(ok ? JSON.stringify(result) : error);
} catch (error) {
  if (!(error instanceof McpxError)) throw error;
  console.log(`${error.code}: ${error.message}`);
}
