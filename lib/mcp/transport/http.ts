import { McpxError } from "../../errors/mod.ts";
import { isObject, parseJson } from "../../json/mod.ts";
import { delay } from "../delay.ts";
import { type OutgoingMessage, readMessage } from "../json_rpc.ts";
import type { ConnectionEnd } from "../types.ts";
import { readBody, readExcerpt } from "./body.ts";
import { readEvents } from "./event_stream.ts";
import { lostOverHttp, statusFailure } from "./http_failure.ts";
import type { HttpPlace } from "./http_place.ts";
import { FIRST_RETRY_MS, LONGEST_RETRY_MS, reopenPause } from "./reopen_pause.ts";
import { sameOriginFetch } from "./same_origin_fetch.ts";
import { type SendOptions, SessionLost, type Transport, type TransportEvents } from "./transport.ts";

const ACCEPT = { accept: "application/json, text/event-stream" };
const ERROR_BODY_BYTES = 64 * 1024;
const MOST_RESUMES = 5;

/** The limits of one HTTP connection. */
export interface HttpOptions {
  maxMessageBytes: number;
}

/** One response stream: whose it is, how far it was read, whether the answer has come. */
interface StreamState {
  request?: number;
  lastEventId?: string;
  retryMs: number;
  answered: boolean;
  events: number;
}

/**
 * Streamable HTTP: every message is a POST, answered with JSON or an event stream.
 *
 * Sessions, the standing GET stream and resuming are used where the messages' era asks for them.
 */
export class HttpTransport implements Transport {
  readonly streamPerRequest = true;
  readonly ended: Promise<ConnectionEnd>;
  readonly #place: HttpPlace;
  readonly #options: HttpOptions;
  readonly #events: TransportEvents;
  readonly #closing = new AbortController();
  readonly #end: (end: ConnectionEnd) => void;
  #standing: Promise<void> | undefined;
  #tellSessionLost: (() => void) | undefined;
  #session: string | undefined;
  #headers: Record<string, string> = {};

  constructor(place: HttpPlace, options: HttpOptions, events: TransportEvents) {
    this.#place = place;
    this.#options = options;
    this.#events = events;
    const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
    this.ended = promise;
    this.#end = resolve;
  }

  stderrTail(): string {
    return "";
  }

  async send(message: OutgoingMessage, options: SendOptions = {}): Promise<void> {
    const signal = options.signal
      ? AbortSignal.any([options.signal, this.#closing.signal])
      : this.#closing.signal;
    const session = options.beginsSession ? undefined : this.#session;
    const response = await sameOriginFetch({
      method: "POST",
      url: this.#place.url,
      headers: {
        "content-type": "application/json",
        ...ACCEPT,
        ...this.#headers,
        ...options.headers,
        ...(session === undefined ? {} : { "mcp-session-id": session }),
      },
      body: JSON.stringify(message),
      signal,
    }, this.#place);
    if (options.beginsSession && response.ok) {
      this.#session = response.headers.get("mcp-session-id") ?? undefined;
    }
    if (!response.ok) {
      await this.#refuse(response, message, session);
    } else if ("method" in message && "id" in message) {
      await this.#readAnswer(response, message.id, options, signal);
    } else {
      await response.body?.cancel();
    }
  }

  setHeaders(headers: Record<string, string>): void {
    this.#headers = headers;
  }

  onSessionLost(tell: () => void): void {
    this.#tellSessionLost = tell;
  }

  openStandingStream(): void {
    this.#standing ??= this.#listen().catch((error) => {
      if (!this.#closing.signal.aborted) this.#events.note(McpxError.from(error).message);
    }).finally(() => this.#standing = undefined);
  }

  async close(graceMs: number): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new McpxError("cancelled", "The connection was closed."));
    this.#end({ kind: "closed", message: "closed by mcpx" });
    await this.#standing;
    if (this.#session !== undefined) await this.#deleteSession(this.#session, graceMs);
  }

  async #refuse(response: Response, message: OutgoingMessage, session: string | undefined): Promise<never> {
    const text = await readExcerpt(response, ERROR_BODY_BYTES);
    if (response.status === 404 && session !== undefined) {
      const replaced = this.#session !== undefined && this.#session !== session;
      if (!replaced) this.#session = undefined;
      throw new SessionLost(`${this.#place.shown} no longer knows the session.`, replaced);
    }
    const body = parsed(text);
    const read = isObject(body) ? readMessage(body) : undefined;
    throw statusFailure({
      status: response.status,
      headers: response.headers,
      text,
      ...(read?.kind === "error" ? { rpc: read.error } : {}),
      ...("method" in message ? { method: message.method } : {}),
    }, this.#place);
  }

  async #readAnswer(
    response: Response,
    id: number,
    options: SendOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const type = response.headers.get("content-type") ?? "";
    if (response.status === 202 || response.status === 204) {
      await response.body?.cancel();
      throw this.#noAnswer(`${response.status} to a request, which says that no answer follows`);
    }
    const state: StreamState = { request: id, retryMs: FIRST_RETRY_MS, answered: false, events: 0 };
    if (type.includes("text/event-stream") && response.body) {
      await this.#readStream(response.body, state, signal);
      if (!state.answered) await this.#resume(state, options, signal);
      return;
    }
    const text = await this.#guard(
      readBody(response, { limit: this.#options.maxMessageBytes, signal }),
      signal,
    );
    if (text === undefined) return this.#events.tooLarge(this.#options.maxMessageBytes, id);
    const value = parsed(text);
    if (value === undefined) throw this.#noAnswer(`${type || "no content type"}: ${text.slice(0, 120)}`);
    this.#deliver(value, state);
    if (!state.answered) throw this.#noAnswer("JSON without the answer to the request");
  }

  #deliver(value: unknown, state: StreamState): void {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (isObject(one) && one.id === state.request && !("method" in one)) state.answered = true;
    }
    this.#events.message(value, state.request);
  }

