import type { Clamp } from "../../settings/mod.ts";
import type { Caller } from "../caller.ts";

/** How far mcpx goes on its own for one request: what every answer of a recipe or an intent says. */
export interface AutonomyReport {
  /** What holds. */
  autonomy: string;
  /** What was asked for. */
  requested: string;
  /** The ceiling that lowered it, where one did. */
  clampedBy?: Clamp;
}

/** The two stops of recipes and intents, and what is below both: the candidates and the diagnostics alone. */
export type Stop = "run" | "propose" | "advise";

/**
 * How far a request may go. What it asks for is one more layer on `prompt.autonomy`, so that one clamp holds for a body, a
 * header, a flag, a variable, a file and an MCP call alike.
 *
 * @param caller the request's settings
 * @param asked what the request's own body or command asks for
 * @throws {McpxError} `invalid-input` for a word that is no level
 */
export function readAutonomy(caller: Caller, asked?: { value: string; source: string }): AutonomyReport {
  const settings = asked === undefined
    ? caller.settings
    : caller.settings.with([{ layer: "request", entries: [{ path: "prompt.autonomy", ...asked }] }]);
  const { text, clampedBy } = settings.explain("prompt.autonomy");
  return {
    autonomy: text,
    requested: clampedBy?.requested ?? text,
    ...(clampedBy ? { clampedBy } : {}),
  };
}

/** Where a request stops. */
export function stopOf({ autonomy }: AutonomyReport): Stop {
  return autonomy === "run" || autonomy === "propose" ? autonomy : "advise";
}

/** The sentence that tells a person that less was done than was asked for. */
export function clampSentence({ autonomy, requested, clampedBy }: AutonomyReport): string | undefined {
  return clampedBy === undefined
    ? undefined
    : `requested ${requested}, clamped to ${autonomy} by ${clampedBy.setting} (${clampedBy.layer}: ${clampedBy.source})`;
}
