import type { Answer, Question } from "../../elicit/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import type { QuestionStore } from "../../store/mod.ts";
import type { Surface } from "../caller.ts";
import type { Refusal } from "./question_limits.ts";
import type { Waiter, Work } from "./work.ts";

/** Writes completions: a configured model. */
export interface Sampler {
  /** How it is recorded. */
  name: string;
  /** Gives a `sampling/createMessage` result; nothing where it does not want to. */
  sample(params: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined>;
}

/** An answer as it is handed in. */
export interface Reply {
  action: Answer["action"];
  content?: JsonObject | undefined;
  /** `key=value` words in the place of content. */
  textContent?: readonly (readonly [string, string])[] | undefined;
}

/** Who hands an answer in. */
export interface Replier {
  /** For the record. */
  name: string;
  surface?: Surface;
  session?: string;
}

/** What a question comes up in. */
export interface AskContext {
  /** The works that wait for the answer; the first of them names trace and session. */
  works: Iterable<Work>;
  /** Aborted when nobody wants the answer any more. */
  signal?: AbortSignal;
  /** Whether it is put to somebody already: nobody else is asked, and anybody may still answer. */
  isPut?: boolean;
  /** Told of the question's id before anybody is asked. */
  onRaised?(id: string): void;
  /** Told that it is not asked, and why, before silence is given for an answer. */
  onRefused?(refusal: Refusal): void;
  /** Told once it is settled, before the answer is given. */
  onSettled?(id: string): void;
}

/** What a broker works with. */
export interface BrokerOptions {
  store(): Promise<QuestionStore>;
  /** How long an upstream's question stays open, ms. */
  upstreamMs(): number;
  /** How many questions may be open at once. */
  maxOpen(): number;
  /** Whether a request can go on without its caller; where it cannot, silence is taken at once. */
  holdsTasks: boolean;
  /** A waiter cannot answer what its work waits for; without a waiter: nobody waits for the work. */
  onWaiting(work: Work, waiter?: Waiter): void;
  /** One of the questions that a work waited for is settled. */
  onSettled(work: Work): void;
  onChange(question: Question): void;
  note(level: "info" | "warn" | "error", text: string): void;
  newId(): string;
  now(): number;
}
