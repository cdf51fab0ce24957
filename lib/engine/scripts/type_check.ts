import { McpxError } from "../../errors/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";
import { emitCatalogTypes } from "../list_tools.ts";

/**
 * Checks a script against the types of its tools.
 *
 * @returns what does not fit, as one error with every place; nothing where it all fits
 * @throws {McpxError} `unsupported`, `cancelled`
 */
export async function checkTypes(
  engine: Engine,
  { source, filename }: { source: string; filename: string },
  caller: Caller,
): Promise<McpxError | undefined> {
  const { types } = await emitCatalogTypes(engine, caller, {});
  const checker = await engine.scripts.typeChecker();
  const problems = await checker.check(source, types, caller.signal);
  if (problems.length === 0) return undefined;
  const lines = problems.map(({ line, column, message }) => `${filename}:${line}:${column} ${message}`);
  return new McpxError(
    "script-types",
    `Cannot run ${filename}: it does not fit the types.\n${lines.join("\n")}`,
    { hint: "Nothing was run. `mcpx types` prints the declarations.", data: { problems } },
  );
}
