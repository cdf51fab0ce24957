import type { JsonObject } from "../schema/types.ts";
import type { QuestionDraft } from "./question_draft.ts";
import type { Route } from "./route_question.ts";
import type { Question } from "./types.ts";

/** What a draft lacks to be a question. */
export interface QuestionFacts {
  id: string;
  /** Milliseconds since the epoch. */
  now: number;
  route: Route;
  /** How long an upstream's question stays open, ms. */
  upstreamMs: number;
  trace?: string;
  session?: string;
}

/** What an answer to a request for a completion has to fit, where the answer is not a whole result. */
export const SAMPLING_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    text: { type: "string", title: "Completion", description: "What the assistant says." },
    model: { type: "string", description: "The model that said it." },
  },
  required: ["text"],
};

/** Makes a pending question of a draft. */
export function makeQuestion(draft: QuestionDraft, facts: QuestionFacts): Question {
  const lasts = draft.from === "mcpx" ? draft.deadlineMs : facts.upstreamMs;
  return {
    id: facts.id,
    kind: draft.kind,
    ...(draft.server === undefined ? {} : { server: draft.server }),
    ...(draft.tool === undefined ? {} : { tool: draft.tool }),
    ...(facts.trace === undefined ? {} : { trace: facts.trace }),
    ...(facts.session === undefined ? {} : { session: facts.session }),
    message: draft.message,
    ...(draft.kind === "url" ? { url: draft.url } : {}),
    ...(draft.kind === "url" && draft.warning !== undefined ? { warning: draft.warning } : {}),
    ...(draft.kind === "sampling" ? { sampling: draft.sampling, schema: SAMPLING_SCHEMA } : {}),
    ...("schema" in draft ? { schema: draft.schema } : {}),
    audience: facts.route.audience,
    reason: facts.route.reason,
    ...(draft.from === "mcpx" ? { default: draft.default } : {}),
    createdAt: new Date(facts.now).toISOString(),
    expiresAt: new Date(Math.min(facts.now + lasts, MOST_DISTANT)).toISOString(),
    state: "pending",
  };
}

/** The last moment that ISO 8601 writes with four digits for the year. */
const MOST_DISTANT = Date.UTC(9999, 11, 31);
