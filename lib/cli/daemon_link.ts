import { McpxError } from "../errors/mod.ts";
import { type Api, type ApiRequest, type ApiResponse, readText } from "./api.ts";
import { headerValue } from "../mcp/wire/modern/header_value.ts";
import { type BridgeMessage, modernHeaders, versionOf } from "./bridge_message.ts";
import { resumedEvents } from "./resumed_events.ts";
import { SessionWishes } from "./session_wishes.ts";
import { readEvents } from "./sse.ts";

/** What a link reaches the daemon with. */
export interface DaemonLinkOptions {
  /** Opens a connection to the daemon. */
  connect(): Promise<Api>;
  /** Headers of every request. */
  headers: Record<string, string>;
  /** Aborted when everything has to end. */
  ending: AbortSignal;
  /** Says something on stderr. */
  note(text: string): void;
  /** Takes what the daemon says of its own accord. */
  hear(text: string): Promise<void>;
}

/** How one message is sent. */
export interface PostOptions {
  signal: AbortSignal;
  /** Whether it belongs to the beginning of a session: where that has ended already, no other is begun. */
  isOfBeginning?: boolean;
  /** Called right before the message leaves. */
  onSending?: () => void;
  /** Takes the answer; the connection is free again when it has. */
  use(response: ApiResponse): Promise<void>;
}

const ROUTE = "/mcp";
const SESSION = "mcp-session-id";
const INITIALIZED = "notifications/initialized";

/** A bridge's way to the daemon's Streamable HTTP face: connections, and the session where the host began one. */
export class DaemonLink implements AsyncDisposable {
  readonly #options: DaemonLinkOptions;
  readonly #idle: Api[] = [];
  /** Answers whose connection broke: it is good for nothing more. */
  readonly #broken = new WeakSet<ApiResponse>();
  /** The line that began the session, to begin another one with. */
  #initialize: string | undefined;
  readonly #wishes = new SessionWishes();
  #session: string | undefined;
  #version: string | undefined;
  #beginning: Promise<void> | undefined;
  #listening: Promise<void> | undefined;

  constructor(options: DaemonLinkOptions) {
    this.#options = options;
  }

  /** Whether the host has begun a session. */
  get hasSession(): boolean {
    return this.#session !== undefined;
  }

  /** Takes the session that `initialize` began, and listens to it from now on. */
  begin(line: string, response: ApiResponse, version: string | undefined): void {
    const session = response.headers.get(SESSION);
    if (session === undefined) return; // it was refused
    this.#initialize = line;
    this.#session = session;
    this.#version = version;
    this.#listening ??= this.#listen();
  }

  /** Sends a message; where the session has ended, begins another one first: what was refused for that was not carried out. */
  async post(line: string, message: BridgeMessage, options: PostOptions): Promise<void> {
    const { signal, onSending, use, isOfBeginning = false } = options;
    for (let hasBegunAgain = false;;) {
      const kept = this.#idle.pop();
      const api = kept ?? await this.#options.connect();
      let response: ApiResponse;
      try {
        signal.throwIfAborted();
        onSending?.();
        const request: ApiRequest = {
          method: "POST",
          path: ROUTE,
          headers: this.#headers(message),
          body: line,
        };
        response = await api.request(request, signal);
      } catch (error) {
        await api.close();
        // A kept connection whose daemon has gone since: nobody has got the request.
        if (kept && error instanceof McpxError && error.data?.sent === false) continue;
        throw error;
      }
      const ended = response.status === 404 && this.hasSession && message.method !== "initialize" &&
        versionOf(message) === undefined;
      if (!ended || hasBegunAgain || isOfBeginning) {
        await use(response);
        if (versionOf(message) === undefined) this.#wishes.note(line, message);
        const isOver = this.#broken.has(response) || response.headers.get("connection") === "close";
        if (isOver) await api.close();
        else this.#idle.push(api);
        return;
      }
      hasBegunAgain = true;
      await readText(response);
      this.#idle.push(api);
      this.#beginning ??= this.#beginAgain(signal).finally(() => this.#beginning = undefined);
      await this.#beginning;
    }
  }

