/** The signals that ask a command to end, with the exit status that tells of each. */
const STATUSES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

let heldAtStart: boolean | undefined;

/**
 * Calls `handler` with the exit status of each signal that asks this process to end.
 *
 * A terminal that closes is such a signal unless whoever started the command had that ignored (`nohup`).
 *
 * @returns what stops the listening
 */
export function onSignals(handler: (status: number) => void): () => void {
  heldAtStart ??= ignoresHangup();
  const isHeld = heldAtStart;
  const listeners = Object.entries(STATUSES).map(([signal, status]) => {
    // Listening to any signal has the runtime end the process by this one, unless it is listened to as well.
    const listener = signal === "SIGHUP" && isHeld ? (): void => undefined : (): void => handler(status);
    return [signal as keyof typeof STATUSES, listener] as const;
  });
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
  };
}

/** Whether this process was started with hang-ups ignored. Only Linux tells, before anything is listened to. */
function ignoresHangup(): boolean {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(Deno.readTextFileSync("/proc/self/status"))?.[1];
    return mask !== undefined && (Number.parseInt(mask.slice(-2), 16) & 1) === 1;
  } catch {
    return false;
  }
}
