import { basename, dirname, join } from "node:path";
import { renderFindings } from "../../diagnose/mod.ts";
import { strangeFolder } from "../../config/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import {
  checkRecipe,
  type Recipe,
  type RecipeProblem,
  recipeSchema,
  renderRecipe,
} from "../../recipes/mod.ts";
import { minimalValue } from "../../schema/mod.ts";
import { writeFileAtomic } from "../../store/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";
import { readSource } from "../run_script.ts";
import { findScript, type ScriptRules, SHIPPED_FOLDER } from "../script_path.ts";
import { diagnose } from "./run_recipe.ts";

/** A script to be saved under a name. */
export interface RecipeSaveRequest {
  name: string;
  code?: string | undefined;
  /** A script on the search path to be saved under the name. */
  script?: string | undefined;
  filename?: string | undefined;
  to?: "project" | "user" | undefined;
  replace?: boolean | undefined;
}

/** What was saved. */
export interface SavedRecipe {
  name: string;
  path: string;
  diagnostics: unknown[];
  notes: string[];
}

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,99}$/u;
const MAX_BYTES = 1024 * 1024;

/**
 * Saves a script as a recipe, once its header, its references and, unless `diagnose.preflight` is off, its calls are sound.
 *
 * @throws {McpxError} `invalid-input` for a name that would be a path, `invalid-recipe` with every reason, `script-preflight`,
 * `recipe-exists`, `state-unwritable`
 */
export async function saveRecipe(
  engine: Engine,
  request: RecipeSaveRequest,
  caller: Caller,
): Promise<SavedRecipe> {
  const { name } = request;
  requireName(name);
  const { source } = await readSource(engine, request, caller);
  if (source.length > MAX_BYTES) {
    throw new McpxError("too-large", `Cannot save ${name}: it is larger than ${MAX_BYTES} bytes.`);
  }
  const namespaces = new Set(engine.visibleServers(caller).map(({ definition }) => definition.namespace));
  const { recipe, problems, notes } = checkRecipe(name, source, { namespaces });
  if (recipe === undefined || problems.length > 0) throw unsound(name, problems);
  const diagnostics = caller.settings.get("diagnose.preflight")
    ? await diagnose(engine, withSamples(recipe), caller)
    : [];
  const fatal = diagnostics.filter((finding) => finding.fatal);
  if (fatal.length > 0) {
    throw new McpxError("script-preflight", renderFindings(fatal), {
      hint: "Nothing was saved. --no-diagnose-preflight saves it all the same.",
      diagnostics,
    });
  }
  const path = await placeFor(engine, request, caller);
  await writeFileAtomic(path, source.endsWith("\n") ? source : `${source}\n`);
  tellTools(engine);
  const found = await findScript(name, engine.scriptFolders(caller), engine.scriptRules);
  const hidden = found.path === path ? [] : [`${found.path} is nearer: ${name} means that one here.`];
  return { name, path, diagnostics, notes: [...notes, ...hidden] };
}

/**
 * Deletes the nearest recipe or script of that name.
 *
 * @throws {McpxError} `unknown-script`, `forbidden` for what comes with mcpx, `state-unwritable`
 */
export async function deleteRecipe(
  engine: Engine,
  name: string,
  caller: Caller,
): Promise<{ deleted: string; notes: string[] }> {
  const folders = engine.scriptFolders(caller);
  const { path } = await findScript(name, folders, engine.scriptRules);
  if (dirname(path) === SHIPPED_FOLDER) {
    throw new McpxError("forbidden", `Cannot delete ${name}: it comes with mcpx.`, {
      hint: `A recipe of your own with that name takes its place: mcpx recipes save ${name} FILE`,
    });
  }
  try {
    await Deno.remove(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new McpxError("state-unwritable", `Cannot delete ${path}: ${reason}.`, { cause, data: { path } });
  }
  tellTools(engine);
  const next = await findScript(name, folders, engine.scriptRules).catch(() => undefined);
  return { deleted: path, notes: next ? [`${name} now means ${next.path}.`] : [] };
}

/** Recipes are tools towards MCP hosts: their list has changed. */
function tellTools(engine: Engine): void {
  engine.notices.publish({ type: "lists", servers: [], tools: true, prompts: false, resources: false });
}

function requireName(name: string): void {
  if (NAME.test(name) && !/\.[cm]?[jt]s$/.test(name) && !name.endsWith("_test")) return;
  throw new McpxError(
    "invalid-input",
    `Cannot save a recipe as ${JSON.stringify(name.slice(0, 120))}: that is no name.`,
    {
      hint: "Letters, digits, - and _, without a path and without an ending.",
      data: { field: "name" },
    },
  );
}

function unsound(name: string, problems: readonly RecipeProblem[]): McpxError {
  const hint = problems.find((problem) => problem.hint !== undefined)?.hint;
  return new McpxError(
    "invalid-recipe",
    `Cannot save the recipe ${name}: ${
      problems.map(({ line, message }) => `line ${line}: ${message}`).join(" ")
    }`,
    { ...(hint === undefined ? {} : { hint }), data: { recipe: name, problems: [...problems] } },
  );
}

/** The script with a small value in every hole, so that its calls can be checked. */
function withSamples(recipe: Recipe): string {
  const values = minimalValue(recipeSchema(recipe));
  const defaults = recipe.parameters.flatMap((parameter) =>
    parameter.default === undefined ? [] : [[parameter.name, parameter.default.value]]
  );
  return renderRecipe(recipe, {
    ...Object.fromEntries(recipe.parameters.map(({ name }) => [name, null])),
    ...(typeof values === "object" ? values : {}),
    ...Object.fromEntries(defaults),
  });
}

/** The file that is written: the project's nearest folder of scripts where there is one, else the user's. */
async function placeFor(engine: Engine, request: RecipeSaveRequest, caller: Caller): Promise<string> {
  const { name, to, replace } = request;
  const folders = engine.scriptFolders(caller);
  const project = folders.slice(0, -2);
  const user = folders.at(-2) ?? "";
  const nearest = to === "user" ? undefined : await firstOwn(project, engine.scriptRules);
  const folder = nearest ?? (to === "project" ? project[0] : user);
  if (folder === undefined) {
    throw new McpxError("invalid-input", `Cannot save ${name} for a project: the caller names no folder.`, {
      hint: "Send cwd in X-Mcpx-Caller, or save it for the user.",
      data: { field: "to" },
    });
  }
  const present = await findScript(name, [folder]).catch(() => undefined);
  if (present && !replace) {
    throw new McpxError("recipe-exists", `Cannot save ${name}: ${present.path} exists.`, {
      hint: "--replace takes its place.",
      data: { path: present.path },
    });
  }
  return join(folder, present ? basename(present.path) : `${name}.ts`);
}

/** The nearest folder that is there; what is written into somebody else's would be passed over. */
async function firstOwn(folders: readonly string[], { users }: ScriptRules): Promise<string | undefined> {
  for (const folder of folders) {
    const info = await Deno.stat(folder).catch(() => undefined);
    if (info?.isDirectory && strangeFolder(info, users) === undefined) return folder;
  }
  return undefined;
}
