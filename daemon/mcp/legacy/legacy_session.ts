import type { Caller } from "../../../lib/engine/caller.ts";
import type { CallerAnswers } from "../../../lib/engine/caller_answers.ts";
import type { RootsHost } from "../../../lib/engine/host_roots.ts";
import { USUAL_LEVEL } from "../../../lib/engine/log_levels.ts";
import { resourceSubject } from "../../../lib/engine/watch_subject.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { InstanceView } from "../../../lib/pool/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { hostCan } from "../face/can_answer.ts";
import { wantsLevel } from "../face/log_levels.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { uriRule, withUri } from "../face/uris.ts";
import type { RequestOrigin } from "../surface_options.ts";
import { type HostMessage, idKey, isObject } from "../wire/host_message.ts";
import { EarlyCancels } from "./early_cancels.ts";
import { RPC, type RpcErrorBody } from "../wire/rpc_error.ts";
import { HostRootsCache } from "./host_roots_cache.ts";
import { LegacyTasks } from "./legacy_tasks.ts";
import { RecentIds } from "./recent_ids.ts";
import { SessionStreams } from "./session_streams.ts";

/** What a host said when it opened its session. */
export interface SessionFacts {
  id: string;
  version: string;
  capabilities: JsonObject;
  origin: RequestOrigin;
  /** Whether instances of its scope end with it. */
  ownsScope: boolean;
  /** Where it speaks; by default on streams of its own. */
  streams?: SessionStreams;
}

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

/** One host of the legacy era, from `initialize` to its end. */
export class LegacySession {
  readonly id: string;
  readonly version: string;
  readonly capabilities: JsonObject;
  readonly origin: RequestOrigin;
  readonly streams: SessionStreams;
  /** Requests under way, by their ids. */
  readonly running: Map<string, AbortController> = new Map();
  /** Cancellations that overtook their requests. */
  readonly earlyCancels: EarlyCancels = new EarlyCancels();
  /** Tasks that servers began for this host. */
  readonly tasks: LegacyTasks;
  lastUsed: number = Date.now();
  readonly #face: McpFace;
  readonly #ownsScope: boolean;
  readonly #asked = new Map<string, Asked>();
  /** The pages that this host was asked to open, by their elicitation ids: the end of others is not its business. */
  readonly #pages = new RecentIds();
  readonly #watched = new Map<string, Promise<AsyncDisposable>>();
  readonly #listening: DisposableStack = new DisposableStack();
  /** How the host is asked on the streams of its open requests, the latest last. */
  readonly #openAnswers = new Map<string, CallerAnswers>();
  readonly #roots: HostRootsCache;
  readonly #rootsHost: RootsHost;
  #level: string | undefined;
  #nextId = 1;

