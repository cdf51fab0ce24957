import { McpxError } from "../../../lib/errors/mod.ts";
import { RPC } from "../wire/rpc_error.ts";

/** A task as its server knows it. */
export interface NamedTask {
  /** The name in the configuration of the server whose process runs it. */
  server: string;
  /** The name of the entry that the host called it by. */
  entry: string;
  id: string;
}

/** How many tasks are remembered; the oldest goes first. */
const MOST = 10_000;

/** The names of tasks towards hosts: a server's own, unless a task of another server has it already. */
export class TaskNames {
  readonly #tasks = new Map<string, NamedTask>();
  readonly #onForgotten: (name: string) => void;

  constructor(onForgotten: (name: string) => void = () => undefined) {
    this.#onForgotten = onForgotten;
  }

  /** Gives a task its name. */
  add(task: NamedTask): string {
    const known = this.nameOf(task);
    if (known !== undefined) return known;
    const name = this.#tasks.has(task.id) ? `${task.server}/${task.id}` : task.id;
    this.#tasks.set(name, task);
    const [oldest] = this.#tasks.keys();
    if (this.#tasks.size > MOST && oldest !== undefined) this.delete(oldest);
    return name;
  }

  /** The task of a name. */
  get(name: unknown): NamedTask | undefined {
    return typeof name === "string" ? this.#tasks.get(name) : undefined;
  }

  /** The name that a task was given. */
  nameOf({ server, id }: Pick<NamedTask, "server" | "id">): string | undefined {
    return [id, `${server}/${id}`].find((name) => {
      const task = this.#tasks.get(name);
      return task?.server === server && task.id === id;
    });
  }

  delete(name: string): void {
    if (this.#tasks.delete(name)) this.#onForgotten(name);
  }

  /** All names, oldest first. */
  names(): string[] {
    return [...this.#tasks.keys()];
  }
}

/** Whether a server says that a task is none of its own. */
export function isUnknownTask(error: unknown): boolean {
  return error instanceof McpxError && error.code === "upstream-error" &&
    error.data?.code === RPC.invalidParams;
}
