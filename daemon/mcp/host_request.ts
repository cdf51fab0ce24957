import type { Caller } from "../../lib/engine/caller.ts";
import type { CallerAnswers } from "../../lib/engine/caller_answers.ts";
import type { Era } from "../../lib/mcp/mod.ts";
import type { JsonObject } from "../../lib/schema/mod.ts";

/** One request of a host's, whatever its era and transport. */
export interface HostRequest {
  method: string;
  params: JsonObject;
  caller: Caller;
  era: Era;
  /** The revision it is made in. */
  version: string;
  /** What the host declared that it can do. */
  capabilities: JsonObject;
  /** The lowest level of log messages that it wants; absent: none. */
  logLevel?: string;
  /** What its host has been sent already of what servers say while several of its requests are open. */
  told?: WeakSet<object>;
  /** Sends a notification on the request's own stream. */
  notify(method: string, params: JsonObject): void;
  /** Asks the host something; absent where it cannot be asked. */
  answers?: CallerAnswers;
}
