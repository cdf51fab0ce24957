/** The levels of MCP's log messages, least serious first. */
export const LOG_LEVELS: readonly string[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** Whether a host that wants messages from `lowest` on wants one of `level`; without `lowest` it wants none. */
export function wantsLevel(lowest: string | undefined, level: unknown): boolean {
  if (lowest === undefined) return false;
  const at = LOG_LEVELS.indexOf(String(level));
  return at < 0 || at >= LOG_LEVELS.indexOf(lowest);
}
