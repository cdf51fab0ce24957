import { McpxError } from "../errors/mod.ts";
import type { Lease } from "../pool/mod.ts";
import type { JsonObject } from "../schema/mod.ts";
import type { Caller } from "./caller.ts";
import type { CatalogServer } from "./catalog.ts";
import type { Engine } from "./engine.ts";
import type { NoticeBoard } from "./notice_board.ts";

/** One resource that somebody watches. */
interface Watched {
  opening: Promise<Lease>;
  ending: AbortController;
  listeners: Set<(params: JsonObject) => void>;
}

const UPDATED = "notifications/resources/updated";

/** Subscriptions to servers' resources: one towards the server, however many watch; its instance stays while anyone does. */
export class ResourceWatch {
  readonly #watched = new Map<string, Watched>();
  readonly #listening: Disposable;

  constructor(notices: NoticeBoard) {
    this.#listening = notices.listen((notice) => {
      if (notice.type !== "notification" || notice.method !== UPDATED) return;
      const watched = this.#watched.get(keyOf(notice.server, String(notice.params.uri)));
      for (const listener of watched?.listeners ?? []) listener(notice.params);
    });
  }

  /**
   * Watches one resource until what comes back is disposed.
   *
   * @param options.onUpdated told of each update, with the server's own params
   * @throws {McpxError} what the server answers to the subscription
   */
  async watch(
    engine: Engine,
    target: { entry: CatalogServer; uri: string },
    options: { caller: Caller; onUpdated: (params: JsonObject) => void },
  ): Promise<AsyncDisposable> {
    const { entry, uri } = target;
    const key = keyOf(entry.process.name, uri);
    const watched = this.#watched.get(key) ?? {
      opening: engine.lease(entry, options.caller),
      ending: new AbortController(),
      listeners: new Set(),
    };
    const isFirst = !this.#watched.has(key);
    // A copy of its own: the same listener may watch twice.
    const listener = (params: JsonObject): void => options.onUpdated(params);
    this.#watched.set(key, watched);
    watched.listeners.add(listener);
    const end = async (): Promise<void> => {
      if (!watched.listeners.delete(listener) || watched.listeners.size > 0) return;
      if (this.#watched.get(key) === watched) this.#watched.delete(key);
      await stop(watched, uri);
    };
    try {
      const lease = await watched.opening;
      if (isFirst) await subscribe(engine, lease, uri, watched.ending.signal);
    } catch (error) {
      await end();
      throw error;
    }
    return { [Symbol.asyncDispose]: end };
  }

  /** Forgets everything; the instances end by themselves. */
  close(): void {
    this.#listening[Symbol.dispose]();
    for (const { ending } of this.#watched.values()) ending.abort();
    this.#watched.clear();
  }
}

async function subscribe(
  engine: Engine,
  { connection }: Lease,
  uri: string,
  signal: AbortSignal,
): Promise<void> {
  const timeoutMs = engine.settings.base.get("pool.callTimeout");
  if (connection.era === "legacy") {
    await connection.request("resources/subscribe", { uri }, { timeoutMs });
    return;
  }
  const listening = connection.request("subscriptions/listen", {
    notifications: { resourceSubscriptions: [uri] },
  }, { signal });
  listening.catch((error) => {
    if (!signal.aborted) {
      engine.note("warn", `Updates of ${uri} are not told: ${McpxError.from(error).message}`);
    }
  });
}

async function stop({ opening, ending }: Watched, uri: string): Promise<void> {
  ending.abort();
  const lease = await opening.catch(() => undefined); // it was never open
  if (!lease) return;
  const { connection } = lease;
  if (connection.era === "legacy") {
    // The server may be gone, and then nothing is left to end.
    await connection.request("resources/unsubscribe", { uri }, { timeoutMs: 5000 }).catch(() => undefined);
  }
  await lease.release();
}

function keyOf(server: string, uri: string): string {
  return JSON.stringify([server, uri]);
}
