import type { Question } from "../elicit/types.ts";
import type { CallerIdentity } from "../pool/types.ts";
import type { ResolvedSettings } from "../settings/mod.ts";
import type { Answerer } from "./answerer.ts";
import type { CallerAnswers } from "./caller_answers.ts";
import type { Work } from "./questions/work.ts";

/** Something that a caller can be told while its request runs. */
export type CallerEvent =
  | { type: "progress"; message?: string; progress?: number; total?: number; server?: string }
  | { type: "log"; level: string; text: string; attributes?: unknown; server?: string }
  | { type: "emit"; value: unknown }
  | { type: "note"; text: string }
  /** A question that whoever reads the stream may answer, until `question-settled` names it. */
  | { type: "question"; question: Question & { problem?: string } }
  | { type: "question-settled"; id: string; state: string };

/** Through which door a request came. */
export type Surface = "cli" | "http" | "mcp" | "script";

/** Who invoked an operation, and what holds for that one request. */
export interface Caller {
  surface: Surface;
  identity: CallerIdentity;
  /** What `${VAR}` means in the configuration, for this caller. */
  env: Readonly<Record<string, string>>;
  settings: ResolvedSettings;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
  /** Who can be asked while the request runs; absent where nobody is at hand. */
  answerer?: Answerer;
  emit(event: CallerEvent): void;
  /** Whether it came over TCP: what it says of itself, such as its working directory, is not taken as true. */
  isRemote?: boolean;
  /** Whether `script.permissionsMaxAgent` bounds its scripts: nobody at a command line wrote them. */
  isAgent?: boolean;
  /** What its request runs as; absent until it runs. */
  work?: Work;
  /** Where the caller's end takes a server's requests as they are. */
  answers?: CallerAnswers;
}

/** Whether nobody at a command line of this user's asked: an agent, or whoever is at the other end of a TCP connection. */
export function isAgent({ surface, isAgent, isRemote }: Caller): boolean {
  return surface === "mcp" || isAgent === true || isRemote === true;
}
