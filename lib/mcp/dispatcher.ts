import { isObject } from "../json/mod.ts";
import { McpxError } from "../errors/mod.ts";
import type { JsonObject } from "../schema/types.ts";
import { CallClocks, type Expiry } from "./call_clock.ts";
import { connectionEnded, rpcErrorOf, serverError, timedOut, unusableAnswer } from "./call_error.ts";
import { excerpt, type OutgoingMessage, readMessage, type RequestId } from "./json_rpc.ts";
import { cancelled, type DispatchOptions, type PendingRequest, progressed } from "./pending_request.ts";
import type { SendOptions, Transport, TransportEvents } from "./transport/transport.ts";
import type { ConnectionEnd, ConnectOptions } from "./types.ts";

/** A request with its era's members, made once its id is known. */
export interface PreparedRequest extends SendOptions {
  method: string;
  params?: JsonObject;
}

/** How many tasks' progress is passed on; of the oldest no more is. */
const MOST_BEGUN = 1000;

/** How many requests of a server's may wait for their answers to be taken; a server that reads nothing gets no more. */
const MOST_SERVED = 40_000;

/** What the dispatcher does not answer itself. */
export type DispatcherOptions = Pick<ConnectOptions, "handlers" | "onNotification" | "onNote">;

/**
 * Pairs requests with answers on one connection, in both directions.
 *
 * Ids and progress tokens are minted here, one number for both, so no two callers can cross.
 */
export class Dispatcher implements TransportEvents {
  readonly #options: DispatcherOptions;
  readonly #pending = new Map<number, PendingRequest>();
  /** Requests that began tasks: their progress may go on. */
  readonly #begun = new Map<number, PendingRequest>();
  readonly #clocks = new CallClocks();
  readonly #serving = new Map<RequestId, AbortController>();
  /** How many of the server's requests have no answer that it took. */
  #served = 0;
  #droppedUnread = false;
  #transport: Transport | undefined;
  #hasRequests = true;
  #end: ConnectionEnd | undefined;
  #nextId = 1;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Gives the dispatcher the transport whose events it receives. */
  attach(transport: Transport): void {
    this.#transport = transport;
    transport.ended.then((end) => {
      if (this.#transport === transport) this.#finish(end);
    });
  }

  /** From now on requests of the server's are dropped: its era has none, and nothing may be answered to them. */
  dropRequests(): void {
    this.#hasRequests = false;
  }

  /** Sends what `prepare` makes for a fresh id, and gives the result as it came. */
  request(prepare: (id: number) => PreparedRequest, options: DispatchOptions = {}): Promise<JsonObject> {
    const id = this.#nextId++;
    const prepared = prepare(id);
    const { method, params } = prepared;
    const name = params?.name ?? params?.uri;
    const named = typeof name === "string" ? { method, subject: name } : { method };
    const transport = this.#transport;
    if (options.signal?.aborted) return Promise.reject(cancelled(options.signal));
    if (this.#end || !transport) {
      const end = this.#end ?? { kind: "closed", message: "the connection is not open" };
      return Promise.reject(connectionEnded(named, end, false));
    }
    return new Promise((resolve, reject) => {
      const pending: PendingRequest = { ...named, options, resolve, reject };
      this.#pending.set(id, pending);
      if (options.timeoutMs !== undefined || options.maxTotalMs !== undefined) {
        pending.clock = this.#clocks.start({
          timeoutMs: options.timeoutMs,
          maxTotalMs: options.maxTotalMs,
          paused: options.paused,
          onExpire: (expiry) => this.#expire(id, expiry),
        });
      }
      if (options.signal) {
        pending.onAbort = () => this.#giveUp(id, cancelled(options.signal));
        options.signal.addEventListener("abort", pending.onAbort, { once: true });
      }
      if (transport.streamPerRequest) pending.abort = new AbortController();
      transport.send({ jsonrpc: "2.0", id, method, params }, { ...prepared, signal: pending.abort?.signal })
        .catch((error) => this.#sendFailed(id, transport, error));
    });
  }

