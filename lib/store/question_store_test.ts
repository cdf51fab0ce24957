import assert from "node:assert/strict";
import { join } from "node:path";
import type { Question } from "../elicit/types.ts";
import { QuestionStore, type TaskRecord } from "./question_store.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

function question(id: string, changes: Partial<Question> = {}): Question {
  return {
    id,
    kind: "elicitation",
    message: "?",
    audience: "agent",
    reason: "",
    createdAt: new Date(START).toISOString(),
    expiresAt: new Date(START + HOUR).toISOString(),
    state: "pending",
    ...changes,
  };
}

function task(id: string, changes: Partial<TaskRecord> = {}): TaskRecord {
  const at = new Date(START).toISOString();
  return {
    id,
    title: "call a.b",
    state: "working",
    status: "It runs.",
    createdAt: at,
    updatedAt: at,
    trace: "trc-1",
    questions: [],
    ...changes,
  };
}

async function onFile(
  run: (
    path: string,
    open: (owner: string, alive?: string[], now?: number) => Promise<QuestionStore>,
    asides: string[],
  ) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "mcpx-questions-" });
  const path = join(folder, "questions", "set.db");
  const asides: string[] = [];
  try {
    await run(path, (owner, alive = [], now = START) =>
      QuestionStore.open(path, {
        owner,
        isAlive: (other) => alive.includes(other),
        onSetAside: (message) => asides.push(message),
        now: () => now,
      }), asides);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("questions and tasks are there after the file was closed, whole", () =>
  onFile(async (_path, open) => {
    {
      using store = await open("me");
      store.putQuestion(
        question("q1", {
          schema: { properties: { n: { maximum: 1 } } },
          state: "accepted",
          answer: { action: "accept", content: { n: 1 } },
        }),
      );
      store.putTask(task("t1", { state: "completed" }), '{"result":9007199254740993}');
    }
    using store = await open("later");
    assert.deepEqual(store.question("q1")?.answer, { action: "accept", content: { n: 1 } });
    assert.equal(store.task("t1")?.result, '{"result":9007199254740993}');
    assert.equal(store.question("q2"), undefined);
    assert.equal(store.task("t2"), undefined);
  }));

Deno.test("what a process left open that is gone is settled with the reason; a living one's stays", () =>
  onFile(async (_path, open) => {
    {
      using dead = await open("dead");
      dead.putQuestion(question("lost"));
      dead.putTask(task("t-lost", { state: "input_required", questions: ["lost"] }));
      dead.putTask(task("t-done", { state: "completed" }), "1");
    }
    {
      using other = await open("other", ["dead"]);
      assert.equal(other.question("lost")?.state, "pending");
      other.putQuestion(question("theirs"));
      other.putTask(task("t-theirs"));
    }
    using store = await open("me", ["other"]);
    const lost = store.question("lost");
    assert.deepEqual([lost?.state, lost?.answeredBy], [
      "cancelled",
      "the daemon that waited for the answer ended",
    ]);
    const failed = store.task("t-lost")?.task;
    assert.equal(failed?.state, "failed");
    assert.equal(failed?.error?.code, "task-lost");
    assert.match(failed?.status ?? "", /while it waited for lost/);
    assert.equal(store.task("t-done")?.task.state, "completed");
    assert.equal(store.question("theirs")?.state, "pending");
    assert.equal(store.task("t-theirs")?.task.state, "working");
    assert.deepEqual(store.questions({ limit: 10 }).map(({ id }) => id).sort(), ["lost", "theirs"]);
    assert.equal(store.countOpen(), 1);
  }));

Deno.test("lists are newest first, bounded, and by state", () =>
  onFile(async (_path, open) => {
    using store = await open("me");
    for (let at = 0; at < 5; at++) {
      const createdAt = new Date(START + at).toISOString();
      store.putQuestion(question(`q${at}`, { createdAt, ...(at === 4 ? { state: "declined" } : {}) }));
      store.putTask(task(`t${at}`, { createdAt }));
    }
    assert.deepEqual(store.questions({ limit: 2 }).map(({ id }) => id), ["q3", "q2"]);
    assert.deepEqual(store.questions({ states: ["declined"], limit: 9 }).map(({ id }) => id), ["q4"]);
    assert.deepEqual(store.tasks({ limit: 2 }).map(({ id }) => id), ["t4", "t3"]);
    assert.deepEqual(store.tasks({ states: ["failed"], limit: 2 }), []);
  }));

Deno.test("what is settled is forgotten in time, and what is open never", () =>
  onFile(async (_path, open) => {
    {
      using store = await open("me");
      store.putQuestion(question("settled", { state: "accepted" }));
      store.putQuestion(question("open"));
      store.putTask(
        task("done", { state: "completed", expiresAt: new Date(START + HOUR).toISOString() }),
        "1",
      );
      store.putTask(task("running"));
    }
    using store = await open("me", ["me"], START + 30 * 24 * HOUR);
    assert.equal(store.question("settled"), undefined);
    assert.equal(store.question("open")?.state, "pending");
    assert.equal(store.task("done"), undefined);
    assert.equal(store.task("running")?.task.state, "working");
  }));

Deno.test("a file that is broken, or of a newer mcpx, is set aside and reported", () =>
  onFile(async (path, open, asides) => {
    (await open("me"))[Symbol.dispose]();
    await Deno.writeTextFile(
      path,
      "this is no database, though it is long enough to be taken for one".repeat(100),
    );
    {
      using store = await open("me");
      store.putQuestion(question("q"));
    }
    assert.match(asides[0] ?? "", /was set aside as/);
    const { DatabaseSync } = await import("node:sqlite");
    const db = new DatabaseSync(path);
    db.exec("PRAGMA user_version = 99");
    db.close();
    {
      using store = await open("me");
      assert.equal(store.question("q"), undefined);
      for (let at = 0; at < 200; at++) store.putQuestion(question(`q${at}`, { message: "x".repeat(500) }));
    }
    assert.match(asides[1] ?? "", /newer mcpx/);
    using file = await Deno.open(path, { write: true });
    await file.seek(4096, Deno.SeekMode.Start);
    await file.write(new Uint8Array(20_000).fill(7));
    using store = await open("me");
    assert.equal(store.countOpen(), 0);
    assert.equal(asides.length, 3);
  }));

Deno.test("the file and what stands beside it are their owner's alone", () =>
  onFile(async (path, open) => {
    using store = await open("me");
    store.putQuestion(question("q"));
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o077, 0, file);
    }
  }));

Deno.test("a folder that cannot be written says so", async () => {
  await assert.rejects(
    QuestionStore.open("/proc/mcpx/questions.db", {
      owner: "me",
      isAlive: () => false,
      onSetAside: () => undefined,
    }),
    { code: "state-unwritable" },
  );
});

Deno.test("of settled questions the newest ten thousand are kept, and every open one", () =>
  onFile(async (_path, open) => {
    using store = await open("me");
    store.putQuestion(question("open"));
    for (let at = 0; at < 11_000; at++) {
      store.putQuestion(
        question(`q${at}`, { state: "declined", createdAt: new Date(START + at).toISOString() }),
      );
    }
    const left = store.questions({ states: ["declined", "pending"], limit: 20_000 });
    assert.ok(left.length <= 10_501, `${left.length} are kept`);
    assert.equal(left[0]?.id, "q10999");
    assert.equal(left.at(-1)?.id, "open");
  }));
