import { ERROR_CODES, McpxError } from "../../lib/errors/mod.ts";

/** A body and status, before it is known whether it goes out alone or as the last event. */
export interface Answer {
  status: number;
  body: unknown;
}

/** What `/v1` answers for an error: `{ error, diagnostics? }` with the code's status. */
export function errorAnswer(thrown: unknown): Answer {
  const error = McpxError.from(thrown);
  return {
    status: ERROR_CODES[error.code].http,
    body: { error: error.toBody(), ...(error.diagnostics ? { diagnostics: error.diagnostics } : {}) },
  };
}

/** Statuses of bodies that were not read to their end: nothing can follow on the same connection. */
const UNREAD: ReadonlySet<number> = new Set([408, 413]);

/** An answer as an HTTP response. A status that HTTP does not let out (499) becomes 500; nobody is there to read it. */
export function jsonResponse({ status, body }: Answer): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      ...(UNREAD.has(status) ? { connection: "close" } : {}),
      ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    },
  });
}
