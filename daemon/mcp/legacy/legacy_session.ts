import type { Caller } from "../../../lib/engine/caller.ts";
import type { RootsHost } from "../../../lib/engine/host_roots.ts";
import { USUAL_LEVEL } from "../../../lib/engine/log_levels.ts";
import { resourceSubject } from "../../../lib/engine/watch_subject.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import { isObject } from "../../../lib/json/mod.ts";
import type { InstanceView } from "../../../lib/pool/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { wantsLevel } from "../face/log_levels.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { uriRule, withUri } from "../face/uris.ts";
import type { RequestOrigin } from "../surface_options.ts";
import { EarlyCancels } from "./early_cancels.ts";
import { HostQuestions } from "./host_questions.ts";
import { HostRootsCache } from "./host_roots_cache.ts";
import { LegacyTasks } from "./legacy_tasks.ts";
import type { SessionStreams } from "./session_streams.ts";

/** Notifications that reach a host by other ways, or none. */
const HANDLED: ReadonlySet<string> = new Set([
  "notifications/cancelled",
  "notifications/initialized",
  "notifications/progress",
  "notifications/resources/updated",
  "notifications/roots/list_changed",
  "notifications/subscriptions/acknowledged",
  "notifications/tasks",
]);
const PAGE_ENDED = "notifications/elicitation/complete";
const TASK_STATUS = "notifications/tasks/status";
/** What sessions were told, by its params: it is written down once for all of them. */
const MESSAGES = new WeakMap<object, JsonObject>();

/** What a host said when it opened its session. */
export interface SessionFacts {
  id: string;
  version: string;
  capabilities: JsonObject;
  origin: RequestOrigin;
  /** Whether instances of its scope end with it. */
  ownsScope: boolean;
  /** Where it speaks. */
  streams: SessionStreams;
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
  /** What the host is asked. */
  readonly questions: HostQuestions;
  /** Messages of servers that came on one of its requests already. */
  readonly told: WeakSet<object> = new WeakSet();
  /** Tasks that servers began for this host. */
  readonly tasks: LegacyTasks;
  lastUsed: number = Date.now();
  readonly #face: McpFace;
  readonly #ownsScope: boolean;
  readonly #watched = new Map<string, Promise<AsyncDisposable>>();
  readonly #listening: DisposableStack = new DisposableStack();
  readonly #roots: HostRootsCache;
  readonly #rootsHost: RootsHost;
  #level: string | undefined;
  #isLeaving = false;

  constructor(face: McpFace, { id, version, capabilities, origin, ownsScope, streams }: SessionFacts) {
    this.id = id;
    this.version = version;
    this.capabilities = capabilities;
    this.origin = origin;
    this.#ownsScope = ownsScope;
    this.streams = streams;
    this.#face = face;
    this.questions = new HostQuestions(this);
    const standing = this.questions.over((message) => this.streams.push(message));
    this.tasks = new LegacyTasks({
      face,
      can: standing.can,
      standing: () => this.streams.isOpen ? standing : undefined,
      tell: (method, params) => this.#notify(method, params),
    });
    this.#roots = new HostRootsCache({
      answers: () => this.streams.isOpen ? standing : this.questions.latest(),
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

  /** Takes a notification of the host's that belongs to no request of its own. */
  notified(method: string, params: JsonObject): void {
    if (method === "notifications/progress") return this.questions.progressed(params);
    if (method !== "notifications/roots/list_changed") return;
    this.#roots.forget();
    void this.#face.engine.hostRoots.changed(this.#rootsHost);
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

  /** Counts a request out that is answered. */
  finished(key: string): void {
    this.running.delete(key);
    this.earlyCancels.finished(key);
    this.lastUsed = Date.now();
    if (this.#isLeaving && this.running.size === 0) this.streams.finish();
  }

  /** Says nothing more of its own accord; its streams end once what runs is answered. */
  leave(): void {
    this.#isLeaving = true;
    this.#listening.dispose();
    if (this.running.size === 0) this.streams.finish();
    else if (this.streams.isResumable) this.streams.standing.finish();
  }

  /** Ends everything that it began. */
  async close(): Promise<void> {
    this.#listening.dispose();
    this.tasks.close();
    const gone = new McpxError("cancelled", "Cancelled: the host's session has ended.");
    for (const abort of this.running.values()) abort.abort(gone);
    this.questions.close(gone);
    this.streams.close();
    await Promise.all([...this.#watched.keys()].map((uri) => this.unsubscribe(uri)));
    if (this.#ownsScope) {
      await this.#face.engine.pool.endScope(`session:${this.origin.identity.session}`);
    }
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
      if (!this.#wants(instance, method, params)) return;
      const caller = this.#caller();
      switch (method) {
        case TASK_STATUS:
          if (this.#face.engine.serves(instance, caller)) this.tasks.take(instance, params);
          return;
        case PAGE_ENDED:
          // Who was asked to open it waits for its end, whatever it is offered.
          if (!this.#face.engine.serves(instance, caller)) return;
          this.questions.endPage(params.elicitationId);
          return this.#notify(method, params);
        default:
          if (this.#hears(instance, caller)) this.#notify(method, params);
      }
    });
  }

  /** Whether it is one of the notifications that belong to no request and that this host takes. */
  #wants({ connection }: InstanceView, method: string, params: JsonObject): boolean {
    switch (method) {
      case "notifications/message":
        return wantsLevel(this.logLevel, params.level);
      case PAGE_ENDED:
        return this.questions.waitsForPage(params.elicitationId);
      case TASK_STATUS:
        return this.version === "2025-11-25";
      default:
        // One that no revision has is passed on for hosts that know it; those that do not leave it alone.
        return connection?.era === "legacy" && !HANDLED.has(method);
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
    this.streams.push(messageOf(method, params));
  }
}

/** The message of a notification; the same one for every session that is told it. */
function messageOf(method: string, params: unknown): JsonObject {
  if (!isObject(params)) return { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) };
  const known = MESSAGES.get(params);
  if (known?.method === method) return known;
  const message = { jsonrpc: "2.0", method, params };
  MESSAGES.set(params, message);
  return message;
}
