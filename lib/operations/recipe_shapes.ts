import { z } from "zod";
import type { RecipeCandidate } from "../intent/mod.ts";
import type { RecipeProblem } from "../recipes/mod.ts";
import { clamp } from "./setting_get.ts";
import { jsonObject } from "./shapes.ts";

/** What every answer of a recipe or an intent says of how far mcpx went. */
export const autonomyFields = {
  autonomy: z.string().describe("How far mcpx went at most."),
  requested: z.string().describe("How far it was asked to go."),
  clampedBy: clamp.optional().describe("The ceiling that lowered it."),
};

/** What a request asks for. */
export const autonomyField: z.ZodType<"propose" | "run" | undefined> = z.enum(["propose", "run"]).optional()
  .describe("How far to go: give the script, or run it. autonomy.max may lower it.");

/** Values of parameters, as one object. */
export const recipeArgsField: z.ZodType<Record<string, unknown> | undefined> = jsonObject.optional()
  .describe("The recipe's parameters: one JSON object.");

/** The schema of {@link RecipeCandidate}. */
export const candidate: z.ZodType<RecipeCandidate> = z.object({
  name: z.string(),
  summary: z.string(),
  score: z.number(),
  matched: z.array(
    z.object({ word: z.string(), field: z.enum(["name", "summary", "parameter", "tool"]) }),
  ),
});

/** What the document of a run holds more where a recipe was run. */
export const recipeRunFields = {
  recipe: z.string().optional().describe("The recipe that was run, or would have been."),
  script: z.string().optional().describe("The rendered script, where it was not run."),
  candidates: z.array(z.object({ name: z.string(), summary: z.string() })).optional(),
  autonomy: autonomyFields.autonomy.optional(),
  requested: autonomyFields.requested.optional(),
  clampedBy: autonomyFields.clampedBy,
};

/** The schema of what is wrong with a recipe. */
export const recipeProblems: z.ZodType<RecipeProblem[]> = z.array(
  z.object({ line: z.number(), message: z.string(), hint: z.string().optional() }),
) as z.ZodType<RecipeProblem[]>;

/** What of a recipe lists show. */
export const recipeRow = {
  name: z.string(),
  summary: z.string(),
  parameters: z.array(z.string()).describe("Such as `days: number = 30`."),
  origin: z.enum(["project", "user", "shipped"]),
  path: z.string(),
  tool: z.string().optional().describe("The name of its MCP tool."),
  keptOut: z.string().optional().describe("Why it is no MCP tool."),
};
