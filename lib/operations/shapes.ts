import { z } from "zod";
import { isObject } from "../json/mod.ts";
import type { Finding, RecordedChange } from "../diagnose/mod.ts";
import type { ServerProblem, ToolSummary } from "../engine/summaries.ts";

/** Pieces of input and output that several operations share. */

/**
 * A JSON object of any members, passed on untouched: a copy made member by member would lose those with names like `__proto__`.
 */
export const jsonObject: z.ZodType<Record<string, unknown>> = z.unknown()
  .refine(isPlainObject, { error: "expected a JSON object" })
  .meta({ type: "object", additionalProperties: {} }) as unknown as z.ZodType<Record<string, unknown>>;

/** An object as JSON has it: no list, no map, no date, no number kept as its digits. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const parent: unknown = Object.getPrototypeOf(value);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

/** Whether only the cache is read. */
export const cachedField: z.ZodType<boolean | undefined> = z.boolean().optional()
  .describe("Read only what is cached; start no server.");

/** Words of a command line, still to be coerced by a schema. */
export const textArgumentsField: z.ZodType<[string, string][] | undefined> = z.array(
  z.tuple([z.string(), z.string()]),
).optional()
  .describe("Arguments as key and text, coerced by the tool's schema.");

/** An artifact reference. */
export const artifactRef: z.ZodType<
  { id: string; name: string; path: string; mimeType: string; bytes: number }
> = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  mimeType: z.string(),
  bytes: z.number(),
});

/** The schema of {@link ToolSummary}. */
export const toolSummary: z.ZodType<ToolSummary> = z.object({
  name: z.string(),
  wireName: z.string(),
  server: z.string(),
  description: z.string().optional(),
  signature: z.string(),
  annotations: jsonObject.optional(),
  findings: z.array(z.object({ pointer: z.string(), message: z.string(), hint: z.string().optional() }))
    .optional(),
});

/** The schema of a list of {@link ServerProblem}. */
export const serverProblems: z.ZodType<ServerProblem[]> = z.array(
  z.object({ server: z.string(), code: z.string(), message: z.string(), hint: z.string().optional() }),
);

/** The schema of a finding. */
export const finding: z.ZodType<Finding> = z.looseObject({
  kind: z.string(),
  tool: z.string(),
  field: z.string().optional(),
  message: z.string(),
  changed: z.object({ when: z.string(), kind: z.string(), what: z.string() }).optional(),
  fix: z.string().optional(),
  fatal: z.boolean(),
}) as unknown as z.ZodType<Finding>;

/** The schema of a recorded change. */
export const recordedChange: z.ZodType<RecordedChange> = z.looseObject({
  when: z.string(),
  server: z.string(),
  tool: z.string().optional(),
  kind: z.string(),
  what: z.string(),
  verdict: z.enum(["compatible", "breaking"]),
}) as unknown as z.ZodType<RecordedChange>;
