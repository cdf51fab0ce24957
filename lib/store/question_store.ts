import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { dirname } from "node:path";
import type { Question } from "../elicit/types.ts";
import { type ErrorBody, McpxError } from "../errors/mod.ts";
import { parseJson } from "../json/mod.ts";
import { setAside } from "./atomic_file.ts";
import { ensurePrivateFolder } from "./private_folder.ts";

/** Where a task stands. */
export type TaskState = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** A piece of work that goes on without its caller. Times are ISO 8601, in UTC. */
export interface TaskRecord {
  /** `tsk-…`. */
  id: string;
  /** What it does: `call everything.echo`, `exec script.ts`. */
  title: string;
  state: TaskState;
  /** One sentence about the state. */
  status: string;
  createdAt: string;
  updatedAt: string;
  /** When a finished task is forgotten. */
  expiresAt?: string;
  trace: string;
  session?: string;
  /** The questions it waits for now. */
  questions: string[];
  error?: ErrorBody;
  /** Findings that explain the error. */
  diagnostics?: readonly unknown[];
}

/** What a question store is opened with. */
export interface QuestionStoreOptions {
  /** Which process the rows that are written belong to. */
  owner: string;
  /** Whether the process of an `owner` still runs. */
  isAlive(owner: string): boolean;
  /** Told when a file had to be set aside. */
  onSetAside(message: string): void;
  now?: () => number;
}

/** What a list is narrowed by. */
export interface RowFilter {
  /** Only rows in one of these states. */
  states?: readonly string[];
  /** The newest so many. */
  limit: number;
}

const VERSION = 1;
const SCHEMA = `
  CREATE TABLE questions (
    id TEXT PRIMARY KEY, state TEXT NOT NULL, created TEXT NOT NULL, owner TEXT NOT NULL, lost INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL) STRICT;
  CREATE INDEX questions_by_state ON questions (state, created);
  CREATE TABLE tasks (
    id TEXT PRIMARY KEY, state TEXT NOT NULL, created TEXT NOT NULL, owner TEXT NOT NULL, expires TEXT,
    body TEXT NOT NULL, result TEXT) STRICT;
  CREATE INDEX tasks_by_state ON tasks (state, created);
  PRAGMA user_version = ${VERSION};`;

/** How long a settled question is kept, ms. */
const KEPT_MS = 7 * 24 * 3_600_000;
/** How many settled questions are kept, the newest. */
const MOST_KEPT = 10_000;
/** Writes between two looks for what can be forgotten. */
const PRUNE_EVERY = 500;

/** Questions and tasks, in a file that outlives the process. Values of secret fields are not to be put in. */
export class QuestionStore implements Disposable {
  readonly #db: DatabaseSync;
  readonly #options: QuestionStoreOptions;
  readonly #statements: Statements;
  #writes = 0;

  private constructor(db: DatabaseSync, options: QuestionStoreOptions) {
    this.#db = db;
    this.#options = options;
    this.#statements = prepare(db);
  }

  /**
   * Opens a file, or memory alone where there is none. What a process left open that runs no more is settled: its questions are
   * cancelled and its tasks failed, each with the reason.
   *
   * @throws {McpxError} `state-unwritable`
   */
  static async open(path: string | undefined, options: QuestionStoreOptions): Promise<QuestionStore> {
    const { DatabaseSync } = await import("node:sqlite");
    const connect = (): QuestionStore => {
      const db = new DatabaseSync(path ?? ":memory:");
      try {
        db.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
        migrate(db);
        const store = new QuestionStore(db, options);
        store.#settleLost();
        store.#prune();
        return store;
      } catch (error) {
        db.close();
        throw error;
      }
    };
    if (path === undefined) return connect();
    await ensurePrivateFolder(dirname(path));
    try {
      (await Deno.open(path, { create: true, write: true, mode: 0o600 })).close();
      return connect();
    } catch (first) {
      if (!(first instanceof NewerFile) && !(await isDamaged(path))) throw unwritable(path, first);
      const aside = await setAside(path, new Date());
      await Promise.all(["-wal", "-shm"].map((tail) => Deno.remove(path + tail).catch(ignoreMissing)));
      options.onSetAside(
        `Cannot read ${path}: ${text(first)}. It was set aside as ${aside}; questions start anew.`,
      );
      try {
        (await Deno.open(path, { create: true, write: true, mode: 0o600 })).close();
        return connect();
      } catch (second) {
        throw unwritable(path, second);
      }
    }
  }

