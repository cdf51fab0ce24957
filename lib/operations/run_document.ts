import { z } from "zod";
import { recipeRunFields } from "./recipe_shapes.ts";
import { runOutputFields } from "./run_fields.ts";
import { jsonObject } from "./shapes.ts";

/** What the document of a run holds, a recipe's included. */
export const runDocumentFields = {
  ok: z.boolean(),
  exitCode: z.number(),
  durationMs: z.number(),
  result: z.unknown().optional(),
  results: z.array(z.unknown()).optional(),
  logs: z.array(z.object({ level: z.string(), text: z.string(), attributes: z.unknown().optional() }))
    .optional(),
  error: jsonObject.optional(),
  diagnostics: z.array(z.unknown()).optional(),
  calls: z.number(),
  notes: z.array(z.string()).optional(),
  ...runOutputFields,
  ...recipeRunFields,
};
