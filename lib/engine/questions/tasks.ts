import { type ErrorBody, McpxError } from "../../errors/mod.ts";
import { parseJson } from "../../json/mod.ts";
import type { QuestionStore, TaskRecord } from "../../store/mod.ts";
import type { Caller } from "../caller.ts";
import type { Broker } from "./broker.ts";
import { isOwn, type Viewer } from "./owner.ts";
import { type EndedTask, UnkeptTasks } from "./unkept_tasks.ts";
import { waitingInput } from "./waiting_input.ts";
import { type Waiter, Work } from "./work.ts";

/** Rows that are looked through for a session's own. */
const MOST_ROWS = 10_000;

/** What is run, and how its end is read. */
export interface WorkPlan<T> {
  /** `call everything.echo`, `exec script.ts`. */
  title: string;
  /** Whether a result is a success; default: every result is. */
  succeeded?: (result: T) => boolean;
}

/** What tasks are made with. */
export interface TasksOptions {
  broker: Pick<Broker, "put">;
  store(): Promise<QuestionStore>;
  /** How long a finished task is kept, ms. */
  ttlMs(): number;
  onChange(task: TaskRecord): void;
  note(level: "warn" | "error", text: string): void;
  newId(): string;
  newTrace(): string;
  now(): number;
}

interface LiveTask {
  record: TaskRecord;
  work: Work;
  /** Settles when it has ended and that is written down; never rejects. */
  ended: Promise<void>;
  /** Its end, as whoever waits for it sees it. */
  outcome: Promise<unknown>;
}

/** Requests that run, and those of them that go on without their caller. */
export class Tasks {
  readonly #options: TasksOptions;
  readonly #live = new Map<string, LiveTask>();
  /** What ends each work that is no task yet. */
  readonly #outcomes = new WeakMap<
    Work,
    { outcome: Promise<unknown>; succeeded: (result: unknown) => boolean }
  >();

  readonly #unkept = new UnkeptTasks();
  #problem: string | undefined;

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  /** Why tasks cannot be written down at the moment; undefined while they can. */
  get unkept(): string | undefined {
    return this.#problem;
  }

  /** How many tasks run or wait. */
  get size(): number {
    return this.#live.size;
  }

  /**
   * Runs something for a caller. Where it meets a question that the caller cannot answer, the caller gets `waiting-input`, and it
   * goes on as a task. Inside of another run it belongs to that one.
   *
   * @param caller who waits for it; without it, it ends with the caller's signal
   * @param plan what it is called
   * @param run does it, for the caller that it is given
   * @throws {McpxError} `waiting-input`, and what `run` throws
   */
  async run<T>(caller: Caller, plan: WorkPlan<T>, run: (caller: Caller) => Promise<T>): Promise<T> {
    if (caller.work) return await run(caller);
    const { work, outcome } = this.#begin(caller, plan, run);
    return await this.#wait(work, caller, outcome);
  }

  /** Runs something as a task from the start, and gives the task. */
  async start<T>(
    caller: Caller,
    plan: WorkPlan<T>,
    run: (caller: Caller) => Promise<T>,
  ): Promise<TaskRecord> {
    const alone: Caller = { ...caller, emit: () => undefined };
    delete alone.answerer;
    delete alone.answers;
    delete alone.work;
    const { work } = this.#begin(alone, plan, run);
    const live = this.#hold(work);
    await this.#write(live.record);
    return live.record;
  }

  /** A waiter cannot answer what its work waits for: it is told, and the work goes on as a task. */
  waiting(work: Work, waiter?: Waiter): void {
    const live = this.#live.get(work.task ?? "") ?? this.#hold(work);
    this.#refresh(live);
    waiter?.leave(waitingInput([...work.questions.values()], live.record.id));
  }

  /** The questions that a task waits for have changed. */
  settled(work: Work): void {
    const live = this.#live.get(work.task ?? "");
    if (live) this.#refresh(live);
  }

