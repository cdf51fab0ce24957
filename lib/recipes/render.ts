import { literal } from "./literal.ts";
import { findReferences, type Reference } from "./references.ts";
import type { Recipe } from "./types.ts";

/** Before these a list, an object or a negative number is read as a value and nothing else. */
const OPENERS = new Set(["(", ",", "[", "=", "?", ":"]);
/** And these end it. */
const CLOSERS = /^\s*[,)\]};]/;

/**
 * Puts values into a recipe, each as literals of the language: no value can change what the program is.
 *
 * The lines of the script stay as they are. A parameter without a value leaves its `@name`, and the script does not parse.
 *
 * @param recipe the recipe
 * @param values name -> value, checked before
 * @returns the script
 * @throws {McpxError} `invalid-input` for a value that JSON cannot carry
 *
 * @example
 * ```ts
 * import { readRecipe } from "./read_recipe.ts";
 * import { renderRecipe } from "./render.ts";
 * const recipe = readRecipe("hi", "// Greet.\n// @param who:string  whom\nreturn greet(@who);");
 * if (recipe) console.assert(renderRecipe(recipe, { who: 'a"b' }).endsWith('greet("a\\"b");'));
 * ```
 */
export function renderRecipe(recipe: Recipe, values: Readonly<Record<string, unknown>>): string {
  const { source, parameters } = recipe;
  const written = new Map<string, string>();
  let out = "";
  let done = 0;
  for (const reference of findReferences(source, parameters).references) {
    const { name, start, end } = reference;
    if (!Object.hasOwn(values, name)) continue;
    let text = written.get(name);
    if (text === undefined) written.set(name, text = literal(values[name], name));
    out += source.slice(done, start) + (standsAlone(text, reference, source) ? text : `(${text})`);
    done = end;
  }
  return out + source.slice(done);
}

/** Whether the literal means the same there without parentheses around it. */
function standsAlone(text: string, { start, end, site }: Reference, source: string): boolean {
  // A string that begins a statement may be a directive, an object there is a block.
  if (site.place !== "value") return false;
  const glued = /[\p{ID_Continue}$]/u.test(source.charAt(start - 1));
  if (text.startsWith('"') || text === "true" || text === "false" || text === "null") return !glued;
  if (glued || !CLOSERS.test(source.slice(end, end + 200))) return false;
  return /^\d/.test(text) || OPENERS.has(site.before);
}
