import { dirname } from "node:path";
import { McpxError } from "../../errors/mod.ts";
import { readRecipe, type Recipe } from "../../recipes/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";
import { findScript, type FoundScript, scanScripts, SHIPPED_FOLDER } from "../script_path.ts";

/** Where on the search path a recipe lies. */
export type RecipeOrigin = "project" | "user" | "shipped";

/** A recipe and its file. */
export interface ShelvedRecipe {
  recipe: Recipe;
  path: string;
  origin: RecipeOrigin;
}

interface Parsed {
  source: string;
  /** The namespaces that its tools were told by. */
  namespaces: string;
  recipe: Recipe | undefined;
}

/** Recipes as they were read last: a file that says the same is not read as a recipe again. */
const PARSED = new WeakMap<Engine, Map<string, Parsed>>();
const MOST_PARSED = 50_000;

/** Every recipe that a caller finds, nearest first and then by name; of those with one name the nearest. */
export async function listRecipes(engine: Engine, caller: Caller): Promise<ShelvedRecipe[]> {
  return (await scanRecipes(engine, caller)).recipes;
}

/** Every recipe as {@link listRecipes} gives them, and sentences about files that were passed over. */
export async function scanRecipes(
  engine: Engine,
  caller: Caller,
): Promise<{ recipes: ShelvedRecipe[]; notes: string[] }> {
  const { scripts, notes } = await scanScripts(engine.scriptFolders(caller), engine.scriptRules);
  const recipes = scripts.flatMap((script) => {
    const recipe = parseRecipe(engine, script, caller);
    return recipe === undefined ? [] : [shelved(engine, script, { recipe, caller })];
  });
  return { recipes, notes };
}

/**
 * The recipe of that name.
 *
 * @throws {McpxError} `invalid-input` for a name that would be a path, `unknown-script` with the nearest, `unknown-recipe`
 */
export async function findRecipe(engine: Engine, name: string, caller: Caller): Promise<ShelvedRecipe> {
  const script = await findScript(name, engine.scriptFolders(caller), engine.scriptRules);
  const recipe = parseRecipe(engine, script, caller);
  if (recipe !== undefined) return shelved(engine, script, { recipe, caller });
  throw new McpxError(
    "unknown-recipe",
    `Cannot use ${script.name} as a recipe: its header declares no parameters.`,
    {
      hint: `mcpx run ${script.name}`,
      data: { script: script.name, path: script.path },
    },
  );
}

/** Source as a recipe, with the caller's namespaces telling which calls are a tool's. */
export function parseRecipe(
  engine: Engine,
  { name, path, source }: FoundScript,
  caller: Caller,
): Recipe | undefined {
  const names = new Set(engine.visibleServers(caller).map(({ definition }) => definition.namespace));
  const namespaces = [...names].join(",");
  const parsed = PARSED.get(engine) ?? new Map<string, Parsed>();
  PARSED.set(engine, parsed);
  const known = parsed.get(path);
  if (known?.source === source && known.namespaces === namespaces) return known.recipe;
  const recipe = readRecipe(name, source, { namespaces: names });
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(path, { source, namespaces, recipe });
  return recipe;
}

function shelved(
  engine: Engine,
  { path }: FoundScript,
  { recipe, caller }: { recipe: Recipe; caller: Caller },
): ShelvedRecipe {
  const folders = engine.scriptFolders(caller);
  const folder = dirname(path);
  const origin = folder === SHIPPED_FOLDER ? "shipped" : folder === folders.at(-2) ? "user" : "project";
  return { recipe, path, origin };
}

/** Refuses a recipe that has problems. @throws {McpxError} `invalid-recipe` with all of them */
export function requireSound({ name, problems }: Recipe): void {
  const [first] = problems;
  if (first === undefined) return;
  const sentences = problems.map(({ line, message }) => `line ${line}: ${message}`);
  throw new McpxError("invalid-recipe", `Cannot use the recipe ${name}: ${sentences.join(" ")}`, {
    ...(first.hint === undefined ? {} : { hint: first.hint }),
    data: { recipe: name, problems: problems.map((problem) => ({ ...problem })) },
  });
}
