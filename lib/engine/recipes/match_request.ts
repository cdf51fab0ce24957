import { type MatchedIntent, matchIntent } from "../../intent/mod.ts";
import type { DecisionRule } from "../../recipes/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";
import { listRecipes } from "./shelf.ts";

/** Which recipe a request means, if that is clear, and the ranked candidates. */
export async function matchRequest(
  engine: Engine,
  input: { request: string; limit?: number | undefined },
  caller: Caller,
): Promise<MatchedIntent> {
  const shelf = await listRecipes(engine, caller);
  return matchIntent(input.request, shelf.map(({ recipe }) => recipe), matchRule(caller, input.limit));
}

/** When a recipe is chosen, by the caller's settings. */
export function matchRule({ settings }: Caller, limit?: number): DecisionRule & { limit: number } {
  return {
    minScore: settings.get("recipes.minScore"),
    matchMargin: settings.get("recipes.matchMargin"),
    limit: limit ?? settings.get("recipes.limit"),
  };
}
