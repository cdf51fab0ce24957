import type { McpxError } from "../../errors/mod.ts";
import { inert, type Paint } from "./style.ts";

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
  const lines = [`${label} ${inert(error.message)}`];
  if (error.code === "waiting-input") {
    for (const [name, value] of Object.entries(error.data ?? {})) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      lines.push(`${paint("dim", `${name}:`)} ${inert(text)}`);
    }
  }
  if (error.hint !== undefined) lines.push(`${paint("cyan", "hint:")} ${inert(error.hint)}`);
  if (debug) {
    lines.push(paint("dim", `code: ${error.code}`));
    for (let at: unknown = error; at instanceof Error; at = at.cause) {
      lines.push(paint("dim", at.stack ?? at.message));
    }
  }
  return lines.join("\n") + "\n";
}
