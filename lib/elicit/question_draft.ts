import type { JsonObject } from "../schema/types.ts";
import type { Answer } from "./types.ts";

/** What every question says of itself before it is asked. */
export interface DraftFacts {
  /** The namespace that it is about. */
  server?: string;
  /** `<namespace>.<function>`. */
  tool?: string;
  /** What is asked, in words. */
  message: string;
  /** The server says that a human is to answer. What it says towards an agent counts for nothing. */
  forHuman?: boolean;
}

/** What an upstream asks. Silence is `cancel`, after the time that mcpx gives such questions. */
export type UpstreamDraft =
  & DraftFacts
  & {
    from: "upstream";
    /** The request as the server made it, for a host that is passed it on. */
    request?: { method: string; params: JsonObject };
  }
  & (
    | { kind: "elicitation"; schema: JsonObject }
    | { kind: "url"; url: string; warning?: string }
    /** `sampling` holds the params of `sampling/createMessage`. */
    | { kind: "sampling"; sampling: JsonObject }
  );

/** What mcpx asks of its own accord: it cannot be built without saying what silence means and when it has begun. */
export type OwnDraft =
  & DraftFacts
  & {
    from: "mcpx";
    /** The answer that stands when nobody answers. */
    readonly default: Answer;
    /** How long an answer is waited for, ms. */
    readonly deadlineMs: number;
  }
  & (
    | { kind: "confirmation" | "disambiguation" | "recipe-form"; schema: JsonObject }
    | { kind: "sampling"; sampling: JsonObject }
  );

/** A question that is about to be asked. */
export type QuestionDraft = UpstreamDraft | OwnDraft;
