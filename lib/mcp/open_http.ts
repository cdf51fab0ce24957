import { McpxError } from "../errors/mod.ts";
import type { Connection } from "./connection.ts";
import { LEGACY_ONLY, openWire, planEras } from "./open_wire.ts";
import { startTimeout } from "./start_timeout.ts";
import { type HttpPlace, httpPlace } from "./transport/http_place.ts";
import { HttpTransport } from "./transport/http.ts";
import { openSse } from "./transport/sse.ts";
import type { ConnectOptions, UpstreamTarget } from "./types.ts";
import { isModernError } from "./wire/modern/mod.ts";

/**
 * Opens a connection to a remote server: Streamable HTTP, and HTTP+SSE where that is asked for, or where the
 * server's answer says that it has no Streamable HTTP.
 */
export async function openHttp(
  target: UpstreamTarget & { kind: "http" },
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Connection> {
  const place = placeOf(target);
  const sse = (): Promise<Connection> =>
    openWire((events) => openSse(place, { ...options, signal }, events), {
      plan: LEGACY_ONLY,
      options,
      signal,
    });
  try {
    if (target.transport === "sse") return await sse();
    return await openWire((events) => new HttpTransport(place, options, events), {
      plan: planEras(options),
      options,
      signal,
    });
  } catch (thrown) {
    const error = openFailure(McpxError.from(thrown), place);
    if (target.transport !== "auto" || options.protocol === "modern" || !mayBeSse(error)) throw error;
    return await sse().catch((second) => {
      throw signal.aborted ? signal.reason : withSecond(error, McpxError.from(second));
    });
  }
}

function placeOf(target: UpstreamTarget & { kind: "http" }): HttpPlace {
  try {
    return httpPlace(target);
  } catch (cause) {
    throw new McpxError("server-config", "Cannot reach the server: its url is no URL.", {
      hint: 'Write "url": "https://host/path" in the server\'s entry.',
      cause,
    });
  }
}

/** Statuses by which a server says that there is nothing to POST to. */
const NO_STREAMABLE_HTTP: readonly unknown[] = [400, 404, 405];

function mayBeSse(error: McpxError): boolean {
  if (!NO_STREAMABLE_HTTP.includes(error.data?.status)) return false;
  return error.code === "upstream-http" ||
    (error.code === "upstream-error" && !isModernError(error.data?.code));
}

/** A first request has no outcome to be unsure of, and a timeout says whose it is. */
function openFailure(error: McpxError, place: HttpPlace): McpxError {
  if (error.code === "upstream-start-timeout") {
    return startTimeout(`reach ${place.shown}`, Number(error.data?.ms), { url: place.shown });
  }
  if (error.code !== "outcome-unknown") return error;
  return new McpxError(
    "upstream-http",
    `Cannot reach ${place.shown}: it closed the connection without an answer.`,
    { hint: "Look at the server's own log.", data: error.data, cause: error },
  );
}

/** The first failure is the one to tell; that the older transport failed too is a fact beside it. */
function withSecond(error: McpxError, second: McpxError): McpxError {
  return new McpxError(error.code, error.message, {
    hint: error.hint,
    data: { ...error.data, sse: { code: second.code, message: second.message } },
    cause: error,
  });
}
