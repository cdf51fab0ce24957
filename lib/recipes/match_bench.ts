import { matchRecipes } from "./match.ts";
import { readRecipe } from "./read_recipe.ts";
import { SHELF } from "./testdata/shelf.ts";
import type { Recipe } from "./types.ts";

/** Ten thousand recipes made of the words of thirty, each with a name of its own. */
const SHELVES: readonly Recipe[] = Array.from({ length: 10_000 }, (_, at) => {
  const [first, second] = [SHELF[at % SHELF.length], SHELF[(at * 7 + 3) % SHELF.length]];
  const source = `// ${first?.summary} ${second?.summary}\n// @param repo${at}:string\n${
    first?.source.split("\n").at(-1)
  }`;
  const recipe = readRecipe(`${first?.name}-${second?.name}-${at}`, source);
  if (recipe === undefined) throw new Error("it is a recipe");
  return recipe;
});

Deno.bench("match a request with 10,000 recipes (aim: under 20 ms)", () => {
  matchRecipes("close the stale issues in me/thing that nobody touched", SHELVES, { limit: 5 });
});

Deno.bench("match a long request with 10,000 recipes", () => {
  matchRecipes(
    "please find every broken link of the site and post a report with screenshots to the channel",
    SHELVES,
    { limit: 5 },
  );
});
