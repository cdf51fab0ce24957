import { McpxError } from "../errors/mod.ts";

/** Nothing usable came before `pool.startTimeout` ran out. */
export function startTimeout(what: string, ms: number, shown: Record<string, unknown> = {}): McpxError {
  const said = typeof shown.stderrTail === "string" ? ` It last wrote: ${lastLine(shown.stderrTail)}` : "";
  return new McpxError(
    "upstream-start-timeout",
    `Cannot ${what}: no answer within ${ms} ms (pool.startTimeout).${said}`,
    {
      hint: `mcpx settings set pool.startTimeout ${Math.ceil(ms / 500)}s`,
      data: { limit: "pool.startTimeout", ms, ...shown },
    },
  );
}

/** The last line that a process wrote, shortened. */
export function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.slice(0, 300) ?? "";
}
