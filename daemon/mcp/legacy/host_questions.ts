import { isObject } from "../../../lib/json/mod.ts";
import type { CallerAnswers } from "../../../lib/engine/caller_answers.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { hostCan } from "../face/can_answer.ts";
import { type HostMessage, idKey } from "../wire/host_message.ts";
import { RPC, type RpcErrorBody } from "../wire/rpc_error.ts";
import { RecentIds } from "./recent_ids.ts";

interface Asked {
  resolve(result: JsonObject): void;
  reject(error: McpxError): void;
  onProgress?(params: JsonObject): void;
}

interface AskOptions {
  push(message: JsonObject): void;
  signal: AbortSignal;
  onProgress: ((params: JsonObject) => void) | undefined;
}

/** What one host of the legacy era is asked, and what becomes of it. */
export class HostQuestions {
  readonly #host: { version: string; capabilities: JsonObject };
  readonly #asked = new Map<string, Asked>();
  /** The pages that the host was asked to open, by their elicitation ids: the end of others is not its business. */
  readonly #pages = new RecentIds();
  /** How it is asked on the streams of its open requests, the latest last. */
  readonly #during = new Map<string, CallerAnswers>();
  #nextId = 1;

  constructor(host: { version: string; capabilities: JsonObject }) {
    this.#host = host;
  }

  /** How the host is asked over a stream. */
  over(push: (message: JsonObject) => void): CallerAnswers {
    return {
      can: (method, params) => hostCan(this.#host, method, params),
      ask: (method, params, signal, onProgress) =>
        this.#ask({ method, params }, { push, signal, onProgress }),
    };
  }

  /** How it is asked on the stream of one request, while that is open. */
  during(key: string, push: (message: JsonObject) => void): CallerAnswers & Disposable {
    const answers = this.over(push);
    this.#during.set(key, answers);
    return { ...answers, [Symbol.dispose]: () => void this.#during.delete(key) };
  }

  /** How it is asked on the stream of its latest open request. */
  latest(): CallerAnswers | undefined {
    return [...this.#during.values()].at(-1);
  }

  /** Takes an answer. */
  answered(message: HostMessage & { kind: "answer" }): void {
    const asked = this.#asked.get(idKey(message.id));
    if (message.result) return asked?.resolve(message.result);
    const { code = 0, message: text = "", data } = message.error ?? {};
    asked?.reject(new McpxError("upstream-error", text, { data: { code, message: text, data } }));
  }

  /** Takes the progress that the host makes on an answer. */
  progressed(params: JsonObject): void {
    this.#asked.get(idKey(params.progressToken))?.onProgress?.(params);
  }

  /** Remembers the pages that an error asks the host to open. */
  noteError({ code, data }: RpcErrorBody): void {
    if (code !== RPC.urlElicitation || !isObject(data) || !Array.isArray(data.elicitations)) return;
    for (const page of data.elicitations) this.#notePage(page);
  }

  /** Whether the host was asked to open a page whose end it has not heard of. */
  waitsForPage(elicitationId: unknown): boolean {
    return this.#pages.has(elicitationId);
  }

  /** The host hears of a page's end. */
  endPage(elicitationId: unknown): void {
    this.#pages.delete(elicitationId);
  }

  /** The host has gone: nothing is answered any more. */
  close(reason: McpxError): void {
    for (const { reject } of this.#asked.values()) reject(reason);
  }

  async #ask(
    { method, params }: { method: string; params: JsonObject },
    { push, signal, onProgress }: AskOptions,
  ): Promise<JsonObject> {
    const id = `mcpx-${this.#nextId++}`;
    const key = idKey(id);
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const { _meta } = params;
    // Two servers may have chosen the same token.
    const sent = onProgress && isObject(_meta)
      ? { ...params, _meta: { ..._meta, progressToken: id } }
      : params;
    this.#asked.set(key, { resolve, reject, ...(onProgress ? { onProgress } : {}) });
    const onAbort = (): void => {
      const reason = "The server withdrew its question.";
      push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } });
      reject(McpxError.from(signal.reason));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#notePage(params);
    try {
      push({ jsonrpc: "2.0", id, method, params: sent });
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#asked.delete(key);
    }
  }

  #notePage(page: unknown): void {
    if (isObject(page) && typeof page.elicitationId === "string") this.#pages.add(page.elicitationId);
  }
}
