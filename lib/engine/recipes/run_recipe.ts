import type { Finding } from "../../diagnose/mod.ts";
import { readValues, type Recipe, renderRecipe } from "../../recipes/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";
import { type RunDocument, runScript, type SourceRequest } from "../run_script.ts";
import { askParameters } from "./ask_parameters.ts";
import { type AutonomyReport, readAutonomy, stopOf } from "../../intent/mod.ts";
import { findRecipe, parseRecipe, requireSound } from "./shelf.ts";

/** What a recipe is run with. */
export interface RecipeRunRequest extends Omit<SourceRequest, "source" | "filename" | "args"> {
  name: string;
  values?: JsonObject | undefined;
  /** `propose` gives the script instead of running it. */
  autonomy?: string | undefined;
}

/** The document of a recipe's run, or the script that was not run. */
export interface RecipeRunDocument extends RunDocument, AutonomyReport {
  recipe: string;
  /** The rendered script, where it was not run. */
  script?: string;
  /** The recipe that would have been run, where not even a script may be given. */
  candidates?: { name: string; summary: string }[];
}

/**
 * Runs a recipe: find, fill, render, diagnose, run.
 *
 * What `autonomy.max` does not allow is not refused: the rendered script comes back instead, with exit 1; below `propose` only
 * the recipe's name and what is wrong with its calls.
 *
 * @throws {McpxError} `unknown-script`, `unknown-recipe`, `invalid-recipe`, `invalid-input`, `waiting-input`
 */
export async function runRecipe(
  engine: Engine,
  request: RecipeRunRequest,
  caller: Caller,
): Promise<RecipeRunDocument> {
  const { recipe, path } = await findRecipe(engine, request.name, caller);
  return await runAsWork(engine, { ...request, recipe, filename: path }, caller);
}

/** Runs source that the caller sent as the recipe that it declares to be. @throws {McpxError} as {@link runRecipe} */
export async function runRecipeSource(
  engine: Engine,
  request: RecipeRunRequest & { source: string; filename: string },
  caller: Caller,
): Promise<RecipeRunDocument> {
  const { name, filename: path, source } = request;
  const recipe = parseRecipe(engine, { name, path, source }, caller);
  if (recipe === undefined) return await runRecipe(engine, request, caller);
  return await runAsWork(engine, { ...request, recipe }, caller);
}

/** A recipe that has to ask somebody who is not at hand goes on as a task. */
async function runAsWork(
  engine: Engine,
  request: RecipeRunRequest & { recipe: Recipe; filename: string },
  caller: Caller,
): Promise<RecipeRunDocument> {
  return await engine.tasks.run(
    caller,
    { title: `recipe ${request.recipe.name}`, succeeded: ({ ok }) => ok },
    (working) => runFound(engine, request, working),
  );
}

async function runFound(
  engine: Engine,
  request: RecipeRunRequest & { recipe: Recipe; filename: string },
  caller: Caller,
): Promise<RecipeRunDocument> {
  const { recipe, filename, name: _name, values: given, textArguments, autonomy: asked, ...rest } = request;
  requireSound(recipe);
  const read = readValues(recipe, { values: given, text: textArguments });
  const autonomy = readAutonomy(caller.settings, { value: asked ?? "run", source: "recipe.run" });
  const stop = stopOf(autonomy);
  if (stop === "advise") {
    const source = renderRecipe(recipe, read.values);
    const diagnostics = await diagnose(engine, source, caller);
    const candidates = [{ name: recipe.name, summary: recipe.summary }];
    return { ...notRun(recipe, autonomy, diagnostics), candidates };
  }
  const values = read.missing.length === 0 ? read.values : {
    ...read.values,
    ...await askParameters(engine, { recipe, missing: read.missing, given: request }, caller),
  };
  const source = renderRecipe(recipe, values);
  if (stop === "propose") {
    return { ...notRun(recipe, autonomy, await diagnose(engine, source, caller)), script: source };
  }
  const document = await runScript(engine, { ...rest, source, filename, args: values }, caller);
  return { ...document, recipe: recipe.name, ...autonomy };
}

/** The findings on a script, with the servers that it mentions read where they never were. */
export async function diagnose(engine: Engine, source: string, caller: Caller): Promise<Finding[]> {
  const unread = engine.visibleServers(caller).filter(({ definition, cached }) =>
    !cached && source.includes(definition.namespace)
  );
  await Promise.all(
    unread.map(({ definition }) => engine.readListings(caller, { only: definition.name })),
  );
  return await engine.diagnosis.diagnose(engine, source, caller);
}

function notRun(
  { name }: Recipe,
  autonomy: AutonomyReport,
  diagnostics: readonly Finding[],
): RecipeRunDocument {
  const failed = autonomy.clampedBy !== undefined || diagnostics.some(({ fatal }) => fatal);
  return {
    ok: !failed,
    exitCode: failed ? 1 : 0,
    durationMs: 0,
    calls: 0,
    recipe: name,
    ...(diagnostics.length > 0 ? { diagnostics: [...diagnostics] } : {}),
    ...autonomy,
  };
}