  /** Sends a notification. */
  async notify(method: string, params: JsonObject | undefined, options?: SendOptions): Promise<void> {
    const transport = this.#transport;
    if (this.#end || !transport) {
      throw connectionEnded(
        { method },
        this.#end ?? { kind: "closed", message: "the connection is not open" },
        false,
      );
    }
    await transport.send({ jsonrpc: "2.0", method, ...(params ? { params } : {}) }, options);
  }

  message(value: unknown, stream?: number): void {
    if (Array.isArray(value)) {
      for (const one of value) this.#take(one, stream);
    } else {
      this.#take(value, stream);
    }
  }

  tooLarge(bytes: number, id?: number): void {
    const only = this.#pending.size === 1 ? this.#pending.keys().next().value : undefined;
    const pending = this.#settle(id ?? only);
    const text = `a message of ${bytes} bytes or more is larger than the limit (pool.maxMessageBytes)`;
    if (!pending) return this.note(`Dropped ${text}.`);
    pending.reject(
      new McpxError("upstream-protocol", `Cannot read the answer to ${pending.method}: ${text}.`, {
        hint: "mcpx settings set pool.maxMessageBytes <bytes>",
        data: { bytes, method: pending.method },
      }),
    );
  }

  note(text: string): void {
    this.#options.onNote?.(text);
  }

  #take(value: unknown, stream: number | undefined): void {
    const message = readMessage(value);
    switch (message.kind) {
      case "result": {
        const pending = this.#answered(message.id);
        if (!pending) return;
        if (isObject(message.result)) {
          if (typeof message.id === "number") this.#keepProgress(message.id, pending, message.result);
          return pending.resolve(message.result);
        }
        if (message.result === null) return pending.resolve({});
        return pending.reject(
          unusableAnswer(pending, `its result is no object, and is ${excerpt(message.result)}`),
        );
      }
      case "broken": {
        const pending = this.#answered(message.id);
        return pending?.reject(unusableAnswer(pending, message.why));
      }
      case "error": {
        const pending = this.#answered(message.id);
        return pending?.reject(serverError(pending, message.error));
      }
      case "request":
        if (!this.#hasRequests) {
          return this.note(
            `A request of the server's was dropped, since its revision has none: ${message.method}`,
          );
        }
        if (this.#served >= MOST_SERVED) return this.#dropUnread();
        this.#served++;
        this.#serve(message.id, message.method, message.params, stream).finally(() => this.#served--);
        return;
      case "notification":
        return this.#notified(message.method, message.params, stream);
      case "odd":
        return this.note(`A message was skipped, for ${message.why}.`);
    }
  }

  /** A server that asks on and takes no answer would fill the memory with answers. */
  #dropUnread(): void {
    if (this.#droppedUnread) return;
    this.#droppedUnread = true;
    this.note(
      `Requests of the server's are dropped: it has made ${MOST_SERVED} whose answers it has not taken.`,
    );
  }

