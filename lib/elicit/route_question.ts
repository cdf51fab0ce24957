import { formFields } from "./form_fields.ts";
import type { QuestionDraft } from "./question_draft.ts";
import type { Audience } from "./types.ts";

/** Who is to answer a question, and why. */
export interface Route {
  /** Who is to answer. */
  audience: Audience;
  /** Why, in a sentence. */
  reason: string;
  /** Whether it goes on to a human when the agent declines. */
  escalates: boolean;
}

const CONSENT =
  /^(confirm|confirmed|confirmation|approve|approved|approval|consent|allow|authorize|authorise|proceed)$/i;

/**
 * Decides who is to answer: a page to open, a secret and a consent are for a human; a choice is for the agent that raised the call;
 * free text is for the agent, and for a human once the agent declines.
 *
 * @example
 * ```ts
 * import { routeQuestion } from "./route_question.ts";
 * const schema = { properties: { confirm: { type: "boolean" } } };
 * const route = routeQuestion({ from: "upstream", kind: "elicitation", message: "Sure?", schema });
 * console.assert(route.audience === "human" && route.reason === "`confirm` alone is a consent");
 * ```
 */
export function routeQuestion(draft: QuestionDraft): Route {
  if (draft.forHuman) return human("the server says that it is for a human");
  if (draft.kind === "url") return human("a page has to be opened");
  if (draft.kind === "sampling") return agent("it asks for a model's completion");
  const fields = formFields(draft.schema);
  const secret = fields.find((field) => field.secret);
  if (secret) return human(`\`${secret.name}\` is a secret`);
  const [only] = fields;
  if (only && fields.length === 1 && only.type === "boolean" && CONSENT.test(only.name)) {
    return human(`\`${only.name}\` alone is a consent`);
  }
  const choices = fields.every(({ type }) => type === "choice" || type === "choices");
  if (fields.length > 0 && choices) return agent("it offers choices that can be weighed");
  return {
    audience: "agent",
    escalates: true,
    reason: "it asks for values; a human is asked when the agent declines",
  };
}

function human(reason: string): Route {
  return { audience: "human", reason, escalates: false };
}

function agent(reason: string): Route {
  return { audience: "agent", reason, escalates: false };
}
