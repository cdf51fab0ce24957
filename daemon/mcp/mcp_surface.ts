import { LEGACY_VERSIONS } from "../../lib/mcp/mod.ts";
import { ERROR_CODES, McpxError } from "../../lib/errors/mod.ts";
import { McpFace } from "./face/mcp_face.ts";
import { LegacyHttp } from "./legacy/legacy_http.ts";
import { hasEnvelope } from "./modern/envelope.ts";
import { ModernHttp } from "./modern/modern_http.ts";
import type { McpSurfaceOptions, RequestOrigin } from "./surface_options.ts";
import { errorResponse } from "./wire/error_response.ts";
import { isObject } from "./wire/host_message.ts";
import { RPC } from "./wire/rpc_error.ts";

const SESSION = "mcp-session-id";

/**
 * mcpx as an MCP server over Streamable HTTP: both eras on one URL.
 *
 * A session or `initialize` makes a request the legacy era's; an envelope, or a header of a later revision, the modern
 * era's.
 */
export class McpSurface {
  readonly #options: McpSurfaceOptions;
  readonly #legacy: LegacyHttp;
  readonly #modern: ModernHttp;

  constructor(options: McpSurfaceOptions) {
    this.#options = options;
    const face = new McpFace(options.engine);
    this.#legacy = new LegacyHttp(face);
    this.#modern = new ModernHttp(face);
  }

  /** Answers one HTTP request; whether it may be made at all was checked before. */
  async fetch(request: Request): Promise<Response> {
    switch (request.method) {
      case "POST":
        return await this.#post(request);
      case "GET":
        return speaksModern(request) ? notAllowed() : this.#legacy.get(request);
      case "DELETE":
        return speaksModern(request) ? notAllowed() : await this.#legacy.delete(request);
      default:
        return notAllowed();
    }
  }

  /** Ends sessions, subscriptions, and calls that wait for an answer. */
  async close(): Promise<void> {
    this.#modern.close();
    await this.#legacy.close();
  }

  async #post(request: Request): Promise<Response> {
    let body: unknown;
    let origin: RequestOrigin;
    try {
      body = await this.#options.readBody(request);
      origin = this.#options.readOrigin(request);
    } catch (thrown) {
      const error = McpxError.from(thrown);
      const code = error.code === "invalid-input" ? RPC.parse : RPC.invalidRequest;
      return errorResponse(ERROR_CODES[error.code].http, null, { code, message: error.message });
    }
    if (body === undefined) {
      return errorResponse(400, null, { code: RPC.parse, message: "The body is empty." });
    }
    return isModern(request, body)
      ? await this.#modern.post(request, body, origin)
      : await this.#legacy.post(request, body, origin);
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

function notAllowed(): Response {
  const response = errorResponse(405, null, {
    code: RPC.invalidRequest,
    message: "This takes POST, and in a session also GET and DELETE.",
  });
  response.headers.set("allow", "POST, GET, DELETE");
  return response;
}
