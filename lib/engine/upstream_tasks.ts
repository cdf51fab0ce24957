import type { InstanceView, Lease } from "../pool/mod.ts";
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
  readonly #kept = new Map<InstanceView, Map<string, Kept>>();
  readonly #listening: Disposable;

  constructor(options: UpstreamTasksOptions) {
    this.#options = options;
    this.#listening = options.notices.listen((notice) => {
      if (notice.type !== "notification" || !STATUS.has(notice.method)) return;
      this.seen(notice.params, (instance) => instance === notice.instance);
    });
  }

  /** A server has begun a task for a caller; gives the instance that works on it. */
  async began(entry: CatalogServer, caller: Caller, task: JsonObject): Promise<InstanceView> {
    const { taskId, ttl, ttlMs = ttl } = task;
    await using lease = await this.#options.lease(entry, caller);
    const { instance, connection } = lease;
    if (typeof taskId !== "string" || isOver(task)) return instance;
    let kept = this.#kept.get(instance);
    if (!kept) {
      this.#kept.set(instance, kept = new Map());
      void connection.ended.then(() => this.#dropAll(instance));
    }
    this.#drop(instance, taskId);
    const limit = this.#options.limitMs();
    const lives = typeof ttlMs === "number" ? Math.min(Math.max(0, ttlMs), limit) : limit;
    const timer = setTimeout(() => this.#drop(instance, taskId), Math.min(lives, LONGEST_TIMER_MS));
    kept.set(taskId, { keeping: lease.keep(), timer });
    return instance;
  }

  /** What was said of a task by those instances that fit. */
  seen(task: JsonObject, fits: (instance: InstanceView) => boolean): void {
    if (!isOver(task)) return;
    for (const instance of [...this.#kept.keys()]) {
      if (fits(instance)) this.#drop(instance, String(task.taskId));
    }
  }

  close(): void {
    this.#listening[Symbol.dispose]();
    for (const instance of [...this.#kept.keys()]) this.#dropAll(instance);
  }

  #dropAll(instance: InstanceView): void {
    for (const taskId of [...this.#kept.get(instance)?.keys() ?? []]) this.#drop(instance, taskId);
    this.#kept.delete(instance);
  }

  #drop(instance: InstanceView, taskId: string): void {
    const kept = this.#kept.get(instance)?.get(taskId);
    if (!kept) return;
    this.#kept.get(instance)?.delete(taskId);
    clearTimeout(kept.timer);
    kept.keeping[Symbol.dispose]();
  }
}

function isOver({ status }: JsonObject): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
