import { McpxError } from "../errors/mod.ts";
import { type Api, type ApiResponse, readText } from "./api.ts";
import {
  answeredIds,
  answerId,
  awaitedIds,
  type BridgeMessage,
  idKey,
  isAnswer,
  type MessageId,
  negotiatedVersion,
  readMessage,
  versionOf,
  wantsNoAnswer,
} from "./bridge_message.ts";
import { DaemonLink } from "./daemon_link.ts";
import { type HostLine, readHostLines } from "./host_lines.ts";
import { Places } from "./serve_bridge_places.ts";

/** What a bridge stands between. */
export interface BridgeOptions {
  /** The host's bytes: one JSON-RPC message a line. */
  input: ReadableStream<Uint8Array>;
  /** Sends one line to the host. @throws when nobody reads any more */
  write(line: string): Promise<void>;
  /** Opens a connection to the daemon. */
  connect(): Promise<Api>;
  /** Headers of every request. */
  headers: Record<string, string>;
  /** The most bytes that a line may have, asked for when one is long. */
  maxLine(): Promise<number>;
  /** How long answers are waited for when the host has closed its side, ms; 30,000 by default. */
  settleMs?: number;
  /** Aborted when the bridge has to end at once. */
  signal: AbortSignal;
  /** Says something on stderr. */
  note(text: string): void;
}

/** A request that the daemon has not answered yet. */
interface OpenRequest {
  /** Its id as JSON; none for a batch. */
  key: string | undefined;
  /** The ids that have no answer yet, and were not cancelled. */
  awaited: Map<string, MessageId>;
  done: Promise<void>;
  stop: AbortController;
  modern: boolean;
  /** Whether it is on its way: before that, nobody but the bridge has to hear that it is given up. */
  sent: boolean;
  /** Whether it has no answer until the host gives it up. */
  isEndless: boolean;
}

const RPC = { parse: -32700, invalidRequest: -32600, internal: -32603 } as const;
const SETTLE_MS = 30_000;
/** How many requests are at the daemon at once; each has a connection. */
const MOST_AT_ONCE = 256;
/** How many more of those that are answered at once, so that they wait for no other. */
const MOST_QUICK = 32;
const QUICK: ReadonlySet<unknown> = new Set(["initialize", "ping", "server/discover"]);
const STREAM_ENDED =
  "Cannot answer the request: the daemon ended the stream without an answer, so the outcome is unknown.";
/** How many characters of requests may be open, there or waiting, before no more is read. */
const MOST_HELD = 64 * 1024 * 1024;

/**
 * Carries MCP between a host on standard input and output and the daemon's Streamable HTTP face, message by message and untouched.
 *
 * Every request has a connection of its own, so that none waits for another; messages that want no answer are delivered in order.
 * A host that does not read is not read from either, once enough waits for it. Ends when the host closes its side and every answer
 * has been passed on, or has taken too long.
 */
export async function bridgeStdio(options: BridgeOptions): Promise<void> {
  const { input, signal, settleMs = SETTLE_MS } = options;
  await using bridge = new Bridge(options);
  const ended = AbortSignal.any([signal, bridge.lost]);
  for await (const line of readHostLines(input, { limit: () => options.maxLine(), signal: ended })) {
    await bridge.fromHost(line);
    if (ended.aborted) break;
  }
  if (!ended.aborted) await bridge.settled(settleMs);
  bridge.lost.throwIfAborted();
}

