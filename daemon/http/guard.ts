import { McpxError } from "../../lib/errors/mod.ts";
import { timingSafeEqual } from "node:crypto";

/** How a listener protects itself. */
export interface GuardOptions {
  /** `unix` sockets are guarded by their folder's permissions. */
  transport: "unix" | "tcp";
  /** The bearer token that a caller over TCP must send; absent with `http.auth: none`. */
  token?: string;
}

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Refuses what a web page of another origin, or a foreign host name that points here, could send.
 *
 * @throws {McpxError} `forbidden`, `unauthorized`
 */
export function guardRequest(request: Request, options: GuardOptions): void {
  const origin = request.headers.get("origin");
  if (origin !== null && !isLoopbackOrigin(origin)) {
    throw new McpxError("forbidden", `Cannot serve a page of the origin ${origin}.`);
  }
  if (options.transport === "unix") return;
  const host = request.headers.get("host") ?? new URL(request.url).host;
  if (!LOOPBACK.test(host)) throw new McpxError("forbidden", `Cannot serve requests for the host ${host}.`);
  if (options.token !== undefined && !hasToken(request, options.token)) {
    throw new McpxError("unauthorized", "Cannot serve this request: it has no valid bearer token.", {
      hint: "The token is in the daemon's record below the state folder: mcpx paths.",
    });
  }
}

function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return (url.protocol === "http:" || url.protocol === "https:") && LOOPBACK.test(url.host);
}

function hasToken(request: Request, token: string): boolean {
  const sent = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  const [a, b] = [new TextEncoder().encode(sent), new TextEncoder().encode(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
