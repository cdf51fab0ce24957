import type { Finding } from "../diagnose/mod.ts";
import {
  type DecisionRule,
  type GivenValues,
  readValues,
  type Recipe,
  type RecipeParameter,
  renderRecipe,
} from "../recipes/mod.ts";
import type { JsonObject } from "../schema/types.ts";
import { type AutonomyReport, stopOf } from "./clamp.ts";
import { type MatchedIntent, matchIntent, type RecipeCandidate } from "./match_intent.ts";

/** A request in words, with everything that decides what becomes of it. */
export interface Intent {
  /** What is asked for, in words. */
  request: string;
  /** Values for the recipe that is chosen. */
  given: GivenValues;
  /** The recipes that it may mean. */
  recipes: readonly Recipe[];
  /** When a recipe is chosen, and how many are shown where none is. */
  rule: DecisionRule & { limit: number };
  /** How far it may be taken. */
  autonomy: AutonomyReport;
  /** Whether a model may be asked where nothing matches. */
  mayGenerate: boolean;
}

/** A script that answers an intent. */
export interface IntentScript {
  /** The script. */
  source: string;
  /** The recipe that it was made from, and what it was filled with; absent where a model wrote it. */
  recipe?: Recipe;
  /** The values that fill it. */
  values: JsonObject;
}

/** What the stages need of the world. */
export interface IntentPorts<Ran> {
  /** Asks for what a recipe was not given. @throws {McpxError} where nobody can be asked */
  ask(recipe: Recipe, missing: readonly RecipeParameter[]): Promise<JsonObject>;
  /** Asks a model. Gives a note where it had no answer; never throws but for a cancelled request. */
  generate(request: string): Promise<{ script: string } | { note: string }>;
  /** The findings on a script. */
  diagnose(source: string): Promise<Finding[]>;
  /** Runs a script. */
  run(script: IntentScript): Promise<Ran>;
}

/** What an intent came to. */
export interface IntentAnswer<Ran> extends AutonomyReport {
  /** How far it was taken. */
  outcome: "ran" | "proposed" | "advised" | "unmatched";
  /** One sentence. */
  message: string;
  /** The recipes that came near, best first. */
  candidates: RecipeCandidate[];
  /** The recipe that was chosen. */
  recipe?: string;
  /** Whether a model wrote the script. */
  generated?: true;
  /** The script, where there is one. */
  script?: string;
  /** What is wrong with its calls. */
  diagnostics: Finding[];
  /** Sentences. */
  notes: string[];
  /** What the run gave. */
  ran?: Ran;
}

/**
 * Takes a request in words from match to answer: match, fill, or generate; validate; clamp; propose or run.
 *
 * A recipe comes first. A model is asked only where none is chosen, where that is switched on, and where its script may at
 * least be shown. Whatever a model wrote is diagnosed before anything else.
 *
 * @throws {McpxError} `invalid-input` for values that do not fit the recipe, and what the ports throw
 */
export async function routeIntent<Ran>(intent: Intent, ports: IntentPorts<Ran>): Promise<IntentAnswer<Ran>> {
  const matched = matchIntent(intent.request, intent.recipes, intent.rule);
  const stop = stopOf(intent.autonomy);
  const found: { script?: IntentScript; notes: string[] } = matched.chosen
    ? { script: await fill(matched.chosen, intent, ports), notes: [] }
    : intent.mayGenerate && stop !== "advise"
    ? await generate(intent, ports)
    : { notes: [] };
  if (found.script === undefined) return unmatched(intent, matched, found.notes);
  const diagnostics = await ports.diagnose(found.script.source);
  const fails = diagnostics.some(({ fatal }) => fatal);
  const answer = { ...found.script, intent, matched, diagnostics };
  if (stop === "advise") return conclude("advised", answer);
  if (stop === "propose" || fails) return conclude("proposed", answer);
  return { ...conclude<Ran>("ran", answer), ran: await ports.run(found.script) };
}

/** A recipe with its values; what is missing is asked for, unless not even a script may be shown. */
async function fill<Ran>(recipe: Recipe, intent: Intent, ports: IntentPorts<Ran>): Promise<IntentScript> {
  const { values, missing } = readValues(recipe, intent.given);
  const asks = missing.length > 0 && stopOf(intent.autonomy) !== "advise";
  const whole = asks ? { ...values, ...await ports.ask(recipe, missing) } : values;
  return { source: renderRecipe(recipe, whole), recipe, values: whole };
}

async function generate<Ran>(
  { request }: Intent,
  ports: IntentPorts<Ran>,
): Promise<{ script?: IntentScript; notes: string[] }> {
  const generated = await ports.generate(request);
  return "note" in generated
    ? { notes: [generated.note] }
    : { script: { source: generated.script, values: {} }, notes: [] };
}

function unmatched<Ran>(
  { autonomy }: Intent,
  { candidates, reason }: MatchedIntent,
  notes: string[],
): IntentAnswer<Ran> {
  return { outcome: "unmatched", message: reason, candidates, diagnostics: [], notes, ...autonomy };
}

interface Concluded extends IntentScript {
  intent: Intent;
  matched: MatchedIntent;
  diagnostics: Finding[];
}

function conclude<Ran>(outcome: "ran" | "proposed" | "advised", concluded: Concluded): IntentAnswer<Ran> {
  const { intent, matched, diagnostics, source, recipe } = concluded;
  const fails = diagnostics.some(({ fatal }) => fatal);
  const origin = recipe ? matched.reason : `${matched.reason} A model wrote a script.`;
  return {
    outcome,
    message: fails && outcome === "proposed" ? `${origin} It would fail, and was not run.` : origin,
    candidates: matched.candidates,
    ...(recipe ? { recipe: recipe.name } : { generated: true as const }),
    ...(outcome === "proposed" ? { script: source } : {}),
    diagnostics,
    notes: [],
    ...intent.autonomy,
  };
}
