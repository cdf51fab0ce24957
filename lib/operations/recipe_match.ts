import { z } from "zod";
import { matchRequest } from "../engine/recipes/match_request.ts";
import type { RecipeCandidate } from "../intent/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { candidate } from "./recipe_shapes.ts";

/** What a request was matched to. */
export interface MatchOutput {
  exitCode: number;
  chosen?: string | undefined;
  reason: string;
  candidates: RecipeCandidate[];
}

/** Finds the recipe that a request means. */
export const recipeMatch: Operation<{ request: string; limit?: number | undefined }, MatchOutput> =
  defineOperation({
    id: "recipe.match",
    summary: "Find the recipe that a request in words means, if one is clearly meant.",
    description:
      "Scores names, summaries, parameters and the tools that recipes call; no model is asked. Exit 1 where none is chosen.",
    examples: [{ command: "mcpx recipes match remember what is in a folder", note: "with the runners-up" }],
    effect: "read",
    http: { method: "GET", path: "/v1/recipe/match" },
    input: z.strictObject({
      request: z.string().min(1).describe("What is wanted, in words."),
      limit: z.int().min(1).optional().describe("How many candidates; default recipes.limit."),
    }),
    output: z.object({
      exitCode: z.number(),
      chosen: z.string().optional(),
      reason: z.string(),
      candidates: z.array(candidate),
    }),
    cli: {
      commands: [{ words: ["recipes", "match"], positional: ["request"], rest: true }],
      fields: { limit: { short: "n" } },
      render: "candidates",
    },
    settings: ["recipes.minScore", "recipes.matchMargin", "recipes.limit"],
    errors: ["invalid-input"],
    streams: false,
    run: async (input, { engine, caller }) => {
      const { chosen, reason, candidates } = await matchRequest(engine, input, caller);
      return {
        exitCode: chosen ? 0 : 1,
        ...(chosen ? { chosen: chosen.name } : {}),
        reason,
        candidates,
      };
    },
  });
