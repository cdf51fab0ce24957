import { McpxError } from "../../errors/mod.ts";
import { fetchFailure } from "./http_failure.ts";
import type { HttpPlace } from "./http_place.ts";

const MOST_REDIRECTS = 5;

/** One HTTP request to a server. */
export interface FetchRequest {
  method: "GET" | "POST" | "DELETE";
  url: URL;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
}

/**
 * Fetches with the target's own headers, following redirects inside the origin only: credentials go nowhere else,
 * and a POST is followed only where the status keeps it a POST.
 *
 * @throws {McpxError} `upstream-dns`, `upstream-tls`, `upstream-refused`, `upstream-http`, `outcome-unknown`
 */
export async function sameOriginFetch(request: FetchRequest, place: HttpPlace): Promise<Response> {
  let url = request.url;
  for (let step = 0; step <= MOST_REDIRECTS; step++) {
    const response = await fetchOnce({ ...request, url }, place);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    const next = new URL(location, url);
    const keepsMethod = request.method === "GET" || response.status === 307 || response.status === 308;
    if (next.origin !== url.origin || !keepsMethod) throw refused(response.status, next, place);
    url = next;
  }
  throw new McpxError("upstream-http", `Cannot use ${place.shown}: it redirects in a circle.`, {
    data: { url: place.shown },
  });
}

async function fetchOnce(request: FetchRequest, place: HttpPlace): Promise<Response> {
  try {
    return await fetch(request.url, {
      method: request.method,
      headers: { ...place.headers, ...request.headers },
      redirect: "manual",
      signal: request.signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    });
  } catch (thrown) {
    if (request.signal.aborted) throw request.signal.reason;
    throw fetchFailure(thrown, place);
  }
}

function refused(status: number, next: URL, place: HttpPlace): McpxError {
  const shown = `${next.origin}${next.pathname}`;
  return new McpxError(
    "upstream-http",
    `Cannot use ${place.shown}: it answered ${status}, a redirect to ${shown}, which is not followed.`,
    {
      hint: `If you trust it, write "url": "${shown}" in the server's entry.`,
      data: { url: place.shown, status },
    },
  );
}
