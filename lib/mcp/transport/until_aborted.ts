/** The chunks of a body until it ends or the signal aborts; leaving the loop lets the body go. Aborting a fetch alone does not reach every read that waits. */
export async function* untilAborted(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const letGo = (): void => void reader.cancel().catch(() => {}); // A body that is broken already is gone too.
  signal.addEventListener("abort", letGo, { once: true });
  if (signal.aborted) letGo();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    signal.removeEventListener("abort", letGo);
    letGo();
  }
}
