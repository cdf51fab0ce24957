import { LOG_LEVELS } from "../../../lib/engine/log_levels.ts";

/** Whether a host that wants messages from `lowest` on wants one of `level`; without `lowest` it wants none. */
export function wantsLevel(lowest: string | undefined, level: unknown): boolean {
  if (lowest === undefined) return false;
  const at = LOG_LEVELS.indexOf(String(level));
  return at < 0 || at >= LOG_LEVELS.indexOf(lowest);
}
