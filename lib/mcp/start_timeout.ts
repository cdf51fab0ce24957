import { McpxError } from "../errors/mod.ts";
import { lastWords } from "./last_words.ts";

/** Nothing usable came before `pool.startTimeout` ran out. */
export function startTimeout(what: string, ms: number, shown: Record<string, unknown> = {}): McpxError {
  const said = typeof shown.stderrTail === "string" ? ` It last wrote: ${lastWords(shown.stderrTail)}` : "";
  return new McpxError(
    "upstream-start-timeout",
    `Cannot ${what}: no answer within ${ms} ms (pool.startTimeout).${said}`,
    {
      hint: `mcpx settings set pool.startTimeout ${Math.ceil(ms / 500)}s`,
      data: { limit: "pool.startTimeout", ms, ...shown },
    },
  );
}
