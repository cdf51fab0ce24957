import { concatBytes } from "./line_splitter.ts";
import { untilAborted } from "./until_aborted.ts";

/** Reads a body as text, or gives `undefined` (and lets the body go) when it is longer than `limit` bytes. */
export async function readBody(
  response: Response,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  if (!response.body) return "";
  for await (const part of untilAborted(response.body, signal)) {
    size += part.length;
    if (size > limit) return undefined; // Leaving the loop cancels the body.
    parts.push(part);
  }
  signal.throwIfAborted();
  return new TextDecoder().decode(concatBytes(parts));
}

/** Reads the first bytes of a body for an error's sake; what cannot be read is empty. */
export async function readExcerpt(response: Response, limit: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of response.body ?? []) {
      parts.push(part);
      size += part.length;
      if (size >= limit) break;
    }
  } catch {
    // The status is what matters; a body that breaks off adds nothing.
  }
  return new TextDecoder().decode(concatBytes(parts).subarray(0, limit));
}
