import { McpxError } from "../errors/mod.ts";

/** Waits for some time. @throws {McpxError} `cancelled` when aborted */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new McpxError("cancelled", "Interrupted while waiting for the daemon."));
    };
    if (signal.aborted) {
      return reject(new McpxError("cancelled", "Interrupted while waiting for the daemon."));
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
