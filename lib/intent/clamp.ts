import type { Clamp, ResolvedSettings } from "../settings/mod.ts";

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
 * @param settings the request's settings
 * @param asked what the request's own body or command asks for
 * @throws {McpxError} `invalid-input` for a word that is no level
 *
 * @example
 * ```ts
 * import { ResolvedSettings } from "../settings/mod.ts";
 * import { readAutonomy } from "./clamp.ts";
 * const entries = [{ path: "autonomy.max", value: "ask", source: ".mcpx.json" }];
 * const settings = ResolvedSettings.from([{ layer: "file", entries }]);
 * const report = readAutonomy(settings, { value: "run", source: "body" });
 * console.assert(report.autonomy === "ask" && report.requested === "run" && report.clampedBy?.source === ".mcpx.json");
 * ```
 */
export function readAutonomy(
  settings: ResolvedSettings,
  asked?: { value: string; source: string },
): AutonomyReport {
  const layered = asked === undefined
    ? settings
    : settings.with([{ layer: "request", entries: [{ path: "prompt.autonomy", ...asked }] }]);
  const { text, clampedBy } = layered.explain("prompt.autonomy");
  return {
    autonomy: text,
    requested: clampedBy?.requested ?? text,
    ...(clampedBy ? { clampedBy } : {}),
  };
}

/** Where a request stops. */
export function stopOf({ autonomy }: Pick<AutonomyReport, "autonomy">): Stop {
  return autonomy === "run" || autonomy === "propose" ? autonomy : "advise";
}
