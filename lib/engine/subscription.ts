import { McpxError } from "../errors/mod.ts";
import { isObject } from "../json/mod.ts";
import { delay } from "../mcp/delay.ts";
import type { UpstreamConnection } from "../mcp/mod.ts";
import type { InstanceView } from "../pool/mod.ts";
import type { JsonObject } from "../schema/mod.ts";
import type { NoticeBoard } from "./notice_board.ts";
import type { WatchSubject } from "./watch_subject.ts";

/** What a subscription works with. */
export interface SubscriptionOptions {
  instance: InstanceView;
  connection: UpstreamConnection;
  subject: WatchSubject;
  notices: NoticeBoard;
  /** Keeps the instance while the subscription lasts. */
  kept: Disposable;
  timeoutMs: number;
  note(text: string): void;
}

/** Who hears of a subject. */
export interface WatchListener {
  onTold(params: JsonObject): void;
  /** What it was told of may have changed unseen: the subscription was lost and is there again. */
  onLapse(): void;
}

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
/** A server that acknowledges nothing is not waited for, ms. */
const ACKNOWLEDGE_MS = 5000;
const END_MS = 5000;
const SHORTEST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** One subscription on one instance, however many listen. */
export class Subscription<Listener extends WatchListener> {
  readonly listeners: Set<Listener> = new Set();
  /** Settles once the server has taken it. */
  readonly opening: Promise<void>;
  /** Set once the last listener has gone: settles when the server has been told. */
  closing: Promise<void> | undefined;
  /** Whether the instance has ended under it. */
  isLost = false;
  readonly #options: SubscriptionOptions;
  readonly #ending = new AbortController();
  readonly #listening: Disposable;
  /** The id of the listen request that is open now. */
  #id: number | undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    const { instance, subject, notices } = options;
    this.#listening = notices.listen((notice) => {
      if (notice.type === "lists" || notice.instance !== instance) return;
      if (notice.type === "renewed") return void this.#again();
      if (!subject.tells(notice.method, notice.params) || this.#isOfAnother(notice.params)) return;
      for (const { onTold } of [...this.listeners]) onTold(notice.params);
    });
    this.opening = this.#open();
    this.opening.catch(() => undefined); // who waits for it is told
  }

  /** Ends it: the server is told, where it lives. */
  close(): Promise<void> {
    return this.closing ??= this.#close();
  }

  /** Lets go of everything without a word: the instance has ended, or all does. */
  drop(): void {
    this.isLost = true;
    this.#ending.abort();
    this.#listening[Symbol.dispose]();
    this.#options.kept[Symbol.dispose]();
  }

  async #close(): Promise<void> {
    const { connection, subject: { requests } } = this.#options;
    this.#ending.abort();
    this.#listening[Symbol.dispose]();
    const isOpen = await this.opening.then(() => true, () => false);
    if (isOpen && requests && connection.era === "legacy") {
      // The server may be gone, and then nothing is left to end.
      await connection.request(requests.end, requests.params, { timeoutMs: END_MS }).catch(() => undefined);
    }
    this.#options.kept[Symbol.dispose]();
  }

  async #open(): Promise<void> {
    const { connection, subject } = this.#options;
    if (connection.era === "modern") return await this.#listen();
    if (subject.requests) await this.#begin();
  }

  /** Subscribes; once more where the session was renewed under it. */
  async #begin(): Promise<void> {
    const { connection, subject: { requests }, timeoutMs } = this.#options;
    if (!requests) return;
    const send = (): Promise<JsonObject> =>
      connection.request(requests.begin, requests.params, { timeoutMs });
    await send().catch((error) => {
      if (!(error instanceof McpxError) || error.data?.sessionRenewed !== true) throw error;
      return send();
    });
  }

  /** The session is another one: what it knew is asked for again. */
  async #again(): Promise<void> {
    const { connection, subject, note } = this.#options;
    if (connection.era !== "legacy" || !subject.requests) return;
    if (!await this.opening.then(() => true, () => false)) return;
    try {
      await this.#begin();
      this.#lapsed();
    } catch (error) {
      note(`Updates of ${subject.title} are not told any more: ${McpxError.from(error).message}`);
    }
  }

  /** Whether a message names another subscription than this one, which is told by itself. */
  #isOfAnother({ _meta }: JsonObject): boolean {
    const named = isObject(_meta) ? _meta[SUBSCRIPTION] : undefined;
    return named !== undefined && named !== this.#id;
  }

  #lapsed(): void {
    if (this.#ending.signal.aborted) return;
    for (const { onLapse } of [...this.listeners]) onLapse();
  }

  /** Settles with the first acknowledgement; the stream behind it is opened again whenever it ends. */
  async #listen(): Promise<void> {
    const first = this.#stream();
    await first.taken;
    void this.#keepOpen(first.ended);
  }

  async #keepOpen(ended: Promise<McpxError | undefined>): Promise<void> {
    const { connection, subject, note } = this.#options;
    const { signal } = this.#ending;
    let gone = false;
    void connection.ended.then(() => gone = true);
    for (let pause = SHORTEST_PAUSE_MS; !signal.aborted;) {
      const since = performance.now();
      const error = await ended;
      if (signal.aborted || gone) return;
      if (error?.code === "upstream-error" || error?.code === "unsupported") {
        return note(`Updates of ${subject.title} are not told any more: ${error.message}`);
      }
      if (performance.now() - since > LONGEST_PAUSE_MS) pause = SHORTEST_PAUSE_MS;
      if (!await delay(pause, signal)) return;
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      const next = this.#stream();
      next.taken.then(() => this.#lapsed(), () => undefined);
      ended = next.ended;
    }
  }

  /** One `subscriptions/listen`: when it is taken, and how it ends. */
  #stream(): { taken: Promise<void>; ended: Promise<McpxError | undefined> } {
    const { connection, instance, notices, subject } = this.#options;
    const { promise: taken, resolve, reject } = Promise.withResolvers<void>();
    const refused = new AbortController();
    const listening = notices.listen((notice) => {
      if (notice.type !== "notification" || notice.instance !== instance) return;
      const { method, params: { _meta, notifications } } = notice;
      if (method !== ACKNOWLEDGED || !isObject(_meta) || _meta[SUBSCRIPTION] !== this.#id) return;
      if (!isObject(notifications) || subject.isHonoured(notifications)) return resolve();
      const message = `Cannot watch ${subject.title}: the server does not tell of it.`;
      refused.abort(new McpxError("unsupported", message));
    });
    const silent = setTimeout(resolve, ACKNOWLEDGE_MS);
    const ended = connection.request("subscriptions/listen", { notifications: subject.filter }, {
      signal: AbortSignal.any([this.#ending.signal, refused.signal]),
      onId: (id) => this.#id = id,
      ...(subject.meta ? { meta: subject.meta } : {}),
    }).then(() => undefined, (error) => {
      const reason = McpxError.from(error);
      reject(reason);
      return reason;
    }).finally(() => {
      resolve();
      clearTimeout(silent);
      listening[Symbol.dispose]();
    });
    void taken.then(() => clearTimeout(silent), () => undefined);
    return { taken, ended };
  }
}
