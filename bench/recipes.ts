import { join } from "node:path";
import { matchRecipes, readRecipe, type Recipe } from "../lib/recipes/mod.ts";
import { SHELF } from "../lib/recipes/testdata/shelf.ts";
import { World } from "../tests/support/world.ts";
import { report, sideBySide } from "./measure.ts";

const REQUEST = "close the stale issues in me/thing that nobody touched";
const FILES = 500;

/** Recipes made of the words of thirty, each with a name of its own: file name -> source. */
function sources(count: number): [name: string, source: string][] {
  return Array.from({ length: count }, (_, at) => {
    const [first, second] = [SHELF[at % SHELF.length], SHELF[(at * 7 + 3) % SHELF.length]];
    const header = `// ${first?.summary} ${second?.summary}\n// @param repo${at}:string`;
    return [`${first?.name}-${second?.name}-${at}`, `${header}\n${first?.source.split("\n").at(-1)}`];
  });
}

/** Matching a request with many recipes: the matching alone, and all of it on the daemon's socket. */
export async function run(): Promise<void> {
  const many = sources(10_000).flatMap(([name, source]): Recipe[] => {
    const recipe = readRecipe(name, source);
    return recipe === undefined ? [] : [recipe];
  });
  const match = (count: number) => () =>
    Promise.resolve(matchRecipes(REQUEST, many.slice(0, count), { limit: 5 }));
  report(
    "a request in words, matching alone (aim: 10,000 under 20 ms)",
    await sideBySide(50, {
      "100 recipes": match(100),
      "1,000 recipes": match(1000),
      "10,000 recipes": match(10_000),
    }),
  );
  await using world = await World.open({});
  const folder = join(world.project, ".mcpx", "scripts");
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, source] of sources(FILES)) await Deno.writeTextFile(join(folder, `${name}.ts`), source);
  await world.run(["ls"]);
  const { socket } = await world.daemon();
  using http = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  const get = (path: string) => async () => {
    await (await fetch(`http://localhost${path}`, { client: http })).text();
  };
  report(
    `${FILES} recipes in files, on the daemon's socket`,
    await sideBySide(20, {
      "GET /v1/health": get("/v1/health"),
      "GET /v1/recipe/match": get(`/v1/recipe/match?request=${encodeURIComponent(REQUEST)}`),
    }),
  );
}
