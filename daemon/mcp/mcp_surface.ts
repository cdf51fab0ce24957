import { isObject } from "../../lib/json/mod.ts";
import { LEGACY_VERSIONS, MODERN_VERSION } from "../../lib/mcp/mod.ts";
import { ERROR_CODES, McpxError } from "../../lib/errors/mod.ts";
import { McpFace } from "./face/mcp_face.ts";
import { LegacyHttp } from "./legacy/legacy_http.ts";
import { LegacyRequests } from "./legacy/legacy_requests.ts";
import { LegacySessions } from "./legacy/legacy_sessions.ts";
import { LegacySse } from "./legacy/legacy_sse.ts";
import { hasEnvelope } from "./modern/envelope.ts";
import { ModernHttp } from "./modern/modern_http.ts";
import type { McpSurfaceOptions, RequestOrigin } from "./surface_options.ts";
import { SESSION } from "./legacy/session_headers.ts";
import { errorResponse } from "./wire/error_response.ts";
import { RPC } from "./wire/rpc_error.ts";

/** Where the transport of 2024-11-05 is served. */
const SSE_PATH = "/sse";

/**
 * mcpx as an MCP server over HTTP: both eras on one URL, and the transport of 2024-11-05 beside it.
 *
 * A session or `initialize` makes a request the legacy era's; an envelope, or a header of a later revision, the modern
 * era's.
 */
export class McpSurface {
  readonly #options: McpSurfaceOptions;
  readonly #sessions: LegacySessions;
  readonly #legacy: LegacyHttp;
  readonly #sse: LegacySse;
  readonly #modern: ModernHttp;

  constructor(options: McpSurfaceOptions) {
    this.#options = options;
    const face = new McpFace(options.engine);
    this.#sessions = new LegacySessions(face);
    const shared = { sessions: this.#sessions, requests: new LegacyRequests(face) };
    this.#legacy = new LegacyHttp(face, shared);
    this.#sse = new LegacySse(shared);
    this.#modern = new ModernHttp(face);
  }

  /** Answers one HTTP request; whether it may be made at all was checked before. */
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === SSE_PATH) return request.method === "GET" ? this.#sse.open(request) : notAllowed("GET");
    if (pathname.startsWith(`${SSE_PATH}/`)) {
      if (request.method !== "POST") return notAllowed("POST");
      const read = await this.#read(request);
      const id = pathname.slice(SSE_PATH.length + 1);
      return read instanceof Response ? read : await this.#sse.post(request, id, read);
    }
    switch (request.method) {
      case "POST":
        return await this.#post(request);
      case "GET":
        return hasNoStreams(request) ? notAllowed("POST") : this.#legacy.get(request);
      case "DELETE":
        return hasNoStreams(request) ? notAllowed("POST") : await this.#legacy.delete(request);
      default:
        return notAllowed("POST, GET, DELETE");
    }
  }

  /** Ends what would never end by itself: subscriptions, calls that wait for a host, streams. What runs goes on and is answered. */
  leave(): void {
    this.#modern.close();
    this.#sse.leave();
    this.#sessions.leave();
  }

  /** Ends sessions, subscriptions, and calls that wait for an answer. */
  async close(): Promise<void> {
    this.#modern.close();
    this.#sse.close();
    await this.#sessions.close();
  }

  async #post(request: Request): Promise<Response> {
    const read = await this.#read(request);
    if (read instanceof Response) return read;
    const { body, origin } = read;
    return isModern(request, body)
      ? await this.#modern.post(request, body, origin)
      : await this.#legacy.post(request, body, origin);
  }

  /** What a POST says and who sends it, or why it is not taken. */
  async #read(request: Request): Promise<{ body: unknown; origin: RequestOrigin } | Response> {
    try {
      const body = await this.#options.readBody(request);
      if (body === undefined) {
        return errorResponse(400, null, { code: RPC.parse, message: "The body is empty." });
      }
      return { body, origin: this.#options.readOrigin(request) };
    } catch (thrown) {
      const { code, message, hint } = McpxError.from(thrown);
      const response = errorResponse(ERROR_CODES[code].http, null, {
        code: code === "invalid-input" ? RPC.parse : RPC.invalidRequest,
        message,
        ...(hint === undefined ? {} : { data: { hint } }),
      });
      // Nothing can follow a body that was not read to its end.
      if (code === "body-timeout" || code === "too-large") response.headers.set("connection", "close");
      return response;
    }
  }
}

function isModern(request: Request, body: unknown): boolean {
  if (isObject(body)) {
    if (isObject(body.params) && hasEnvelope(body.params)) return true;
    if (body.method === "initialize") return false;
  }
  return !request.headers.has(SESSION) && speaksModern(request);
}

/** Whether a request says that it is of a revision without sessions. */
function speaksModern({ headers }: Request): boolean {
  const version = headers.get("mcp-protocol-version");
  return version !== null && !LEGACY_VERSIONS.includes(version);
}

/** Whether GET and DELETE mean nothing in a request's revision; in a session a revision that nobody knows is its own error. */
function hasNoStreams(request: Request): boolean {
  if (request.headers.get("mcp-protocol-version") === MODERN_VERSION) return true;
  return !request.headers.has(SESSION) && speaksModern(request);
}

function notAllowed(allowed: string): Response {
  const response = errorResponse(405, null, { code: RPC.invalidRequest, message: `This takes ${allowed}.` });
  response.headers.set("allow", allowed);
  return response;
}
