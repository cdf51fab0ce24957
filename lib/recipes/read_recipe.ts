import { isScriptBuiltin } from "./builtins.ts";
import { scan } from "../diagnose/scan.ts";
import { readHeader } from "./header.ts";
import { findReferences } from "./references.ts";
import type { Recipe } from "./types.ts";

/**
 * Reads a script as a recipe.
 *
 * @param name its name: the file's, without its ending
 * @param source the script
 * @param options.namespaces the namespaces that exist; without them every call of two plain names is a tool's, but for those
 * of the language and its runtimes
 * @returns undefined where the script declares no parameters and no `@tool`
 *
 * @example
 * ```ts
 * import { readRecipe } from "./read_recipe.ts";
 * const recipe = readRecipe("hi", "// Greet.\n// @param who:string\nconsole.log(await demo.echo({ message: @who }));");
 * console.assert(recipe?.tools.join() === "demo.echo");
 * ```
 */
export function readRecipe(
  name: string,
  source: string,
  options: { namespaces?: ReadonlySet<string> } = {},
): Recipe | undefined {
  const header = readHeader(source);
  if (header === undefined) return undefined;
  const { parameters, problems } = header;
  return {
    name,
    summary: header.summary,
    description: header.description,
    parameters,
    isTool: header.isTool,
    tools: toolsOf(source, options.namespaces),
    problems: [...problems, ...findReferences(source, parameters).problems],
    source,
  };
}

function toolsOf(source: string, namespaces: ReadonlySet<string> | undefined): string[] {
  const { calls } = scan(source, namespaces === undefined ? {} : { namespaces });
  const tools = calls.filter(({ namespace, shadowed, viaTools }) =>
    !shadowed && (viaTools || namespaces !== undefined || !isScriptBuiltin(namespace))
  ).map(({ namespace, fn }) => `${namespace}.${fn}`);
  return [...new Set(tools)].sort();
}