  #answered(id: unknown): PendingRequest | undefined {
    const pending = typeof id === "number" ? this.#settle(id) : undefined;
    if (!pending) {
      const late = typeof id === "number" && Number.isInteger(id) && id > 0 && id < this.#nextId;
      this.note(
        late
          ? `A late answer to request ${id} was dropped.`
          : `An answer to a request that was never made was dropped (id ${JSON.stringify(id) ?? "missing"}).`,
      );
    }
    return pending;
  }

  /** The token of a request that was answered with a task of 2025-11-25 stays good for the task. */
  #keepProgress(id: number, pending: PendingRequest, result: JsonObject): void {
    if (!isObject(result.task) || !pending.options.onProgress) return;
    this.#begun.set(id, pending);
    const [oldest] = this.#begun.keys();
    if (this.#begun.size > MOST_BEGUN && oldest !== undefined) this.#begun.delete(oldest);
  }

  #notified(method: string, params: JsonObject, stream: number | undefined): void {
    if (method === "notifications/progress") {
      const token = typeof params.progressToken === "number" ? params.progressToken : 0;
      const pending = this.#pending.get(token) ?? this.#begun.get(token);
      if (pending) progressed(pending, params);
      return;
    }
    if (method === "notifications/cancelled") {
      const id = params.requestId;
      if (typeof id === "number" || typeof id === "string") this.#serving.get(id)?.abort();
      return;
    }
    if (method === "notifications/message" && this.#logged(params, stream)) return;
    this.#options.onNotification?.(method, params);
  }

  /** Hands a log entry to the request it belongs to, or to all that may be meant. */
  #logged(entry: JsonObject, stream: number | undefined): boolean {
    const own = stream === undefined ? undefined : this.#pending.get(stream);
    // The latest request is the likeliest one; a reader of several requests takes an entry once.
    const readers = (own ? [own] : [...this.#pending.values()].reverse()).filter((one) => one.options.onLog);
    for (const reader of readers) reader.options.onLog?.(entry);
    return readers.length > 0;
  }

  async #serve(
    id: RequestId,
    method: string,
    params: JsonObject,
    stream: number | undefined,
  ): Promise<void> {
    const handlers: Record<
      string,
      ((params: JsonObject, signal: AbortSignal, origin?: object) => Promise<JsonObject>) | undefined
    > = this.#options.handlers;
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    let answer: OutgoingMessage;
    if (method === "ping") {
      answer = { jsonrpc: "2.0", id, result: {} };
    } else if (!handler) {
      answer = { jsonrpc: "2.0", id, error: { code: -32601, message: `Method not found: ${method}` } };
    } else {
      const abort = new AbortController();
      const origin = stream === undefined ? undefined : this.#pending.get(stream)?.options.origin;
      this.#serving.set(id, abort);
      try {
        answer = { jsonrpc: "2.0", id, result: await handler(params, abort.signal, origin) };
      } catch (error) {
        answer = { jsonrpc: "2.0", id, error: rpcErrorOf(error) };
      }
      if (this.#serving.get(id) === abort) this.#serving.delete(id);
      if (abort.signal.aborted) return;
    }
    await this.#transport?.send(answer).catch((error) =>
      this.note(`The answer to the server's ${method} did not reach it: ${McpxError.from(error).message}`)
    );
  }

  #expire(id: number, expiry: Expiry): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    const { timeoutName, maxTotalName = timeoutName } = pending.options;
    this.#giveUp(id, timedOut(pending, expiry, expiry.limit === "total" ? maxTotalName : timeoutName));
  }

  #giveUp(id: number, error: McpxError): void {
    const pending = this.#settle(id);
    if (!pending) return;
    pending.reject(error);
    const params = pending.options.cancelNotice?.(id, error.message);
    if (params) this.notify("notifications/cancelled", params).catch(() => {});
    pending.abort?.abort(error);
  }

  async #sendFailed(id: number, transport: Transport, error: unknown): Promise<void> {
    if (!this.#pending.has(id)) return;
    // A pipe breaks because the process has ended, and its end says more than the pipe.
    const end = transport.pid === undefined ? undefined : await transport.ended;
    const pending = this.#settle(id);
    pending?.reject(end ? connectionEnded(pending, end, true) : error);
  }

  /** Takes a request out of the table and releases what it held. */
  #settle(id: number | undefined): PendingRequest | undefined {
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || !pending) return undefined;
    this.#pending.delete(id);
    if (pending.clock) this.#clocks.stop(pending.clock);
    if (pending.onAbort) pending.options.signal?.removeEventListener("abort", pending.onAbort);
    return pending;
  }

  #finish(end: ConnectionEnd): void {
    this.#end = end;
    this.#clocks.close();
    for (const id of [...this.#pending.keys()]) {
      const pending = this.#settle(id);
      pending?.reject(connectionEnded(pending, end, true));
      pending?.abort?.abort();
    }
    for (const abort of this.#serving.values()) abort.abort();
    this.#serving.clear();
  }
}
