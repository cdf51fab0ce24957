import { McpxError } from "../errors/mod.ts";
import { type Api, type ApiResponse, readText } from "./api.ts";
import { readEvents } from "./sse.ts";

/** What a bridge stands between. */
export interface BridgeOptions {
  /** The host's bytes: one JSON-RPC message a line. */
  input: ReadableStream<Uint8Array>;
  /** Sends one line to the host. */
  write(line: string): Promise<void>;
  /** Opens a connection to the daemon. */
  connect(): Promise<Api>;
  /** Headers of every request. */
  headers: Record<string, string>;
  /** Aborted when the bridge has to end at once. */
  signal: AbortSignal;
  /** Says something on stderr. */
  note(text: string): void;
}

/** The members of a message that a bridge looks at. */
interface Message {
  id?: string | number | null;
  method?: string;
  params?: {
    name?: unknown;
    uri?: unknown;
    taskId?: unknown;
    requestId?: unknown;
    _meta?: Record<string, unknown>;
  };
}

/** A request that the daemon has not answered yet. */
interface OpenRequest {
  done: Promise<void>;
  stop: AbortController;
  modern: boolean;
  /** Whether it has no answer until the host gives it up. */
  isEndless: boolean;
}

const ROUTE = "/mcp";
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const SAFE_VALUE = /^[\x20-\x7e]*$/;

/**
 * Carries MCP between a host on standard input and output and the daemon's Streamable HTTP face, message by message and untouched.
 *
 * Every request has a connection of its own, so that none waits for another; messages that want no answer are delivered in order.
 * Ends when the host closes its side and every answer has been passed on.
 */
export async function bridgeStdio(options: BridgeOptions): Promise<void> {
  await using bridge = new Bridge(options);
  const reader = options.input.getReader();
  const end = (): void => void reader.cancel();
  options.signal.addEventListener("abort", end, { once: true });
  let rest = "";
  const decoder = new TextDecoder();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    rest += decoder.decode(read.value, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) await bridge.fromHost(line.trim());
  }
  options.signal.removeEventListener("abort", end);
  if (options.signal.aborted) return;
  await bridge.fromHost(rest.trim());
  await bridge.settled();
}