  /** Writes a question, new or changed. */
  putQuestion(question: Question): void {
    this.#statements.putQuestion.run(
      question.id,
      question.state,
      question.createdAt,
      this.#options.owner,
      JSON.stringify(question),
    );
    this.#wrote();
  }

  question(id: string): Question | undefined {
    const row = this.#statements.question.get(id);
    return row && parseRow<Question>(row.body);
  }

  /** Questions, newest first: the open ones and those whose asker was lost, or those of the given states. */
  questions({ states, limit }: RowFilter): Question[] {
    const rows = states
      ? this.#statements.questionsIn.all(JSON.stringify(states), limit)
      : this.#statements.questionsOpen.all(new Date(this.#now() - KEPT_MS).toISOString(), limit);
    return rows.map((row) => parseRow<Question>(row.body));
  }

  /** Writes a task, new or changed; a result once there is one. */
  putTask(task: TaskRecord, result?: string): void {
    this.#statements.putTask.run(
      task.id,
      task.state,
      task.createdAt,
      this.#options.owner,
      task.expiresAt ?? null,
      JSON.stringify(task),
      result ?? null,
    );
    this.#wrote();
  }

  task(id: string): { task: TaskRecord; result?: string } | undefined {
    this.#pruneTasks();
    const row = this.#statements.task.get(id);
    if (!row) return undefined;
    const { result } = row;
    return { task: parseRow<TaskRecord>(row.body), ...(typeof result === "string" ? { result } : {}) };
  }

  /** Tasks, newest first. */
  tasks({ states, limit }: RowFilter): TaskRecord[] {
    this.#pruneTasks();
    const rows = states
      ? this.#statements.tasksIn.all(JSON.stringify(states), limit)
      : this.#statements.tasks.all(limit);
    return rows.map((row) => parseRow<TaskRecord>(row.body));
  }

  /** How many questions are open. */
  countOpen(): number {
    return Number(this.#statements.countOpen.get()?.count ?? 0);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  #wrote(): void {
    if (++this.#writes % PRUNE_EVERY === 0) this.#prune();
  }

  #prune(): void {
    this.#statements.pruneQuestions.run(new Date(this.#now() - KEPT_MS).toISOString());
    this.#pruneTasks();
  }

  /** A task whose time is over is given to nobody any more. */
  #pruneTasks(): void {
    this.#statements.pruneTasks.run(new Date(this.#now()).toISOString());
  }

  #settleLost(): void {
    const now = new Date(this.#now()).toISOString();
    const reason = "the daemon that waited for the answer ended";
    for (const row of this.#statements.unsettledQuestions.all()) {
      if (this.#options.isAlive(String(row.owner))) continue;
      const question = parseRow<Question>(row.body);
      this.#statements.loseQuestion.run(
        JSON.stringify(
          {
            ...question,
            state: "cancelled",
            answer: { action: "cancel" },
            answeredBy: reason,
            settledAt: now,
          } satisfies Question,
        ),
        question.id,
      );
    }
    for (const row of this.#statements.unsettledTasks.all()) {
      if (this.#options.isAlive(String(row.owner))) continue;
      const task = parseRow<TaskRecord>(row.body);
      this.putTask({ ...task, ...lost(task), updatedAt: now });
    }
  }
}

/** What a task is once its daemon is gone. */
function lost(task: TaskRecord): Pick<TaskRecord, "state" | "status" | "questions" | "error"> {
  const waited = task.questions.length > 0 ? ` while it waited for ${task.questions.join(", ")}` : "";
  const error = new McpxError(
    "task-lost",
    `Cannot finish ${task.title}: the daemon that ran it ended${waited}. What it had sent may have taken effect.`,
    { hint: "Look whether it took effect before running it again." },
  );
  return { state: "failed", status: error.message, questions: [], error: error.toBody() };
}

