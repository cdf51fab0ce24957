/** The pause before a stream is opened again, where the server has wished for none, ms. */
export const FIRST_RETRY_MS = 1000;
/** The longest pause, whatever the server wishes for, ms. */
export const LONGEST_RETRY_MS = 30_000;
const SHORTEST_RETRY_MS = 100;

/**
 * How long to wait before a stream that ended is opened again.
 *
 * What the server wishes for counts where something was heard; a stream that keeps ending with nothing said is opened
 * less and less often.
 *
 * @param retryMs the server's wish
 * @param failures how many times in a row nothing was heard
 * @returns the pause, ms
 *
 * @example
 * ```ts
 * import { reopenPause } from "./reopen_pause.ts";
 * console.assert(reopenPause(0, 0) === 100 && reopenPause(0, 1) === 1000);
 * ```
 */
export function reopenPause(retryMs: number, failures: number): number {
  if (failures === 0) return Math.min(Math.max(retryMs, SHORTEST_RETRY_MS), LONGEST_RETRY_MS);
  return Math.min(Math.max(retryMs, FIRST_RETRY_MS) * 2 ** (failures - 1), LONGEST_RETRY_MS);
}
