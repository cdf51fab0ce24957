import { basename } from "node:path";
import { readHeader } from "../recipes/mod.ts";
import type { Caller } from "./caller.ts";
import type { Engine } from "./engine.ts";
import { runRecipeSource } from "./recipes/run_recipe.ts";
import { readSource, type RunDocument, type RunRequest, runScript } from "./run_script.ts";

/**
 * Runs code, or a script by its name; one whose header declares parameters is run as the recipe that it is.
 *
 * @throws {McpxError} where nothing could be run: `unknown-script`, `invalid-input`, `invalid-recipe`, `waiting-input`,
 * `sandbox-unavailable`
 */
export async function execScript(engine: Engine, request: RunRequest, caller: Caller): Promise<RunDocument> {
  const { code: _code, script: _script, args, textArguments, ...rest } = request;
  const read = await readSource(engine, request, caller);
  if (readHeader(read.source) === undefined) {
    return await runScript(engine, { ...rest, ...read, args, textArguments }, caller);
  }
  const name = basename(request.script ?? read.filename).replace(/\.[^.]+$/, "");
  return await runRecipeSource(engine, { ...rest, ...read, name, values: args, textArguments }, caller);
}
