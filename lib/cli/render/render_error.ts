import type { McpxError } from "../../errors/mod.ts";
import { renderWaiting } from "./render_question.ts";
import { inertLines, type Paint } from "./style.ts";

/**
 * Shows an error to a person: `error: …`, what belongs to a waiting question, and `hint: …`.
 *
 * @param error the error
 * @param options.debug with the stack
 * @returns lines for stderr
 */
export function renderError(error: McpxError, options: { paint: Paint; debug: boolean }): string {
  const { paint, debug } = options;
  const label = error.code === "waiting-input" ? paint("yellow", "waiting:") : paint("red", "error:");
  const lines = [`${label} ${inertLines(error.message)}`];
  if (error.code === "waiting-input") {
    lines.push(...renderWaiting(error.data ?? {}, paint));
  }
  // What is said above a waiting question is its hint already.
  const told = error.code === "waiting-input" && error.data?.answer !== undefined;
  if (error.hint !== undefined && !told) lines.push(`${paint("cyan", "hint:")} ${inertLines(error.hint)}`);
  if (debug) {
    lines.push(paint("dim", `code: ${error.code}`));
    for (let at: unknown = error; at instanceof Error; at = at.cause) {
      lines.push(paint("dim", at.stack ?? at.message));
    }
  }
  return lines.join("\n") + "\n";
}
