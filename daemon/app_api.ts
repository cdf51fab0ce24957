import type { Hono } from "hono";
import type { Api } from "../lib/cli/api.ts";
import { McpxError } from "../lib/errors/mod.ts";

/**
 * The API of an app in this process, without a socket in between.
 *
 * @param app the routes
 * @param close what closing it ends
 */
export function apiOf(app: Hono, close: () => Promise<void> | void = () => undefined): Api {
  return {
    request: async (request, signal) => {
      const response = await app.request(request.path, {
        method: request.method,
        headers: {
          ...request.headers,
          ...(request.body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(request.body === undefined ? {} : { body: request.body }),
        signal,
      });
      return {
        status: response.status,
        headers: new Map(response.headers),
        body: untilAborted(response.body, signal),
      };
    },
    close,
  };
}

/** Reads a body to its end; aborting ends it for its writer too, as closing a socket would. */
async function* untilAborted(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const abort = (): void => void reader.cancel();
  signal.addEventListener("abort", abort, { once: true });
  try {
    for (;;) {
      if (signal.aborted) await reader.cancel();
      const { value, done } = await reader.read();
      if (signal.aborted) throw new McpxError("cancelled", "Cancelled by the caller.");
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    await reader.cancel();
  }
}
