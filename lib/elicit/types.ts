import type { JsonObject } from "../schema/types.ts";

/** What a question is about. */
export type QuestionKind =
  /** An upstream asks for values. */
  | "elicitation"
  /** An upstream asks that a page be opened. */
  | "url"
  /** An upstream, or mcpx itself, asks for a completion of a language model. */
  | "sampling"
  /** mcpx asks which instance is meant. */
  | "disambiguation"
  /** mcpx asks before a destructive call. */
  | "confirmation"
  /** mcpx asks for the parameters that a recipe was not given. */
  | "recipe-form";

/** Who is to answer. */
export type Audience = "human" | "agent";

/** Where a question stands. */
export type QuestionState = "pending" | "accepted" | "declined" | "cancelled" | "expired";

/** An answer. `decline` is a no; `cancel` is no answer at all. */
export type Answer =
  | { action: "accept"; content?: JsonObject }
  | { action: "decline" }
  | { action: "cancel" };

/** A question: state with an identity and a deadline. Times are ISO 8601, in UTC. */
export interface Question {
  /** `elc-…`. */
  id: string;
  /** What is asked for. */
  kind: QuestionKind;
  /** The namespace of the server that asks, or about which mcpx asks. */
  server?: string;
  /** The tool that was called, `<namespace>.<function>`. */
  tool?: string;
  /** The request that it came up in; several questions of one run share it. */
  trace?: string;
  /** The session of whoever raised the call. */
  session?: string;
  /** The task that waits for the answer, once the call goes on as one. */
  task?: string;
  /** What is asked, in words. */
  message: string;
  /** What an answer's content has to fit. For `sampling`: the schema of a `sampling/createMessage` result. */
  schema?: JsonObject;
  /** The page to open, for `url`. */
  url?: string;
  /** What whoever opens it has to know first. */
  warning?: string;
  /** The params of `sampling/createMessage` as they were asked. */
  sampling?: JsonObject;
  /** Who is to answer. */
  audience: Audience;
  /** Why it goes to that audience. */
  reason: string;
  /** What silence means; without it silence is `cancel`. */
  default?: Answer;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** ISO 8601, UTC. */
  expiresAt: string;
  /** Whether it is open, and how it ended. */
  state: QuestionState;
  /** The answer, once there is one. */
  answer?: Answer;
  /** Who answered, or why nobody can any more. */
  answeredBy?: string;
  /** ISO 8601, UTC. */
  settledAt?: string;
}
