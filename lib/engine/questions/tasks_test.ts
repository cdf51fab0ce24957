import assert from "node:assert/strict";
import type { UpstreamDraft } from "../../elicit/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import type { Caller } from "../caller.ts";
import { answering, type DeskBench, deskBench } from "./testing.ts";

const FORM: UpstreamDraft = {
  from: "upstream",
  kind: "elicitation",
  server: "s",
  message: "?",
  schema: { properties: { name: { type: "string" } }, required: ["name"] },
};

/** Runs something that waits; gives the task that it becomes. */
async function held(bench: DeskBench, run: (caller: Caller) => Promise<unknown>): Promise<string> {
  try {
    await bench.desk.tasks.run(bench.caller(), { title: "test" }, run);
  } catch (thrown) {
    const error = McpxError.from(thrown);
    assert.equal(error.code, "waiting-input");
    return String(error.data?.task);
  }
  assert.fail("it did not wait");
}

const answerAll = async ({ desk }: DeskBench): Promise<void> => {
  for (const { id } of await desk.broker.list({ limit: 100 })) {
    await desk.broker.answer(id, { action: "accept", content: { name: "x" } }, { name: "me" });
  }
};

Deno.test("what asks nothing leaves no task", async () => {
  await using bench = deskBench();
  assert.equal(await bench.desk.tasks.run(bench.caller(), { title: "t" }, () => Promise.resolve(7)), 7);
  await assert.rejects(
    bench.desk.tasks.run(bench.caller(), { title: "t" }, () => Promise.reject(new Error("no"))),
    /no/,
  );
  assert.deepEqual(await bench.desk.tasks.list({ limit: 9 }), []);
});

Deno.test("a task tells where it stands, and keeps its result or its error", async () => {
  await using bench = deskBench();
  const { tasks, broker } = bench.desk;
  const good = await held(bench, async (caller) => ({ got: await broker.ask(FORM, caller) }));
  assert.deepEqual([(await tasks.get(good)).state, (await tasks.get(good)).questions.length], [
    "input_required",
    1,
  ]);
  await answerAll(bench);
  assert.deepEqual(await tasks.result(good, bench.caller()), {
    got: { action: "accept", content: { name: "x" } },
  });
  assert.equal((await tasks.get(good)).state, "completed");
  const bad = await held(bench, async (caller) => {
    await broker.ask(FORM, caller);
    throw new McpxError("tool-error", "It broke.", { hint: "mend it", diagnostics: [{ kind: "x" }] });
  });
  await answerAll(bench);
  for (let again = 0; again < 2; again++) {
    await assert.rejects(
      tasks.result(bad, bench.caller()),
      (error) =>
        error instanceof McpxError && error.code === "tool-error" && error.hint === "mend it" &&
        error.diagnostics?.length === 1,
    );
  }
  assert.equal((await tasks.get(bad)).state, "failed");
  await assert.rejects(tasks.result("tsk-x", bench.caller()), { code: "unknown-task" });
});

Deno.test("a document that says that it failed is a failed task with its document", async () => {
  await using bench = deskBench();
  const { tasks } = bench.desk;
  const task = await tasks.start(
    bench.caller(),
    { title: "t", succeeded: ({ ok }) => ok },
    () => Promise.resolve({ ok: false, exitCode: 1 }),
  );
  assert.deepEqual(await tasks.result(task.id, bench.caller()), { ok: false, exitCode: 1 });
  assert.equal((await tasks.get(task.id)).state, "failed");
});

Deno.test("a task ends when it is cancelled, and its question with it; its caller's leaving does not end it", async () => {
  await using bench = deskBench();
  const { tasks, broker } = bench.desk;
  const abort = new AbortController();
  let inner: AbortSignal | undefined;
  const started = await tasks.start(
    bench.caller({ signal: abort.signal }),
    { title: "t" },
    async (caller) => {
      inner = caller.signal;
      const answer = await broker.ask(FORM, caller);
      caller.signal.throwIfAborted();
      return answer;
    },
  );
  abort.abort();
  assert.equal(inner?.aborted, false);
  const cancelled = await tasks.cancel(started.id);
  assert.deepEqual([cancelled.state, inner?.aborted], ["cancelled", true]);
  assert.equal(broker.size, 0);
  await assert.rejects(tasks.result(started.id, bench.caller()), { code: "cancelled" });
  assert.equal((await tasks.cancel(started.id)).state, "cancelled");
});

Deno.test("who collects a result and can be asked is asked what the task waits for", async () => {
  await using bench = deskBench();
  const task = await held(bench, (caller) => bench.desk.broker.ask(FORM, caller));
  const answerer = answering(() => ({ action: "accept", content: { name: "late" } }));
  assert.deepEqual(await bench.desk.tasks.result(task, bench.caller({ answerer })), {
    action: "accept",
    content: { name: "late" },
  });
});

Deno.test("who collects and leaves does not end the task", async () => {
  await using bench = deskBench();
  const { promise: going, resolve: go } = Promise.withResolvers<number>();
  const task = await bench.desk.tasks.start(bench.caller(), { title: "t" }, () => going);
  const abort = new AbortController();
  const collecting = bench.desk.tasks.result(task.id, bench.caller({ signal: abort.signal }));
  abort.abort();
  await assert.rejects(collecting, { code: "cancelled" });
  go(3);
  assert.equal(await bench.desk.tasks.result(task.id, bench.caller()), 3);
});

Deno.test("what waits longer than exec.maxWait is ended, and says so", async () => {
  await using bench = deskBench({ settings: { "exec.maxWait": "50ms" } });
  const task = await held(bench, async (caller) => {
    await bench.desk.broker.ask(FORM, caller);
    caller.signal.throwIfAborted();
  });
  await bench.desk.tasks.idle();
  await assert.rejects(bench.desk.tasks.result(task, bench.caller()), /exec\.maxWait/);
});

Deno.test("several questions of one run all have to be answered, in any order", async () => {
  await using bench = deskBench();
  const { tasks, broker } = bench.desk;
  const task = await held(bench, (caller) => Promise.all([1, 2, 3].map(() => broker.ask(FORM, caller))));
  const questions = (await broker.list({ limit: 9 })).map(({ id }) => id);
  assert.equal(questions.length, 3);
  for (const [at, id] of questions.entries()) {
    await assert.rejects(tasks.result(task, bench.caller()), { code: "waiting-input" });
    await broker.answer(id, { action: "accept", content: { name: String(at) } }, { name: "me" });
  }
  assert.equal((await tasks.result(task, bench.caller()) as unknown[]).length, 3);
});

Deno.test("closing tells every task's end and closes every question", async () => {
  const bench = deskBench();
  const { tasks, broker } = bench.desk;
  await held(bench, async (caller) => {
    await broker.ask(FORM, caller);
    caller.signal.throwIfAborted();
  });
  await bench.desk.close();
  const last = (type: string): { state: string } =>
    bench.events.filter((event) => event.type === type).at(-1)?.data as { state: string };
  assert.equal(last("task").state, "failed");
  assert.equal(last("question").state, "cancelled");
  assert.deepEqual([tasks.size, broker.size], [0, 0]);
});