  /**
   * Tasks, newest first; those that run are listed even while nothing can be written down.
   *
   * @param viewer who looks: an agent sees its own session's
   */
  async list(
    filter: { states?: readonly string[] | undefined; limit: number },
    viewer?: Viewer,
  ): Promise<TaskRecord[]> {
    const { states, limit } = filter;
    const rows = viewer?.surface === "mcp" ? MOST_ROWS : limit;
    const kept = await this.#allKept({ limit: rows, ...(states ? { states } : {}) });
    const live = [...this.#live.values()].reverse().map(({ record }) => record);
    const here = [...live, ...this.#unkept.list(this.#options.now())]
      .filter(({ state }) => !states || states.includes(state));
    const ids = new Set(here.map(({ id }) => id));
    return [...here, ...kept.filter(({ id }) => !ids.has(id) && !this.#live.has(id))]
      .filter((task) => isOwn(task, viewer))
      .sort((a, b) => a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0).slice(0, limit);
  }

  /**
   * Where a task stands.
   *
   * @param viewer who looks; without one, anybody's task is shown
   * @throws {McpxError} `unknown-task`, also for an agent where it is another session's
   */
  async get(id: string, viewer?: Viewer): Promise<TaskRecord> {
    return this.#liveOf(id, viewer)?.record ?? (await this.#kept(id, viewer)).task;
  }

  /**
   * Waits for a task's end and gives its result. A caller who can be asked is asked what it waits for.
   *
   * @throws {McpxError} `unknown-task`, `waiting-input` while it waits for what the caller cannot answer, else what the task failed
   * with
   */
  async result(id: string, caller: Caller): Promise<unknown> {
    const live = this.#liveOf(id, caller);
    if (live) return await this.#wait(live.work, caller, live.outcome);
    const { task, result } = await this.#kept(id, caller);
    if (result !== undefined) return parseJson(result);
    throw McpxError.fromBody(task.error ?? { code: "internal", message: task.status }, task.diagnostics);
  }

  /** Ends a task. @throws {McpxError} `unknown-task`, also for an agent where it is another session's */
  async cancel(id: string, viewer?: Viewer): Promise<TaskRecord> {
    const live = this.#liveOf(id, viewer);
    if (!live) return (await this.#kept(id, viewer)).task;
    live.work.abort(new McpxError("cancelled", `Task ${id} was cancelled.`));
    await live.ended;
    return live.record;
  }

  /** Settles when no task runs any more. */
  async idle(): Promise<void> {
    while (this.#live.size > 0) await Promise.all([...this.#live.values()].map(({ ended }) => ended));
  }

  /** Ends everything that runs as a task, and writes down that and why. */
  async close(): Promise<void> {
    const reason = "the daemon was stopped before it was done; what it had sent may have taken effect";
    for (const { work, record } of this.#live.values()) {
      work.abort(new McpxError("daemon-stopping", `Cannot finish ${record.title}: ${reason}.`));
    }
    await Promise.all([...this.#live.values()].map(({ ended }) => ended));
  }

  #begin<T>(
    caller: Caller,
    plan: WorkPlan<T>,
    run: (caller: Caller) => Promise<T>,
  ): { work: Work; outcome: Promise<T> } {
    const { newTrace, now } = this.#options;
    const work = new Work({ trace: newTrace(), title: plan.title, caller, now: now() });
    const inner: Caller = { ...caller, work, signal: work.signal, emit: (event) => work.emit(event) };
    const outcome = run(inner);
    outcome.catch(() => undefined); // whoever waits for it is told, and the task's record
    const succeeded = plan.succeeded;
    this.#outcomes.set(work, {
      outcome,
      // The plan and the promise are of one call: what the promise gives is what the plan reads.
      succeeded: (result) => succeeded?.(result as T) ?? true,
    });
    return { work, outcome };
  }

  async #wait<T>(work: Work, caller: Caller, outcome: Promise<T>): Promise<T> {
    const { promise: left, reject: leave } = Promise.withResolvers<never>();
    left.catch(() => undefined);
    const waiter: Waiter = { caller, leave };
    const onGone = (): void => {
      work.waiters.delete(waiter);
      if (work.task === undefined) work.abort(caller.signal.reason);
      else leave(new McpxError("cancelled", "Cancelled by the caller.", { cause: caller.signal.reason }));
    };
    work.waiters.add(waiter);
    if (caller.signal.aborted) onGone();
    else caller.signal.addEventListener("abort", onGone, { once: true });
    try {
      for (const id of [...work.questions.keys()]) this.#options.broker.put(id, work);
      return await Promise.race([outcome, left]);
    } finally {
      work.waiters.delete(waiter);
      caller.signal.removeEventListener("abort", onGone);
    }
  }

  /** Makes a task of a work. */
  #hold(work: Work): LiveTask {
    const { newId, now, ttlMs } = this.#options;
    const begun = this.#outcomes.get(work);
    if (!begun) throw new McpxError("internal", `Cannot hold ${work.title} as a task: it never began.`);
    const at = new Date(now()).toISOString();
    const { session } = work.caller.identity;
    const record: TaskRecord = {
      id: newId(),
      title: work.title,
      state: "working",
      status: "It runs.",
      createdAt: at,
      updatedAt: at,
      trace: work.trace,
      ...(session === undefined ? {} : { session }),
      questions: [],
    };
    work.task = record.id;
    const limit = work.caller.settings.get("exec.maxWait");
    const timer = setTimeout(() => {
      work.abort(
        new McpxError(
          "call-timeout",
          `Cannot finish ${work.title}: it ran and waited longer than ${limit} ms (exec.maxWait).`,
          {
            hint: "Raise exec.maxWait.",
          },
        ),
      );
    }, Math.min(2 ** 30, Math.max(0, limit - (now() - work.startedAt))));
    const finish = async (change: Partial<TaskRecord>, result?: string): Promise<void> => {
      clearTimeout(timer);
      const end = now();
      live.record = {
        ...live.record,
        ...change,
        questions: [],
        updatedAt: new Date(end).toISOString(),
        expiresAt: new Date(end + ttlMs()).toISOString(),
      };
      await this.#write(live.record, result);
      this.#live.delete(record.id);
    };
    const live: LiveTask = {
      record,
      work,
      outcome: begun.outcome,
      ended: begun.outcome.then(
        (result) => {
          const ok = begun.succeeded(result);
          const change = ok
            ? { state: "completed" as const, status: "It is done." }
            : { state: "failed" as const, status: "It failed: its result says how." };
          return finish(
            work.signal.aborted && !ok ? ended(work.signal.reason) : change,
            JSON.stringify(result) ?? "null",
          );
        },
        (thrown) => finish(ended(thrown)),
      ),
    };
    this.#live.set(record.id, live);
    return live;
  }

  #refresh(live: LiveTask): void {
    const questions = [...live.work.questions.keys()];
    const waits = questions.length > 0;
    live.record = {
      ...live.record,
      state: waits ? "input_required" : "working",
      status: waits ? `It waits for ${questions.join(", ")}.` : "It runs.",
      questions,
      updatedAt: new Date(this.#options.now()).toISOString(),
    };
    void this.#write(live.record);
  }

  /** A task that cannot be written down still runs, and whoever asks this daemon for it gets it. */
  async #write(record: TaskRecord, result?: string): Promise<void> {
    try {
      (await this.#options.store()).putTask(record, result);
      this.#problem = undefined;
    } catch (thrown) {
      this.#noteProblem(thrown);
      if (record.expiresAt !== undefined) {
        this.#unkept.add({ task: record, ...(result === undefined ? {} : { result }) });
      }
    }
    this.#options.onChange(record);
  }

  #noteProblem(thrown: unknown): void {
    const { message } = McpxError.from(thrown);
    if (this.#problem !== message) this.#options.note("error", message);
    this.#problem = message;
  }

  /** What is written down; nothing where that cannot be read. */
  async #allKept(filter: { states?: readonly string[]; limit: number }): Promise<TaskRecord[]> {
    try {
      return (await this.#options.store()).tasks(filter);
    } catch (thrown) {
      this.#noteProblem(thrown);
      return [];
    }
  }

  /** A task that runs, where it is one that `viewer` may see. */
  #liveOf(id: string, viewer: Viewer | undefined): LiveTask | undefined {
    const live = this.#live.get(id);
    return live && isOwn(live.record, viewer) ? live : undefined;
  }

  async #kept(id: string, viewer: Viewer | undefined): Promise<EndedTask> {
    const kept = this.#unkept.get(id, this.#options.now()) ?? (await this.#options.store()).task(id);
    if (kept && isOwn(kept.task, viewer)) return kept;
    throw new McpxError(
      "unknown-task",
      `Cannot find a task ${JSON.stringify(id.slice(0, 80))}: there is none.`,
      {
        hint: "mcpx task list",
      },
    );
  }
}

/** What a task is that ended with an error. */
function ended(
  thrown: unknown,
): { state: "failed" | "cancelled"; status: string; error: ErrorBody; diagnostics?: readonly unknown[] } {
  const error = McpxError.from(thrown);
  return {
    state: error.code === "cancelled" ? "cancelled" : "failed",
    status: error.message,
    error: error.toBody(),
    ...(error.diagnostics ? { diagnostics: error.diagnostics } : {}),
  };
}