  constructor(face: McpFace, { id, version, capabilities, origin, ownsScope, streams }: SessionFacts) {
    this.id = id;
    this.version = version;
    this.capabilities = capabilities;
    this.origin = origin;
    this.#ownsScope = ownsScope;
    this.streams = streams ?? new SessionStreams();
    this.#face = face;
    const standing = this.answersOver((message) => this.streams.push(message));
    this.tasks = new LegacyTasks({
      face,
      can: standing.can,
      standing: () => this.streams.isOpen ? standing : undefined,
      tell: (method, params) => this.#notify(method, params),
    });
    this.#roots = new HostRootsCache({
      answers: () => this.streams.isOpen ? standing : [...this.#openAnswers.values()].at(-1),
      note: (text) => face.engine.note("info", text),
    });
    this.#rootsHost = {
      holds: (instance) => face.engine.serves(instance, this.#caller()),
      roots: () => this.#roots.get(),
    };
    this.#listening.use(face.engine.hostRoots.join(this.#rootsHost));
    this.#listening.use(this.#relayNotices());
    this.#listening.use(face.engine.logLevels.join({
      asked: () => this.#level,
      hears: (instance) => this.#hears(instance, this.#caller()),
    }));
  }

  /** The lowest level of log messages that the host wants; before it says so, what people usually want. */
  get logLevel(): string {
    return this.#level ?? USUAL_LEVEL;
  }

  set logLevel(level: string) {
    this.#level = level;
    this.#face.engine.logLevels.reconsider();
  }

  /** Whether something of it is under way or listened to. */
  get isBusy(): boolean {
    return this.running.size > 0 || this.streams.isOpen;
  }

  /** How the host is asked what servers want to know, on the stream of one of its requests. */
  answersOver(push: (message: JsonObject) => void): CallerAnswers {
    return {
      can: (method, params) => hostCan(this, method, params),
      ask: (method, params, signal, onProgress) =>
        this.#ask({ method, params }, { push, signal, onProgress }),
    };
  }

  /** How the host is asked on the stream of one request, while that is open. */
  answersDuring(key: string, push: (message: JsonObject) => void): CallerAnswers & Disposable {
    const answers = this.answersOver(push);
    this.#openAnswers.set(key, answers);
    return { ...answers, [Symbol.dispose]: () => void this.#openAnswers.delete(key) };
  }

  /** Takes a notification of the host's that belongs to no request of its own. */
  notified(method: string, params: JsonObject): void {
    if (method === "notifications/progress") {
      this.#asked.get(idKey(params.progressToken))?.onProgress?.(params);
    }
    if (method !== "notifications/roots/list_changed") return;
    this.#roots.forget();
    void this.#face.engine.hostRoots.changed(this.#rootsHost);
  }

  /** Remembers the pages that an error asks the host to open. */
  noteError({ code, data }: RpcErrorBody): void {
    if (code !== RPC.urlElicitation || !isObject(data) || !Array.isArray(data.elicitations)) return;
    for (const page of data.elicitations) this.#notePage(page);
  }

  /** Takes the host's answer to a question. */
  answered(message: HostMessage & { kind: "answer" }): void {
    const asked = this.#asked.get(idKey(message.id));
    if (message.result) return asked?.resolve(message.result);
    const { code = 0, message: text = "", data } = message.error ?? {};
    asked?.reject(new McpxError("upstream-error", text, { data: { code, message: text, data } }));
  }

  /** Watches a resource for the host. @throws {RpcError} @throws {McpxError} */
  async subscribe(uri: string): Promise<void> {
    const watching = this.#watched.get(uri) ?? this.#watch(uri);
    this.#watched.set(uri, watching);
    try {
      await watching;
    } catch (error) {
      if (this.#watched.get(uri) === watching) this.#watched.delete(uri);
      throw error;
    }
  }

  /** Stops watching. */
  async unsubscribe(uri: string): Promise<void> {
    const watching = this.#watched.get(uri);
    this.#watched.delete(uri);
    const watch = await watching?.catch(() => undefined); // who subscribed was told
    await watch?.[Symbol.asyncDispose]();
  }

  /** Ends everything that it began. */
  async close(): Promise<void> {
    this.#listening.dispose();
    this.tasks.close();
    const gone = new McpxError("cancelled", "Cancelled: the host's session has ended.");
    for (const abort of this.running.values()) abort.abort(gone);
    for (const { reject } of this.#asked.values()) reject(gone);
    this.streams.close();
    await Promise.all([...this.#watched.keys()].map((uri) => this.unsubscribe(uri)));
    if (this.#ownsScope) {
      await this.#face.engine.pool.endScope(`session:${this.origin.identity.session}`);
    }
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
      push(
        message("notifications/cancelled", { requestId: id, reason: "The server withdrew its question." }),
      );
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

  #relayNotices(): Disposable {
    return this.#face.engine.notices.listen((notice) => {
      if (notice.type === "lists") {
        const caller = this.#caller();
        for (const kind of ["tools", "prompts", "resources"] as const) {
          if (this.#face.concerns(notice, kind, caller)) this.#notify(`notifications/${kind}/list_changed`);
        }
        return;
      }
      if (notice.type !== "notification") return;
      const { instance, method, params } = notice;
      this.tasks.take(instance, method, params);
      if (this.#wants(method, params) && this.#hears(instance, this.#caller())) this.#notify(method, params);
    });
  }

  /** Whether it is one of the notifications that belong to no request and that this host takes. */
  #wants(method: string, params: JsonObject): boolean {
    switch (method) {
      case "notifications/message":
        return wantsLevel(this.logLevel, params.level);
      case "notifications/elicitation/complete":
        return this.#pages.delete(params.elicitationId);
      default:
        return false;
    }
  }

  /** Whether an instance is one that serves this host, and it is offered what servers have. */
  #hears(instance: InstanceView, caller: Caller): boolean {
    return caller.settings.get("serve.mode").includes("passthrough") &&
      this.#face.engine.serves(instance, caller);
  }

  #caller(): Caller {
    return this.#face.engine.caller({ surface: "mcp", ...this.origin });
  }

  async #watch(uri: string): Promise<AsyncDisposable> {
    const caller = this.#caller();
    const target = await this.#face.locate(uri, caller);
    const rule = uriRule(target.entry.definition);
    const subject = resourceSubject(target.uri);
    return await this.#face.engine.watch.watch({ entry: target.entry, subject }, {
      caller,
      onTold: ({ _meta: _own, ...params }) =>
        this.#notify("notifications/resources/updated", withUri(params, rule)),
      onLapse: () => this.#notify("notifications/resources/updated", { uri }),
    });
  }

  #notify(method: string, params?: unknown): void {
    this.streams.push(message(method, params));
  }
}

function message(method: string, params?: unknown): JsonObject {
  return { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) };
}
