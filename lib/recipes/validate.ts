import { nearest } from "../catalog/nearest.ts";
import { readRecipe } from "./read_recipe.ts";
import { findReferences } from "./references.ts";
import type { Recipe, RecipeProblem } from "./types.ts";

/** What there is to say about a script that is to be saved as a recipe. */
export interface RecipeCheck {
  /** Absent where its header declares nothing. */
  recipe?: Recipe;
  /** Why it cannot be saved. */
  problems: RecipeProblem[];
  /** Sentences about what may not be meant. */
  notes: string[];
}

/**
 * Checks a script before it is saved as a recipe.
 *
 * @param name the name it is to have
 * @param source the script
 * @param options.namespaces the namespaces that exist
 */
export function checkRecipe(
  name: string,
  source: string,
  options: { namespaces?: ReadonlySet<string> } = {},
): RecipeCheck {
  const recipe = readRecipe(name, source, options);
  if (recipe === undefined) {
    return {
      problems: [{
        line: 1,
        message: "Its header declares no parameters.",
        hint: "Begin it with // @param name:string   what it is, or with // @tool true where it takes none.",
      }],
      notes: [],
    };
  }
  const { references, unknown } = findReferences(source, recipe.parameters);
  const problems = [...recipe.problems];
  if (recipe.summary === "") {
    problems.push({
      line: 1,
      message: "Its header says in no words what it does.",
      hint: "Begin it with a comment such as // Close stale issues in a repository.",
    });
  }
  const names = recipe.parameters.map((parameter) => parameter.name);
  const used = new Set(references.map((reference) => reference.name));
  const notes = names.filter((one) => !used.has(one) && !/\bargs\b/.test(source))
    .map((one) => `The parameter ${one} is not used: @${one} stands nowhere in the code.`);
  for (const { name: word, line } of unknown) {
    const near = nearest(word, names, 1)[0];
    const message = `@${word} at line ${line} is no parameter of the recipe`;
    notes.push(
      near === undefined ? `${message}, and is left as it is.` : `${message}. Did you mean @${near}?`,
    );
  }
  return { recipe, problems, notes };
}
