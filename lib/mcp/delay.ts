/** The longest delay that a system timer takes; with a longer one it would ring at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits, or returns at once when the signal aborts. Tells whether the time passed in full. */
export function delay(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve(true);
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Whether `promise` settles within `ms`; the timer never outlives the answer. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const over = new AbortController();
  const done = promise.then(() => true, () => true);
  const inTime = await Promise.race([done, delay(ms, over.signal).then(() => false)]);
  over.abort();
  return inTime;
}