class Bridge implements AsyncDisposable {
  readonly #options: BridgeOptions;
  readonly #open = new Map<string, OpenRequest>();
  readonly #idle: Api[] = [];
  readonly #ending = new AbortController();
  #session: string | undefined;
  #version: string | undefined;
  #initialize: string | undefined;
  #beginning: Promise<void> | undefined;
  #listening: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: BridgeOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#ending.abort(), { once: true });
  }

  /** Takes one line of the host's. */
  async fromHost(line: string): Promise<void> {
    if (line === "") return;
    const message = readMessage(line);
    if (!message) return await this.#answerError(null, -32700, "The line is not JSON.");
    if (
      !Array.isArray(message) &&
      (message.method === undefined || message.id === undefined || message.id === null)
    ) {
      this.#cancelModern(message);
      return await this.#deliver(line, message);
    }
    // A batch is answered as a whole.
    const key = Array.isArray(message) ? crypto.randomUUID() : JSON.stringify(message.id);
    const stop = new AbortController();
    const done = this.#request(line, message, stop.signal).finally(() => this.#open.delete(key));
    this.#open.set(key, {
      done,
      stop,
      modern: versionOf(message) !== undefined,
      isEndless: message.method === "subscriptions/listen",
    });
    if (message.method === "initialize") {
      this.#initialize = line;
      await done;
    }
  }

  /** Waits for the answers of all open requests; what only ends when the host ends it has ended now. */
  async settled(): Promise<void> {
    for (const { stop, isEndless } of this.#open.values()) if (isEndless) stop.abort();
    await Promise.all([...this.#open.values()].map((one) => one.done));
    await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#listening;
    if (this.#session !== undefined) await this.#endSession();
    for (const api of this.#idle) await api.close();
  }

  /** In the modern era a request over HTTP is cancelled by closing its stream. */
  #cancelModern(message: Message): void {
    if (message.method !== "notifications/cancelled") return;
    const open = this.#open.get(JSON.stringify(message.params?.requestId));
    if (open?.modern) open.stop.abort();
  }

  async #request(line: string, message: Message, stop: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stop, this.#ending.signal]);
    try {
      await this.#post(line, message, signal, async (response, api) => {
        if (message.method === "initialize") this.#session = response.headers.get("mcp-session-id");
        await this.#passOn(response, message);
        this.#idle.push(api);
      });
    } catch (error) {
      if (stop.aborted) return;
      const { message: text } = McpxError.from(error);
      if (!this.#ending.signal.aborted) await this.#answerError(message.id ?? null, -32603, text);
    }
    if (message.method === "initialize" && this.#session !== undefined) this.#listening ??= this.#listen();
  }

  async #deliver(line: string, message: Message): Promise<void> {
    try {
      await this.#post(line, message, this.#ending.signal, async (response, api) => {
        await readText(response);
        this.#idle.push(api);
      });
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#options.note(McpxError.from(error).message);
    }
  }

  /** Sends a message; where the session has ended, begins another one first: what was refused for that was not carried out. */
  async #post(
    line: string,
    message: Message,
    signal: AbortSignal,
    use: (response: ApiResponse, api: Api) => Promise<void>,
  ): Promise<void> {
    for (let hasBegunAgain = false;;) {
      const kept = this.#idle.pop();
      const api = kept ?? await this.#options.connect();
      let response: ApiResponse;
      try {
        response = await api.request({
          method: "POST",
          path: ROUTE,
          headers: this.#headers(message),
          body: line,
        }, signal);
      } catch (error) {
        await api.close();
        // A kept connection whose daemon has gone since: nobody has got the request.
        if (kept && error instanceof McpxError && error.data?.sent === false) continue;
        throw error;
      }
      const ended = response.status === 404 && this.#session !== undefined &&
        message.method !== "initialize" && versionOf(message) === undefined;
      if (!ended || hasBegunAgain) return await use(response, api);
      hasBegunAgain = true;
      await readText(response);
      this.#idle.push(api);
      this.#beginning ??= this.#beginAgain(signal).finally(() => this.#beginning = undefined);
      await this.#beginning;
    }
  }

  /** Begins another session in the place of one that ended, once for all requests that found out. */
  async #beginAgain(signal: AbortSignal): Promise<void> {
    if (this.#initialize === undefined) return;
    this.#session = undefined;
    const first: Message = { method: "initialize" };
    await this.#post(this.#initialize, first, signal, async (response, api) => {
      await readText(response);
      this.#session = response.headers.get("mcp-session-id");
      this.#idle.push(api);
    });
    const ready = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    await this.#deliver(ready, { method: "notifications/initialized" });
    this.#listening = this.#listening?.then(() => this.#listen());
  }

  /** Passes an answer to the host, and whatever comes on its stream before it. */
  async #passOn(response: ApiResponse, message: Message): Promise<void> {
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream")) {
      for await (const { data } of readEvents(response.body)) await this.#toHost(data, message);
      return;
    }
    const text = await readText(response);
    // A cancelled request has no answer.
    if (text === "" && (Array.isArray(message) || response.status === 202)) return;
    if (readMessage(text)) await this.#toHost(text, message);
    else {await this.#answerError(
        message.id ?? null,
        -32603,
        `The daemon answered ${response.status} without a message.`,
      );}
  }

  async #toHost(text: string, request?: Message): Promise<void> {
    if (text === "") return;
    if (request?.method === "initialize") this.#version = negotiatedVersion(text) ?? this.#version;
    // JSON has line breaks only between its tokens.
    const line = text.includes("\n") ? text.replace(/[\r\n]+/g, " ") : text;
    this.#writing = this.#writing.then(() => this.#options.write(line + "\n"));
    await this.#writing;
  }

  #answerError(id: Message["id"], code: number, message: string): Promise<void> {
    return this.#toHost(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }

  /** Reads what the daemon says of its own accord, for as long as the session lasts. */
  async #listen(): Promise<void> {
    let last: string | undefined;
    while (!this.#ending.signal.aborted) {
      const api = await this.#options.connect().catch(() => undefined);
      if (!api) return;
      try {
        const headers = { ...this.#headers({}), ...(last === undefined ? {} : { "last-event-id": last }) };
        const response = await api.request({ method: "GET", path: ROUTE, headers }, this.#ending.signal);
        if (response.status !== 200) return;
        let heard = false;
        for await (const event of readEvents(response.body)) {
          heard = true;
          last = event.id ?? last;
          await this.#toHost(event.data);
        }
        if (!heard) return;
      } catch (error) {
        if (!this.#ending.signal.aborted) this.#options.note(McpxError.from(error).message);
        return;
      } finally {
        await api.close();
      }
    }
  }

  async #endSession(): Promise<void> {
    const api = await this.#options.connect().catch(() => undefined);
    if (!api) return;
    try {
      const request = { method: "DELETE", path: ROUTE, headers: this.#headers({}) };
      await readText(await api.request(request, AbortSignal.timeout(2000)));
    } catch (error) {
      this.#options.note(McpxError.from(error).message);
    } finally {
      await api.close();
    }
  }

  #headers(message: Message): Record<string, string> {
    const modern = versionOf(message);
    const version = modern ?? (message.method === "initialize" ? undefined : this.#version);
    const named = message.params?.name ?? message.params?.uri ?? message.params?.taskId;
    return {
      ...this.#options.headers,
      accept: "application/json, text/event-stream",
      ...(version === undefined ? {} : { "mcp-protocol-version": version }),
      ...(this.#session === undefined || modern !== undefined ? {} : { "mcp-session-id": this.#session }),
      ...(modern === undefined || message.method === undefined ? {} : { "mcp-method": message.method }),
      ...(modern === undefined || typeof named !== "string" ? {} : { "mcp-name": headerValue(named) }),
    };
  }
}

function readMessage(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined; // said to the host by the caller, as JSON-RPC has it
  }
}

/** The version that a modern request carries with it. */
function versionOf(message: Message): string | undefined {
  const version = message.params?._meta?.[VERSION_KEY];
  return typeof version === "string" ? version : undefined;
}

function negotiatedVersion(text: string): string | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !("result" in value)) return undefined;
  const { result } = value;
  if (typeof result !== "object" || result === null || !("protocolVersion" in result)) return undefined;
  return typeof result.protocolVersion === "string" ? result.protocolVersion : undefined;
}

/** A name as a header carries it: base64 where it holds more than visible ASCII. */
function headerValue(text: string): string {
  const isSafe = SAFE_VALUE.test(text) && text === text.trim() && !text.startsWith("=?base64?");
  return isSafe ? text : `=?base64?${new TextEncoder().encode(text).toBase64()}?=`;
}