type Statements = ReturnType<typeof prepare>;

// deno-lint-ignore explicit-function-return-type -- the record is its own type
function prepare(db: DatabaseSync) {
  return {
    putQuestion: db.prepare(
      "INSERT INTO questions (id, state, created, owner, body) VALUES (?, ?, ?, ?, ?) " +
        "ON CONFLICT (id) DO UPDATE SET state = excluded.state, body = excluded.body",
    ),
    question: db.prepare("SELECT body FROM questions WHERE id = ?"),
    questionsIn: db.prepare(
      "SELECT body FROM questions WHERE state IN (SELECT value FROM json_each(?)) ORDER BY created DESC, rowid DESC LIMIT ?",
    ),
    questionsOpen: db.prepare(
      "SELECT body FROM questions WHERE state = 'pending' OR (lost = 1 AND created > ?) ORDER BY created DESC, rowid DESC LIMIT ?",
    ),
    countOpen: db.prepare("SELECT count(*) AS count FROM questions WHERE state = 'pending'"),
    unsettledQuestions: db.prepare("SELECT owner, body FROM questions WHERE state = 'pending'"),
    loseQuestion: db.prepare("UPDATE questions SET state = 'cancelled', lost = 1, body = ? WHERE id = ?"),
    pruneQuestions: db.prepare(
      "DELETE FROM questions WHERE state <> 'pending' AND (created < ? OR id IN (SELECT id FROM questions " +
        `WHERE state <> 'pending' ORDER BY created DESC, rowid DESC LIMIT -1 OFFSET ${MOST_KEPT}))`,
    ),
    putTask: db.prepare(
      "INSERT INTO tasks (id, state, created, owner, expires, body, result) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) " +
        "DO UPDATE SET state = excluded.state, expires = excluded.expires, body = excluded.body, result = excluded.result",
    ),
    task: db.prepare("SELECT body, result FROM tasks WHERE id = ?"),
    tasks: db.prepare("SELECT body FROM tasks ORDER BY created DESC, rowid DESC LIMIT ?"),
    tasksIn: db.prepare(
      "SELECT body FROM tasks WHERE state IN (SELECT value FROM json_each(?)) ORDER BY created DESC, rowid DESC LIMIT ?",
    ),
    unsettledTasks: db.prepare("SELECT owner, body FROM tasks WHERE state IN ('working', 'input_required')"),
    pruneTasks: db.prepare("DELETE FROM tasks WHERE expires IS NOT NULL AND expires < ?"),
  };
}

/** Brings a file to this version's tables. */
function migrate(db: DatabaseSync): void {
  const version = Number(db.prepare("PRAGMA user_version").get()?.user_version ?? 0);
  if (version === VERSION) return;
  if (version > VERSION) {
    throw new NewerFile(`it was written by a newer mcpx (version ${version} of the file)`);
  }
  db.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`);
}

class NewerFile extends Error {
  override readonly name = "NewerFile";
}

/** What is in a row was written by this class, in this version of the tables. */
function parseRow<T>(body: SQLOutputValue | undefined): T {
  return parseJson(String(body)) as T;
}

/** Whether a file is there, can be read, and is no sound database. */
async function isDamaged(path: string): Promise<boolean> {
  let head: Uint8Array;
  try {
    using file = await Deno.open(path);
    const bytes = new Uint8Array(HEADER.length);
    head = bytes.subarray(0, await file.read(bytes) ?? 0);
  } catch {
    return false; // what cannot be read at all is for its owner to look at
  }
  if (head.length === 0) return false;
  if (new TextDecoder().decode(head) !== HEADER) return true;
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db.prepare("PRAGMA quick_check(1)").get()?.quick_check !== "ok";
  } catch {
    return true;
  } finally {
    db.close();
  }
}

const HEADER = "SQLite format 3\0";

function unwritable(path: string, cause: unknown): McpxError {
  return new McpxError("state-unwritable", `Cannot keep questions in ${path}: ${text(cause)}.`, {
    cause,
    data: { path },
  });
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

function text(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
