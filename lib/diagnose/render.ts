import type { Finding } from "./types.ts";

/**
 * Writes a finding as a person reads it.
 *
 * @param finding one finding
 * @returns its lines, without a line break at the end
 *
 * @example
 * ```ts
 * import { renderFinding } from "./render.ts";
 * const text = renderFinding({ kind: "unknown-tool", tool: "demo.x", message: "there is no tool x", fatal: true });
 * console.assert(text === "demo.x: there is no tool x");
 * ```
 */
export function renderFinding(finding: Finding): string {
  const lead = `${finding.tool}: `;
  const lines = [lead + finding.message];
  if (finding.changed !== undefined) {
    const { when, what } = finding.changed;
    lines.push(`${" ".repeat(Math.min(lead.length, 60))}(schema changed ${when.slice(0, 10)}: ${what})`);
  }
  if (finding.wrote !== undefined) {
    lines.push(
      `  you wrote:  ${finding.wrote}${finding.line === undefined ? "" : `   (line ${finding.line})`}`,
    );
  }
  if (finding.fix !== undefined) lines.push(`  minimum:    ${finding.fix}`);
  return lines.join("\n");
}

/**
 * Writes several findings: those about one call share what was written and the fix.
 *
 * @param findings findings in the order of the script
 * @returns the text, without a line break at the end; empty where there are none
 */
export function renderFindings(findings: readonly Finding[]): string {
  return findings.map((finding, index) => {
    const next = findings[index + 1];
    const shared = next !== undefined && next.fix === finding.fix && next.wrote === finding.wrote &&
      next.line === finding.line && next.column === finding.column;
    if (!shared) return renderFinding(finding);
    const { wrote: _wrote, fix: _fix, ...rest } = finding;
    return renderFinding(rest);
  }).join("\n");
}
