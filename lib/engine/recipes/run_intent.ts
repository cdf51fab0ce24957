import { McpxError } from "../../errors/mod.ts";
import {
  generationRequest,
  type IntentPorts,
  type IntentScript,
  readAutonomy,
  readGeneration,
  type RecipeCandidate,
  routeIntent,
} from "../../intent/mod.ts";
import type { Recipe } from "../../recipes/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";
import { searchCatalog } from "../list_tools.ts";
import { configuredModel } from "../model_provider.ts";
import { type RunDocument, runScript } from "../run_script.ts";
import { askParameters } from "./ask_parameters.ts";
import { matchRule } from "./match_request.ts";
import { diagnose, type RecipeRunDocument } from "./run_recipe.ts";
import { samplingPort } from "./sampling_port.ts";
import { listRecipes } from "./shelf.ts";

/** A request in words. */
export interface IntentRequest {
  request: string;
  /** Values for the recipe that is chosen. */
  values?: JsonObject | undefined;
  textArguments?: [string, string][] | undefined;
  /** `propose` or `run`; default `prompt.autonomy`. */
  autonomy?: string | undefined;
  /** The same as `autonomy: "run"`. */
  run?: boolean | undefined;
  /** How many candidates are shown. */
  limit?: number | undefined;
}

/** What became of it. A run's own document is part of it. */
export interface IntentDocument extends Omit<RecipeRunDocument, "recipe" | "candidates"> {
  outcome: "ran" | "proposed" | "advised" | "unmatched";
  /** One sentence. */
  message: string;
  candidates: RecipeCandidate[];
  recipe?: string;
  generated?: true;
}

/** How many tools are looked at for what a model is told; its budget of tokens is what bounds them. */
const OFFERED_TOOLS = 40;

/**
 * Takes a request in words to the right saved script: match, fill, else generate; validate, clamp, propose or run.
 *
 * Exit 1 where nothing matched, where a script would fail, and where less was done than was asked for.
 *
 * @throws {McpxError} `invalid-input`, `waiting-input` with the command that answers
 */
export async function runIntent(
  engine: Engine,
  request: IntentRequest,
  caller: Caller,
): Promise<IntentDocument> {
  const title = `intent ${request.request.slice(0, 60)}`;
  return await engine.tasks.run(
    caller,
    { title, succeeded: ({ ok }) => ok },
    (working) => answerIntent(engine, request, working),
  );
}

async function answerIntent(
  engine: Engine,
  request: IntentRequest,
  caller: Caller,
): Promise<IntentDocument> {
  const asked = askedAutonomy(request);
  const shelf = await listRecipes(engine, caller);
  const { settings } = caller;
  const given = { values: request.values, text: request.textArguments };
  const answer = await routeIntent({
    request: request.request,
    given,
    recipes: shelf.map(({ recipe }) => recipe),
    rule: matchRule(caller, request.limit),
    autonomy: readAutonomy(settings, asked),
    mayGenerate: settings.get("prompt.sample") !== "never",
  }, portsOf(engine, request, { caller, pathOf: pathFinder(shelf) }));
  const { ran, diagnostics, notes, ...rest } = answer;
  const failed = rest.outcome === "unmatched" || rest.clampedBy !== undefined ||
    (rest.outcome !== "ran" && diagnostics.some(({ fatal }) => fatal));
  const document: RunDocument = ran ??
    { ok: !failed, exitCode: failed ? 1 : 0, durationMs: 0, calls: 0 };
  const found = ran?.diagnostics ?? diagnostics;
  const said = [...notes, ...document.notes ?? []];
  return {
    ...document,
    ...rest,
    ...(found.length > 0 ? { diagnostics: [...found] } : {}),
    ...(said.length > 0 ? { notes: said } : {}),
  };
}

function askedAutonomy({ autonomy, run }: IntentRequest): { value: string; source: string } | undefined {
  if (run === true && autonomy !== undefined && autonomy !== "run") {
    throw new McpxError(
      "invalid-input",
      `Cannot both run and stop at ${autonomy}: \`run\` and \`autonomy\` contradict.`,
      {
        data: { field: "run" },
      },
    );
  }
  const value = run === true ? "run" : autonomy;
  return value === undefined ? undefined : { value, source: "intent" };
}

function pathFinder(shelf: Awaited<ReturnType<typeof listRecipes>>): (recipe: Recipe) => string {
  const paths = new Map(shelf.map(({ recipe, path }) => [recipe.name, path]));
  return ({ name }) => paths.get(name) ?? `${name}.ts`;
}

function portsOf(
  engine: Engine,
  request: IntentRequest,
  { caller, pathOf }: { caller: Caller; pathOf: (recipe: Recipe) => string },
): IntentPorts<RunDocument> {
  return {
    ask: (recipe, missing) => askParameters(engine, { recipe, missing, given: request }, caller),
    generate: (words) => generate(engine, words, caller),
    diagnose: (source) => diagnose(engine, source, caller),
    run: ({ source, recipe, values }: IntentScript) => {
      const filename = recipe ? pathOf(recipe) : "generated.ts";
      return runScript(engine, { source, filename, args: values }, { ...caller, isAgent: true });
    },
  };
}

/** Asks the configured model; whatever goes wrong is a note beside the deterministic answer. */
async function generate(
  engine: Engine,
  words: string,
  caller: Caller,
): Promise<{ script: string } | { note: string }> {
  try {
    const provider = await configuredModel(engine, samplingPort(engine, caller));
    const { tools } = await searchCatalog(engine, caller, { query: words, limit: OFFERED_TOOLS });
    const asked = generationRequest(words, tools, caller.settings.get("prompt.catalogBudget"));
    const maxTokens = engine.settings.base.get("model.maxTokens");
    const text = await provider.generate({ ...asked, maxTokens }, caller.signal);
    const namespaces = new Set(engine.visibleServers(caller).map(({ definition }) => definition.namespace));
    const read = readGeneration(text, namespaces);
    return "script" in read ? read : { note: `No script from ${provider.name}: ${read.problem}.` };
  } catch (thrown) {
    const error = McpxError.from(thrown);
    if (error.code === "cancelled" && caller.signal.aborted) throw error;
    return { note: `No model was of help: ${error.message}` };
  }
}
