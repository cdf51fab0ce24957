import { McpxError } from "../../errors/mod.ts";
import { parseJson } from "../../json/mod.ts";
import type { OutgoingMessage } from "../json_rpc.ts";
import type { ConnectionEnd } from "../types.ts";
import { readExcerpt } from "./body.ts";
import { readEvents } from "./event_stream.ts";
import { lostOverHttp, statusFailure } from "./http_failure.ts";
import type { HttpPlace } from "./http_place.ts";
import type { HttpOptions } from "./http.ts";
import { sameOriginFetch } from "./same_origin_fetch.ts";
import type { SendOptions, Transport, TransportEvents } from "./transport.ts";

/**
 * Opens the HTTP+SSE transport of revision 2024-11-05: one GET stream carries all that the server says, and its
 * first event names the address that messages are posted to.
 *
 * @throws {McpxError} `upstream-http`, `upstream-unauthorized`, `upstream-protocol`, …
 */
export async function openSse(
  place: HttpPlace,
  options: HttpOptions & { signal: AbortSignal },
  events: TransportEvents,
): Promise<Transport> {
  const closing = new AbortController();
  const abort = (): void => closing.abort(options.signal.reason);
  options.signal.addEventListener("abort", abort, { once: true });
  if (options.signal.aborted) abort();
  try {
    const body = await openStream(place, closing.signal);
    const transport = new SseTransport(place, options, events, closing);
    await transport.opened(body);
    return transport;
  } finally {
    options.signal.removeEventListener("abort", abort);
  }
}

async function openStream(place: HttpPlace, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const response = await sameOriginFetch({
    method: "GET",
    url: place.url,
    headers: { accept: "text/event-stream" },
    signal,
  }, place);
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
  if (response.ok && response.body && isStream) return response.body;
  const text = await readExcerpt(response, 4096);
  if (response.ok) throw noEndpoint(place, "its answer is no event stream");
  throw statusFailure({ status: response.status, headers: response.headers, text }, place);
}

class SseTransport implements Transport {
  readonly streamPerRequest = false;
  readonly ended: Promise<ConnectionEnd>;
  readonly #place: HttpPlace;
  readonly #options: HttpOptions;
  readonly #events: TransportEvents;
  readonly #closing: AbortController;
  readonly #end: (end: ConnectionEnd) => void;
  #endpoint: URL | undefined;
  #headers: Record<string, string> = {};

  constructor(place: HttpPlace, options: HttpOptions, events: TransportEvents, closing: AbortController) {
    this.#place = place;
    this.#options = options;
    this.#events = events;
    this.#closing = closing;
    const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
    this.ended = promise;
    this.#end = resolve;
  }

  /** Starts reading, and settles when the server has named its endpoint. */
  opened(body: ReadableStream<Uint8Array>): Promise<void> {
    const named = Promise.withResolvers<void>();
    readEvents(body, {
      limit: this.#options.maxMessageBytes,
      signal: this.#closing.signal,
      onEvent: (event) => {
        if (event.event === "endpoint") {
          try {
            this.#endpoint = this.#sameOrigin(event.data);
            named.resolve();
          } catch (error) {
            named.reject(error);
          }
        } else if (event.data !== "") {
          this.#take(event.data);
        }
      },
    }).then(() => "the event stream ended", (error) => `the event stream broke off (${String(error)})`)
      .then((reason) => {
        const closed = this.#closing.signal.aborted;
        named.reject(closed ? this.#closing.signal.reason : noEndpoint(this.#place, reason));
        this.#end(
          closed
            ? { kind: "closed", message: "closed by mcpx" }
            : { kind: "lost", message: this.#place.redact(reason) },
        );
      });
    named.promise.catch(() => this.#closing.abort());
    return named.promise;
  }

  stderrTail(): string {
    return "";
  }

  async send(message: OutgoingMessage, options: SendOptions = {}): Promise<void> {
    if (!this.#endpoint) throw noEndpoint(this.#place, "it named no endpoint");
    const signal = options.signal
      ? AbortSignal.any([options.signal, this.#closing.signal])
      : this.#closing.signal;
    const response = await sameOriginFetch({
      method: "POST",
      url: this.#endpoint,
      headers: { "content-type": "application/json", ...this.#headers, ...options.headers },
      body: JSON.stringify(message),
      signal,
    }, this.#place);
    const text = await readExcerpt(response, 4096);
    if (!response.ok) {
      throw statusFailure({ status: response.status, headers: response.headers, text }, this.#place);
    }
  }

  setHeaders(headers: Record<string, string>): void {
    this.#headers = headers;
  }

  openStandingStream(): void {}

  async close(): Promise<void> {
    this.#closing.abort(lostOverHttp(this.#place, "the connection was closed"));
    await this.ended;
  }

  #take(text: string): void {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      return this.#events.note(`An event that is no JSON was skipped: ${text.slice(0, 120)}`);
    }
    this.#events.message(value);
  }

  #sameOrigin(address: string): URL {
    const url = new URL(address, this.#place.url);
    if (url.origin === this.#place.url.origin) return url;
    throw noEndpoint(this.#place, `it names an endpoint of another origin, ${url.origin}`);
  }
}

function noEndpoint(place: HttpPlace, state: string): McpxError {
  return new McpxError("upstream-protocol", `Cannot open HTTP+SSE at ${place.shown}: ${state}.`, {
    hint: 'If the server speaks Streamable HTTP, write "transport": "http" in its entry.',
    data: { url: place.shown },
  });
}