  /** What comes on the stream of an answer; where its connection breaks, it is gone on with over another one. */
  async *events(response: ApiResponse, signal: AbortSignal): AsyncGenerator<string> {
    const opened: Api[] = [];
    const resume = async (lastId: string): Promise<AsyncIterable<Uint8Array> | undefined> => {
      this.#broken.add(response);
      const api = await this.#options.connect();
      opened.push(api);
      const headers = { ...this.#headers({}), "last-event-id": lastId };
      const again = await api.request({ method: "GET", path: ROUTE, headers }, signal);
      return again.status === 200 ? again.body : undefined;
    };
    try {
      yield* resumedEvents(response.body, { signal, resume });
    } finally {
      for (const api of opened) await api.close();
    }
  }

  /** Sends a message that nothing comes back for. */
  async deliver(
    line: string,
    message: BridgeMessage,
    { isOfBeginning = false }: { isOfBeginning?: boolean } = {},
  ): Promise<void> {
    const { ending, note } = this.#options;
    const use = async (response: ApiResponse): Promise<void> => void await readText(response);
    try {
      await this.post(line, message, { signal: ending, use, isOfBeginning });
    } catch (error) {
      if (!ending.aborted) note(McpxError.from(error).message);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening;
    if (this.hasSession) await this.#endSession();
    for (const api of this.#idle) await api.close();
  }

  /** Begins another session in the place of one that ended, once for all requests that found out. */
  async #beginAgain(signal: AbortSignal): Promise<void> {
    if (this.#initialize === undefined) return;
    this.#session = undefined;
    const use = async (response: ApiResponse): Promise<void> => {
      await readText(response);
      this.#session = response.headers.get(SESSION);
    };
    await this.post(this.#initialize, { method: "initialize" }, { signal, use });
    await this.deliver(`{"jsonrpc":"2.0","method":"${INITIALIZED}"}`, { method: INITIALIZED }, {
      isOfBeginning: true,
    });
    this.#listening = this.#listening?.then(() => this.#listen());
    await this.#wishAgain();
  }

  /** Asks the new session for what the last one was asked for, and says what may have changed in between. */
  async #wishAgain(): Promise<void> {
    for (const line of this.#wishes.requests()) await this.deliver(line, {}, { isOfBeginning: true });
    for (const uri of this.#wishes.watched()) {
      const params = { uri };
      await this.#options.hear(
        JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params }),
      );
    }
  }

  /**
   * Reads what the daemon says of its own accord, for as long as the session lasts: where the connection breaks, over another one;
   * a stream that ends in good order was the session's last.
   */
  async #listen(): Promise<void> {
    const { ending, connect, note, hear } = this.#options;
    let last: string | undefined;
    for (let isBroken = true; isBroken;) {
      isBroken = false;
      const api = await connect().catch(() => undefined);
      if (!api) return;
      try {
        const headers = { ...this.#headers({}), ...(last === undefined ? {} : { "last-event-id": last }) };
        const response = await api.request({ method: "GET", path: ROUTE, headers }, ending);
        if (response.status !== 200) return;
        for await (const event of readEvents(response.body)) {
          isBroken = true;
          last = event.id ?? last;
          await hear(event.data);
        }
        return;
      } catch (error) {
        if (ending.aborted) return;
        if (!isBroken) note(McpxError.from(error).message);
      } finally {
        await api.close();
      }
    }
  }

  async #endSession(): Promise<void> {
    const api = this.#idle.pop() ?? await this.#options.connect().catch(() => undefined);
    if (!api) return;
    try {
      const request: ApiRequest = { method: "DELETE", path: ROUTE, headers: this.#headers({}) };
      await readText(await api.request(request, AbortSignal.timeout(2000)));
    } catch (error) {
      this.#options.note(McpxError.from(error).message);
    } finally {
      await api.close();
    }
  }

  #headers(message: BridgeMessage): Record<string, string> {
    const modern = versionOf(message);
    const version = modern ?? (message.method === "initialize" ? undefined : this.#version);
    return {
      ...this.#options.headers,
      accept: "application/json, text/event-stream",
      ...(version === undefined ? {} : { "mcp-protocol-version": headerValue(version) }),
      ...(this.#session === undefined || modern !== undefined ? {} : { [SESSION]: this.#session }),
      ...(modern === undefined ? {} : modernHeaders(message)),
    };
  }
}
