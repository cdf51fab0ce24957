import type { TaskRecord } from "../../store/mod.ts";

const MOST_TASKS = 200;
const MOST_CHARS = 16 * 1024 * 1024;

/** A task that ended, with its result where it has one. */
export interface EndedTask {
  task: TaskRecord;
  result?: string;
}

/** Ended tasks that could not be written down, for as long as there is room: the newest are kept. */
export class UnkeptTasks {
  readonly #tasks = new Map<string, EndedTask>();
  #chars = 0;

  /** Keeps one. */
  add(ended: EndedTask): void {
    this.#tasks.set(ended.task.id, ended);
    this.#chars += ended.result?.length ?? 0;
    for (const [id, { result }] of this.#tasks) {
      if (this.#tasks.size <= MOST_TASKS && this.#chars <= MOST_CHARS) return;
      this.#tasks.delete(id);
      this.#chars -= result?.length ?? 0;
    }
  }

  /** One, until its time is over. */
  get(id: string, now: number): EndedTask | undefined {
    const ended = this.#tasks.get(id);
    return ended && Date.parse(ended.task.expiresAt ?? "") > now ? ended : undefined;
  }

  /** All of them, newest first. */
  list(now: number): TaskRecord[] {
    return [...this.#tasks.keys()].reverse().flatMap((id) => this.get(id, now)?.task ?? []);
  }
}