class Bridge implements AsyncDisposable {
  readonly #options: BridgeOptions;
  readonly #link: DaemonLink;
  readonly #open = new Set<OpenRequest>();
  readonly #ending = new AbortController();
  readonly #lost = new AbortController();
  readonly #places = new Places(MOST_AT_ONCE);
  readonly #quickPlaces = new Places(MOST_QUICK);
  #held = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: BridgeOptions) {
    const { connect, headers, note } = options;
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#ending.abort(), { once: true });
    this.#link = new DaemonLink({
      connect,
      headers,
      note,
      ending: this.#ending.signal,
      hear: (text) => text === "" ? Promise.resolve() : this.#inTurn(() => this.#write(text)),
    });
  }

  /** Aborted when nobody reads what is written any more, with what writing threw. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Takes one line of the host's. */
  async fromHost(line: HostLine): Promise<void> {
    switch (line.kind) {
      case "not-utf8":
        return await this.#refuse(null, RPC.parse, "The line is not UTF-8.");
      case "too-long":
        return await this.#refuse(
          line.id,
          RPC.invalidRequest,
          `The line is longer than http.maxBody (${line.limit} bytes).`,
        );
      case "text":
        return await this.#take(line.text);
    }
  }

  /** Waits for the answers of all open requests; what only ends when the host ends it has ended now. */
  async settled(ms: number): Promise<void> {
    for (const { stop, isEndless } of this.#open) if (isEndless) stop.abort();
    const late = setTimeout(() => this.#ending.abort(), ms);
    await Promise.all([...this.#open].map((one) => one.done));
    clearTimeout(late);
    await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.all([...this.#open].map((one) => one.done));
    await this.#link[Symbol.asyncDispose]();
  }

  async #take(line: string): Promise<void> {
    const message = readMessage(line);
    if (message === undefined) return await this.#refuse(null, RPC.parse, "The line is not JSON.");
    if (message === null) {
      return await this.#refuse(null, RPC.invalidRequest, "The line is neither a JSON object nor a list.");
    }
    if (wantsNoAnswer(message)) {
      if (message.method === "notifications/cancelled" && this.#giveUp(message)) return;
      return await this.#link.deliver(line, message);
    }
    const open: OpenRequest = {
      key: idKey(message.id),
      awaited: awaitedIds(message),
      done: Promise.resolve(),
      stop: new AbortController(),
      modern: versionOf(message) !== undefined,
      sent: false,
      isEndless: message.method === "subscriptions/listen",
    };
    this.#held += line.length;
    open.done = this.#request(line, message, open).finally(() => {
      this.#held -= line.length;
      this.#open.delete(open);
    });
    this.#open.add(open);
    // What comes after it is of the session that it begins.
    if (message.method === "initialize") await open.done;
    await this.#room();
  }

  /**
   * Gives up a request that the host cancels, where the daemon need not be told: it is not on its way yet, or it is a modern one,
   * which over HTTP is cancelled by closing its stream.
   */
  #giveUp(message: BridgeMessage): boolean {
    const key = idKey(message.params?.requestId);
    if (key === undefined) return !this.#link.hasSession;
    const open = this.#open.values().find((one) => one.key === key || one.awaited.has(key));
    open?.awaited.delete(key);
    if (open?.key !== key || !open.modern && open.sent) return !this.#link.hasSession;
    open.stop.abort();
    return true;
  }

  async #request(line: string, message: BridgeMessage, open: OpenRequest): Promise<void> {
    const signal = AbortSignal.any([open.stop.signal, this.#ending.signal]);
    const places = QUICK.has(message.method) ? this.#quickPlaces : this.#places;
    if (!await places.enter(signal)) return;
    try {
      await this.#link.post(line, message, {
        signal,
        onSending: () => open.sent = true,
        use: (response) => this.#passOn(line, message, { response, signal, awaited: open.awaited }),
      });
      if (!signal.aborted) await this.#inTurn(() => this.#answerRest(open.awaited, STREAM_ENDED));
    } catch (error) {
      if (signal.aborted) return;
      await this.#inTurn(() => this.#answerRest(open.awaited, McpxError.from(error).message));
    } finally {
      places.leave();
    }
  }

  /** Says to the host of each request that has no answer that there will be none. */
  async #answerRest(awaited: Map<string, MessageId>, why: string): Promise<void> {
    for (const [key, id] of awaited) {
      awaited.delete(key);
      await this.#write(errorText(id, { code: RPC.internal, message: why }));
    }
  }

  /** Waits while too much is open already. */
  async #room(): Promise<void> {
    while (this.#held > MOST_HELD) {
      await Promise.race([...this.#open].map((one) => one.done));
    }
  }

  /** Passes an answer to the host, and whatever comes on its stream before it. */
  async #passOn(
    line: string,
    message: BridgeMessage,
    { response, signal, awaited }: {
      response: ApiResponse;
      signal: AbortSignal;
      awaited: Map<string, MessageId>;
    },
  ): Promise<void> {
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream")) {
      for await (const data of this.#link.events(response, signal)) {
        if (data === "") continue;
        for (const key of answeredIds(readMessage(data) ?? {})) awaited.delete(key);
        await this.#inTurn(() => this.#write(data));
      }
      return;
    }
    // One body at a time: what the host has not taken yet stays with the daemon.
    await this.#inTurn(async () => {
      const text = await readText(response);
      const answer = readMessage(text);
      if (!answer || !isAnswer(answer)) {
        // Of what the host has cancelled there is nothing to say.
        return await this.#answerRest(awaited, `The daemon answered ${response.status} without a message.`);
      }
      if (message.method === "initialize") this.#link.begin(line, response, negotiatedVersion(answer));
      // One message answers all that was asked, also where it names nobody.
      for (const key of Array.isArray(answer) ? answeredIds(answer) : awaited.keys()) awaited.delete(key);
      const id = answerId(message);
      // The daemon could not read whose answer it is where it did not read the body.
      const isNameless = answer.error !== undefined && (answer.id ?? null) === null && id !== null;
      await this.#write(isNameless ? errorText(id, answer.error) : text);
    });
  }

  #refuse(id: MessageId, code: number, message: string): Promise<void> {
    return this.#inTurn(() => this.#write(errorText(id, { code, message })));
  }

  /** Does one thing after another, so that lines never mix and no more than one waits in memory for each request. */
  async #inTurn(act: () => Promise<void>): Promise<void> {
    const mine = this.#writing.then(act);
    this.#writing = mine.catch(() => undefined); // whoever wrote is told
    await mine;
  }

  async #write(text: string): Promise<void> {
    if (this.#lost.signal.aborted) return;
    // JSON has line breaks only between its tokens.
    const line = /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, " ") : text;
    try {
      await this.#options.write(line + "\n");
    } catch (error) {
      this.#lost.abort(error);
      this.#ending.abort();
    }
  }
}

function errorText(id: MessageId, error: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}
