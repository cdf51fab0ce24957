import type { Lease } from "../pool/mod.ts";
import type { JsonObject } from "../schema/mod.ts";
import type { Caller } from "./caller.ts";
import type { CatalogServer } from "./catalog.ts";
import type { NoticeBoard } from "./notice_board.ts";

/** What {@link UpstreamTasks} works with. */
export interface UpstreamTasksOptions {
  notices: NoticeBoard;
  lease(entry: CatalogServer, caller: Caller): Promise<Lease>;
  /** The longest that an instance is kept for one task, ms. */
  limitMs(): number;
}

interface Kept {
  keeping: Disposable;
  timer: ReturnType<typeof setTimeout>;
}

const STATUS = new Set(["notifications/tasks/status", "notifications/tasks"]);
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The tasks that servers have begun, in either form: an instance that works on one stays, though no request is open on it, until the
 * task is seen to have ended or its time to live is over.
 */
export class UpstreamTasks {
  readonly #options: UpstreamTasksOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #listening: Disposable;

  constructor(options: UpstreamTasksOptions) {
    this.#options = options;
    this.#listening = options.notices.listen((notice) => {
      if (notice.type !== "notification" || !STATUS.has(notice.method)) return;
      this.seen(notice.instance.server.name, notice.params);
    });
  }

  /** A server has begun a task for a caller. */
  async began(entry: CatalogServer, caller: Caller, task: JsonObject): Promise<void> {
    const { taskId, ttl, ttlMs = ttl } = task;
    if (typeof taskId !== "string" || isOver(task)) return;
    await using lease = await this.#options.lease(entry, caller);
    const key = keyOf(entry.process.name, taskId);
    this.#drop(key);
    const limit = this.#options.limitMs();
    const lives = typeof ttlMs === "number" ? Math.min(Math.max(0, ttlMs), limit) : limit;
    const timer = setTimeout(() => this.#drop(key), Math.min(lives, LONGEST_TIMER_MS));
    this.#kept.set(key, { keeping: lease.keep(), timer });
  }

  /** What a server said about one of its tasks, by the server's name. */
  seen(server: string, task: JsonObject): void {
    if (typeof task.taskId === "string" && isOver(task)) this.#drop(keyOf(server, task.taskId));
  }

  close(): void {
    this.#listening[Symbol.dispose]();
    for (const key of [...this.#kept.keys()]) this.#drop(key);
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#kept.delete(key);
    clearTimeout(kept.timer);
    kept.keeping[Symbol.dispose]();
  }
}

function isOver({ status }: JsonObject): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function keyOf(server: string, taskId: string): string {
  return JSON.stringify([server, taskId]);
}
