import type { CallerAnswers } from "../../../lib/engine/caller_answers.ts";
import { resourceSubject } from "../../../lib/engine/watch_subject.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { hostCan } from "../face/can_answer.ts";
import { wantsLevel } from "../face/log_levels.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { uriRule, withUri } from "../face/uris.ts";
import type { RequestOrigin } from "../surface_options.ts";
import { type HostMessage, idKey } from "../wire/host_message.ts";
import { EarlyCancels } from "./early_cancels.ts";
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
  /** Tasks that servers began for this host, and which server each one runs at. */
  readonly tasks: Map<string, string> = new Map();
  /** The lowest level of log messages that the host wants; before it says so, what people usually want. */
  logLevel = "info";
  lastUsed: number = Date.now();
  readonly #face: McpFace;
  readonly #ownsScope: boolean;
  readonly #asked = new Map<string, Asked>();
  readonly #watched = new Map<string, AsyncDisposable>();
  readonly #listening: Disposable;
  #nextId = 1;

  constructor(face: McpFace, { id, version, capabilities, origin, ownsScope, streams }: SessionFacts) {
    this.id = id;
    this.version = version;
    this.capabilities = capabilities;
    this.origin = origin;
    this.#ownsScope = ownsScope;
    this.streams = streams ?? new SessionStreams();
    this.#face = face;
    this.#listening = this.#relayNotices();
  }

  /** Whether something of it is under way or listened to. */
  get isBusy(): boolean {
    return this.running.size > 0 || this.streams.isOpen;
  }

  /** How the host is asked what servers want to know, on the stream of one of its requests. */
  answersOver(push: (message: JsonObject) => void): CallerAnswers {
    return {
      can: (method, params) => hostCan(this, method, params),
      ask: (method, params, signal) => this.#ask({ method, params }, push, signal),
    };
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
    if (this.#watched.has(uri)) return;
    const caller = this.#face.engine.caller({ surface: "mcp", ...this.origin });
    const target = await this.#face.locate(uri, caller);
    const rule = uriRule(target.entry.definition);
    const subject = resourceSubject(target.uri);
    const watching = await this.#face.engine.watch.watch({ entry: target.entry, subject }, {
      caller,
      onTold: ({ _meta: _own, ...params }) =>
        this.#notify("notifications/resources/updated", withUri(params, rule)),
      onLapse: () => this.#notify("notifications/resources/updated", { uri }),
    });
    this.#watched.set(uri, watching);
  }

  /** Stops watching. */
  async unsubscribe(uri: string): Promise<void> {
    const watching = this.#watched.get(uri);
    this.#watched.delete(uri);
    await watching?.[Symbol.asyncDispose]();
  }

  /** Ends everything that it began. */
  async close(): Promise<void> {
    this.#listening[Symbol.dispose]();
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
    push: (message: JsonObject) => void,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const id = `mcpx-${this.#nextId++}`;
    const key = idKey(id);
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    this.#asked.set(key, { resolve, reject });
    const onAbort = (): void => {
      push(
        message("notifications/cancelled", { requestId: id, reason: "The server withdrew its question." }),
      );
      reject(McpxError.from(signal.reason));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      push({ jsonrpc: "2.0", id, method, params });
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#asked.delete(key);
    }
  }

  #relayNotices(): Disposable {
    return this.#face.engine.notices.listen((notice) => {
      const caller = this.#face.engine.caller({ surface: "mcp", ...this.origin });
      if (notice.type === "lists") {
        for (const kind of ["tools", "prompts", "resources"] as const) {
          if (this.#face.concerns(notice, kind, caller)) this.#notify(`notifications/${kind}/list_changed`);
        }
        return;
      }
      if (notice.type !== "notification") return;
      const { instance, method, params } = notice;
      if (!caller.settings.get("serve.mode").includes("passthrough")) return;
      if (!this.#face.engine.serves(instance, caller)) return;
      if (method === "notifications/message" && wantsLevel(this.logLevel, params.level)) {
        this.#notify(method, params);
      }
      if (method === "notifications/elicitation/complete" && this.version >= "2025-11-25") {
        this.#notify(method, params);
      }
    });
  }

  #notify(method: string, params?: unknown): void {
    this.streams.push(message(method, params));
  }
}

function message(method: string, params?: unknown): JsonObject {
  return { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) };
}
