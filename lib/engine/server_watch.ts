import { McpxError } from "../errors/mod.ts";
import { delay } from "../mcp/delay.ts";
import type { InstanceView } from "../pool/mod.ts";
import type { Caller } from "./caller.ts";
import type { CatalogServer } from "./catalog.ts";
import type { Engine } from "./engine.ts";
import { Subscription, type WatchListener } from "./subscription.ts";
import type { WatchSubject } from "./watch_subject.ts";

/** One watch of somebody's. */
interface Watch extends WatchListener {
  entry: CatalogServer;
  subject: WatchSubject;
  caller: Caller;
  ending: AbortController;
  subscription?: Subscription<Watch>;
  /** Whether the server has taken it: what ends from now on is renewed. */
  isOpen: boolean;
  /** How many instances ended under it, one soon after the other. */
  losses: number;
  since: number;
}

const SHORTEST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * What is watched at servers: one subscription on an instance, however many of those who share the instance watch. The instance stays
 * while anyone does; when it ends all the same, each watch goes on at the next one, and who watches is told that it may have missed
 * something.
 */
export class ServerWatch {
  readonly #engine: Engine;
  readonly #at = new Map<InstanceView, Map<string, Subscription<Watch>>>();
  readonly #closing = new AbortController();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Watches a subject until what comes back is disposed.
   *
   * @param target the server and what of it
   * @param options for whom, and who is told: `onTold` with the notification's params, `onLapse` when one may have been missed
   * @throws {McpxError} what the server answers to the subscription, `unsupported` where it does not honour it
   */
  async watch(
    target: { entry: CatalogServer; subject: WatchSubject },
    options: WatchListener & { caller: Caller },
  ): Promise<AsyncDisposable> {
    const { caller, onTold, onLapse } = options;
    const watch: Watch = {
      ...target,
      caller,
      onTold,
      onLapse,
      ending: new AbortController(),
      isOpen: false,
      losses: 0,
      since: performance.now(),
    };
    await this.#attach(watch, caller.signal).catch((thrown) => {
      // To subscribe twice does nothing that once did not.
      if (!LOST.has(McpxError.from(thrown).code)) throw thrown;
      return this.#attach(watch, caller.signal);
    });
    return { [Symbol.asyncDispose]: () => this.#end(watch) };
  }

  /** Forgets everything; the instances end by themselves. */
  close(): void {
    this.#closing.abort();
    for (const subscriptions of this.#at.values()) for (const one of subscriptions.values()) one.drop();
    this.#at.clear();
  }

  /** Joins the subscription on the instance that the caller's requests go to, or opens it. */
  async #attach(watch: Watch, signal: AbortSignal): Promise<void> {
    const { subject, caller } = watch;
    const lease = await this.#engine.lease(watch.entry, { ...caller, signal });
    try {
      const { instance, connection } = lease;
      const subscriptions = this.#on(instance, connection.ended);
      for (;;) {
        const leaving = subscriptions.get(subject.key)?.closing;
        if (!leaving) break;
        await leaving;
      }
      let subscription = subscriptions.get(subject.key);
      if (!subscription) {
        subscription = new Subscription<Watch>({
          instance,
          connection,
          subject,
          notices: this.#engine.notices,
          kept: lease.keep(),
          timeoutMs: this.#engine.settings.base.get("pool.callTimeout"),
          note: (text) => this.#engine.note("warn", text),
        });
        subscriptions.set(subject.key, subscription);
      }
      subscription.listeners.add(watch);
      watch.subscription = subscription;
      try {
        await subscription.opening;
        if (subscription.isLost) {
          throw new McpxError("upstream-exited", `Cannot watch ${subject.title}: the server has ended.`);
        }
        watch.isOpen = true;
      } catch (error) {
        await this.#leave(watch);
        throw error;
      }
    } finally {
      await lease.release();
    }
  }

  #on(instance: InstanceView, ended: Promise<unknown>): Map<string, Subscription<Watch>> {
    const known = this.#at.get(instance);
    if (known) return known;
    const subscriptions = new Map<string, Subscription<Watch>>();
    this.#at.set(instance, subscriptions);
    void ended.then(() => {
      this.#at.delete(instance);
      for (const subscription of subscriptions.values()) {
        subscription.drop();
        for (const watch of subscription.listeners) if (watch.isOpen) void this.#renew(watch);
      }
    });
    return subscriptions;
  }

  /** The instance has ended: goes on at the next one, ever more patiently where that ends too. */
  async #renew(watch: Watch): Promise<void> {
    const signal = AbortSignal.any([watch.ending.signal, this.#closing.signal]);
    watch.isOpen = false;
    delete watch.subscription;
    if (performance.now() - watch.since > LONGEST_PAUSE_MS) watch.losses = 0;
    while (!signal.aborted) {
      const pause = Math.min(SHORTEST_PAUSE_MS * 2 ** (watch.losses - 1), LONGEST_PAUSE_MS);
      if (watch.losses++ > 0 && !await delay(pause, signal)) return;
      try {
        watch.entry = this.#engine.catalog.server(watch.entry.definition.name);
        watch.since = performance.now();
        await this.#attach(watch, signal);
        if (signal.aborted) return await this.#leave(watch);
        return watch.onLapse();
      } catch (thrown) {
        const error = McpxError.from(thrown);
        if (signal.aborted) return;
        if (FINAL.has(error.code)) {
          return this.#engine.note(
            "warn",
            `Updates of ${watch.subject.title} are not told any more: ${error.message}`,
          );
        }
      }
    }
  }

  async #end(watch: Watch): Promise<void> {
    watch.ending.abort();
    await this.#leave(watch);
  }

  async #leave(watch: Watch): Promise<void> {
    const { subscription, subject } = watch;
    delete watch.subscription;
    if (!subscription?.listeners.delete(watch) || subscription.listeners.size > 0) return;
    await subscription.close();
    for (const subscriptions of this.#at.values()) {
      if (subscriptions.get(subject.key) === subscription) subscriptions.delete(subject.key);
    }
  }
}

/** What happens to a request whose instance ends under it. */
const LOST: ReadonlySet<string> = new Set(["upstream-exited", "outcome-unknown"]);
/** What no later attempt sets right. */
const FINAL: ReadonlySet<string> = new Set([
  "unknown-server",
  "server-disabled",
  "server-config",
  "upstream-error",
  "unsupported",
]);
