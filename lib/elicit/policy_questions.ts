import type { JsonObject } from "../schema/types.ts";
import type { OwnDraft } from "./question_draft.ts";
import { withoutSecrets } from "./secret_names.ts";
import type { Answer } from "./types.ts";

/** A live instance among those that may be meant. */
export interface InstanceChoice {
  key: string;
  /** How many calls hold it now. */
  holders: number;
  /** How many calls it has had. */
  calls: number;
  /** How long nobody has used it, ms; absent while it is in use. */
  idleMs?: number;
  pid?: number;
}

/** The choice of an instance of one's own. */
export const NEW_INSTANCE = "new";

const SHOWN = 400;

/**
 * Asks which instance of an exclusive server is meant.
 *
 * @param options.fallback what silence takes
 */
export function disambiguationQuestion(options: {
  server: string;
  tool?: string;
  instances: readonly InstanceChoice[];
  fallback: string;
  deadlineMs: number;
}): OwnDraft {
  const { server, tool, instances, fallback, deadlineMs } = options;
  const titled = [
    ...instances.map((instance) => ({ const: instance.key, title: describe(instance) })),
    { const: NEW_INSTANCE, title: "new: an instance of its own, started now" },
  ];
  return {
    from: "mcpx",
    kind: "disambiguation",
    server,
    ...(tool === undefined ? {} : { tool }),
    message: `${
      tool ?? server
    } runs on one instance of ${server}, and ${instances.length} are live. Which one?`,
    schema: {
      type: "object",
      properties: { instance: { type: "string", title: "Instance", oneOf: titled } },
      required: ["instance"],
    },
    default: { action: "accept", content: { instance: fallback } },
    deadlineMs,
  };
}

function describe({ key, holders, calls, idleMs, pid }: InstanceChoice): string {
  const use = holders > 0
    ? `held by ${holders} call${holders === 1 ? "" : "s"}`
    : idleMs === undefined
    ? "free"
    : `idle for ${spell(idleMs)}`;
  return `${key}: ${use}, ${calls} calls so far${pid === undefined ? "" : `, pid ${pid}`}`;
}

function spell(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`;
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

/** The instance that an answer names; nothing where it names none. */
export function chosenInstance(answer: Answer): string | undefined {
  const instance = answer.action === "accept" ? answer.content?.instance : undefined;
  return typeof instance === "string" ? instance : undefined;
}

/** Asks for consent to a call that may destroy something. Silence refuses. */
export function confirmationQuestion(options: {
  server: string;
  tool: string;
  why: string;
  arguments: JsonObject;
  deadlineMs: number;
}): OwnDraft {
  const { server, tool, why, deadlineMs } = options;
  const written = JSON.stringify(withoutSecrets(options.arguments));
  const shown = written.length > SHOWN
    ? `${written.slice(0, SHOWN)}… (${written.length} characters)`
    : written;
  return {
    from: "mcpx",
    kind: "confirmation",
    server,
    tool,
    message: `${tool} ${why}. Call it with ${shown}?`,
    schema: {
      type: "object",
      properties: { confirm: { type: "boolean", title: "Confirm", description: `Call ${tool}.` } },
      required: ["confirm"],
    },
    default: { action: "decline" },
    deadlineMs,
  };
}

/** Whether an answer consents. */
export function isConfirmed(answer: Answer): boolean {
  return answer.action === "accept" && answer.content?.confirm === true;
}

/**
 * Why a tool may destroy something: it says so, or it says neither that it only reads nor that it destroys nothing.
 *
 * @returns words that follow the tool's name; nothing for a tool that is harmless
 */
export function destructiveReason(
  annotations: { readOnlyHint?: boolean; destructiveHint?: boolean } | undefined,
): string | undefined {
  if (annotations?.destructiveHint === true) return "says that it may destroy something";
  if (annotations?.readOnlyHint === true || annotations?.destructiveHint === false) return undefined;
  return "may destroy something: it says neither that it only reads nor that it destroys nothing";
}

/** Asks for everything that a recipe was not given: one form, one deadline. */
export function recipeFormQuestion(options: {
  recipe: string;
  schema: JsonObject;
  deadlineMs: number;
}): OwnDraft {
  const { recipe, schema, deadlineMs } = options;
  const names = Object.keys(
    typeof schema.properties === "object" && schema.properties ? schema.properties : {},
  );
  return {
    from: "mcpx",
    kind: "recipe-form",
    message: `The recipe ${recipe} needs ${names.join(", ")}.`,
    schema,
    default: { action: "cancel" },
    deadlineMs,
  };
}