  async #readStream(
    body: ReadableStream<Uint8Array>,
    state: StreamState,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await readEvents(body, {
        limit: this.#options.maxMessageBytes,
        signal,
        onRetry: (ms) => state.retryMs = Math.min(ms, LONGEST_RETRY_MS),
        done: () => state.answered,
        onEvent: (event) => {
          state.events++;
          if (event.id !== undefined) state.lastEventId = event.id;
          if (event.data === "" || (event.event ?? "message") !== "message") return;
          const value = parsed(event.data);
          if (value !== undefined) this.#deliver(value, state);
          else this.#events.note(`An event that is no JSON was skipped: ${event.data.slice(0, 120)}`);
        },
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof RangeError) {
        state.answered = true;
        this.#events.tooLarge(this.#options.maxMessageBytes, state.request);
      }
      // A stream that breaks off is one that ended: what follows depends on whether it can be resumed.
    }
    if (signal.aborted) throw signal.reason;
  }

  /** Takes a broken response stream up where it ended. Nothing is sent again. */
  async #resume(state: StreamState, options: SendOptions, signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (options.resumable && state.lastEventId !== undefined && failures < MOST_RESUMES) {
      if (!await delay(reopenPause(state.retryMs, Math.min(failures, 1)), signal)) throw signal.reason;
      const before = state.events;
      const response = await this.#get(state, signal).catch((error) => {
        if (signal.aborted) throw error;
        return undefined;
      });
      if (response?.status === 405) break;
      if (response?.body) await this.#readStream(response.body, state, signal);
      if (state.answered) return;
      failures = state.events > before ? 0 : failures + 1;
    }
    throw lostOverHttp(this.#place, "the response stream ended without an answer");
  }

  /** A GET stream, or nothing where the server gives none. */
  async #get(
    state: StreamState,
    signal: AbortSignal,
  ): Promise<{ status: number; body?: ReadableStream<Uint8Array> }> {
    const response = await sameOriginFetch({
      method: "GET",
      url: this.#place.url,
      headers: {
        accept: "text/event-stream",
        ...this.#headers,
        ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
        ...(state.lastEventId === undefined ? {} : { "last-event-id": state.lastEventId }),
      },
      signal,
    }, this.#place);
    if (response.ok && response.body && response.headers.get("content-type")?.includes("text/event-stream")) {
      return { status: response.status, body: response.body };
    }
    await response.body?.cancel();
    return { status: response.status };
  }

  /** Keeps the standing stream open; a server without one (404, 405, 406, …) is left in peace, one that forgot the session is not. */
  async #listen(): Promise<void> {
    const signal = this.#closing.signal;
    const state: StreamState = { retryMs: FIRST_RETRY_MS, answered: false, events: 0 };
    let failures = 0;
    let wasOpen = false;
    while (!signal.aborted && (wasOpen || failures < MOST_RESUMES)) {
      const before = state.events;
      try {
        const session = this.#session;
        const { status, body } = await this.#get(state, signal);
        if (status === 404 && wasOpen && session !== undefined) return this.#lost(session);
        if (!body) return;
        wasOpen = true;
        await this.#readStream(body, state, signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof McpxError)) throw error;
      }
      failures = state.events > before ? 0 : failures + 1;
      await delay(reopenPause(state.retryMs, failures), signal);
    }
  }

  /** The stream was open and its session is unknown now: the server was restarted, or has ended it. */
  #lost(session: string): void {
    if (this.#session !== session) return; // a request noticed first, and has begun another
    this.#session = undefined;
    queueMicrotask(() => this.#tellSessionLost?.());
  }

  async #deleteSession(session: string, graceMs: number): Promise<void> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), graceMs);
    try {
      const response = await sameOriginFetch({
        method: "DELETE",
        url: this.#place.url,
        headers: { ...this.#headers, "mcp-session-id": session },
        signal: limit.signal,
      }, this.#place);
      await response.body?.cancel();
    } catch {
      // A server that is gone has no session left to end.
    } finally {
      clearTimeout(timer);
    }
  }

  async #guard<T>(reading: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw lostOverHttp(this.#place, error instanceof Error ? error.message : String(error));
    }
  }

  #noAnswer(what: string): McpxError {
    return new McpxError(
      "upstream-protocol",
      `Cannot use the answer of ${this.#place.shown}: it is no MCP answer (${this.#place.redact(what)}).`,
      { hint: "Check that the server's url is that of its MCP endpoint.", data: { url: this.#place.shown } },
    );
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
