import assert from "node:assert/strict";
import type { Answer, OwnDraft, Question, UpstreamDraft } from "../../elicit/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import type { Caller } from "../caller.ts";
import { answering, type DeskBench, deskBench } from "./testing.ts";

const FORM: UpstreamDraft = {
  from: "upstream",
  kind: "elicitation",
  server: "s",
  message: "Your age?",
  schema: { type: "object", properties: { age: { type: "integer" } }, required: ["age"] },
};
const OWN: OwnDraft = {
  ...FORM,
  from: "mcpx",
  kind: "recipe-form",
  default: { action: "decline" },
  deadlineMs: 60_000,
};

/** Asks within a request of a caller's; gives the request's end. */
function asks(bench: DeskBench, caller: Caller, draft = FORM as UpstreamDraft | OwnDraft): Promise<Answer> {
  return bench.desk.tasks.run(caller, { title: "test" }, (inner) => bench.desk.broker.ask(draft, inner));
}

async function waits(
  bench: DeskBench,
  caller: Caller,
  draft?: UpstreamDraft | OwnDraft,
): Promise<{ question: Question; task: string }> {
  try {
    await asks(bench, caller, draft);
  } catch (thrown) {
    const error = McpxError.from(thrown);
    assert.equal(error.code, "waiting-input", error.message);
    return error.data as { question: Question; task: string };
  }
  assert.fail("it did not wait");
}

const code = (wanted: string) => (error: unknown): boolean =>
  error instanceof McpxError && error.code === wanted;

Deno.test("whoever is at hand is asked, and what does not fit is put again with what is wrong", async () => {
  await using bench = deskBench();
  const seen: (string | undefined)[] = [];
  const answerer = answering((question) => {
    seen.push(question.problem);
    return { action: "accept", content: { age: seen.length === 1 ? "x" : 3 } };
  });
  assert.deepEqual(await asks(bench, bench.caller({ answerer })), { action: "accept", content: { age: 3 } });
  assert.equal(seen[0], undefined);
  assert.match(seen[1] ?? "", /`age` must be an integer/);
  assert.equal(bench.desk.broker.size, 0);
});

Deno.test("who at hand cannot answer, gives nothing, fails, or never fits leaves the question to others", async () => {
  await using bench = deskBench();
  const cases = [
    answering(() => ({ action: "accept", content: { age: 3 } }), { canElicit: { form: false, url: true } }),
    answering(() => undefined),
    answering(() => Promise.reject(new Error("gone"))),
    answering(() => ({ action: "accept", content: {} })),
  ];
  for (const answerer of cases) {
    const { question, task } = await waits(bench, bench.caller({ answerer }));
    await bench.desk.broker.answer(question.id, { action: "accept", content: { age: 4 } }, { name: "me" });
    assert.deepEqual(await bench.desk.tasks.result(task, bench.caller()), {
      action: "accept",
      content: { age: 4 },
    });
  }
  assert.match(bench.notes.join(), /could not be asked/);
});

Deno.test("a question answered elsewhere takes the prompt away", async () => {
  await using bench = deskBench();
  const { promise: shown, resolve } = Promise.withResolvers<string>();
  let aborted = false;
  const answerer = answering((question, signal) => {
    resolve(question.id);
    return new Promise<undefined>((give) =>
      signal.addEventListener("abort", () => {
        aborted = true;
        give(undefined);
      }, { once: true })
    );
  });
  const running = asks(bench, bench.caller({ answerer }));
  await bench.desk.broker.answer(await shown, { action: "decline" }, { name: "another terminal" });
  assert.deepEqual(await running, { action: "decline" });
  assert.equal(aborted, true);
});

Deno.test("of several answers one is taken; a late one is told who was first", async () => {
  await using bench = deskBench();
  const { question } = await waits(bench, bench.caller());
  const give = (age: number): Promise<unknown> =>
    bench.desk.broker.answer(question.id, { action: "accept", content: { age } }, { name: `answer ${age}` });
  const settled = await Promise.allSettled([give(1), give(2), give(3)]);
  assert.deepEqual(settled.map(({ status }) => status).sort(), ["fulfilled", "rejected", "rejected"]);
  await assert.rejects(give(4), /accepted already \(answer 1/);
  await assert.rejects(
    bench.desk.broker.answer("elc-x", { action: "cancel" }, { name: "me" }),
    code("unknown-question"),
  );
});

Deno.test("an agent answers neither what is a human's nor another session's question", async () => {
  await using bench = deskBench();
  const { broker } = bench.desk;
  const agent = (session: string): { name: string; surface: "mcp"; session: string } => ({
    name: "agent",
    surface: "mcp",
    session,
  });
  const secret: UpstreamDraft = { ...FORM, schema: { properties: { token: { type: "string" } } } };
  const human = await waits(bench, bench.caller({ surface: "mcp", session: "a" }), secret);
  await assert.rejects(
    broker.answer(human.question.id, { action: "accept", content: { token: "x" } }, agent("a")),
    (error) =>
      error instanceof McpxError && error.code === "forbidden" &&
      /mcpx elicit show elc-/.test(error.hint ?? ""),
  );
  const theirs = await waits(bench, bench.caller({ surface: "mcp", session: "a" }));
  await assert.rejects(
    broker.answer(theirs.question.id, { action: "decline" }, agent("b")),
    /another session's/,
  );
  const answered = await broker.answer(
    theirs.question.id,
    { action: "accept", content: { age: 1 } },
    agent("a"),
  );
  assert.equal(answered.state, "accepted");
});

Deno.test("what an agent declines a human may still answer, where values were asked for", async () => {
  await using bench = deskBench();
  const { broker } = bench.desk;
  const by = { name: "agent", surface: "mcp", session: "a" } as const;
  const { question } = await waits(bench, bench.caller({ surface: "mcp", session: "a" }));
  const declined = await broker.answer(question.id, { action: "decline" }, by);
  assert.deepEqual([declined.state, declined.audience], ["pending", "human"]);
  await assert.rejects(broker.answer(question.id, { action: "decline" }, by), code("forbidden"));
  assert.equal((await broker.answer(question.id, { action: "decline" }, { name: "me" })).state, "declined");
});

Deno.test("silence gives a server's question cancel, and mcpx's own its default", async () => {
  await using bench = deskBench({ settings: { "elicit.ttl": "40ms" } });
  const theirs = await waits(bench, bench.caller());
  const own = await waits(bench, bench.caller(), { ...OWN, deadlineMs: 40 });
  await bench.desk.tasks.idle();
  assert.deepEqual(await bench.desk.tasks.result(theirs.task, bench.caller()), { action: "cancel" });
  assert.deepEqual(await bench.desk.tasks.result(own.task, bench.caller()), { action: "decline" });
  assert.equal((await bench.desk.broker.show(own.question.id)).state, "expired");
  await assert.rejects(
    bench.desk.broker.answer(own.question.id, { action: "accept", content: { age: 1 } }, { name: "late" }),
    /expired already/,
  );
});

Deno.test("where no task can be held, the default applies at once and the caller is told", async () => {
  await using bench = deskBench({ holdsTasks: false });
  const told: string[] = [];
  const caller = {
    ...bench.caller(),
    emit: (event: { type: string; text?: string }) => void told.push(event.text ?? ""),
  };
  assert.deepEqual(await asks(bench, caller, OWN), { action: "decline" });
  assert.deepEqual(await asks(bench, caller), { action: "cancel" });
  assert.match(told[0] ?? "", /its default stands \(elc-/);
  const answerer = answering(() => ({ action: "accept", content: { age: 3 } }));
  assert.deepEqual(await asks(bench, bench.caller({ answerer })), { action: "accept", content: { age: 3 } });
});

Deno.test("a caller that goes away takes its question with it", async () => {
  await using bench = deskBench();
  const abort = new AbortController();
  const { promise: shown, resolve } = Promise.withResolvers<string>();
  const answerer = answering((question) => {
    resolve(question.id);
    return new Promise(() => undefined);
  });
  const running = asks(bench, bench.caller({ answerer, signal: abort.signal }));
  const id = await shown;
  abort.abort();
  assert.deepEqual(await running, { action: "cancel" });
  assert.match((await bench.desk.broker.show(id)).answeredBy ?? "", /the call that asked is over/);
});

Deno.test("completions come from the host, else from the configured model, else from whoever writes one", async () => {
  await using bench = deskBench();
  const { broker } = bench.desk;
  const draft: UpstreamDraft = {
    from: "upstream",
    kind: "sampling",
    server: "s",
    message: "?",
    sampling: { messages: [] },
  };
  const result = (
    model: string,
  ): { role: string; content: { type: string; text: string }; model: string } => ({
    role: "assistant",
    content: { type: "text", text: "hi" },
    model,
  });
  broker.sampler = { name: "model", sample: () => Promise.resolve(result("provider")) };
  const host = answering(() => ({ action: "accept", content: result("host") }));
  assert.deepEqual(await asks(bench, bench.caller({ surface: "mcp", answerer: host }), draft), {
    action: "accept",
    content: result("host"),
  });
  assert.deepEqual(await asks(bench, bench.caller({ surface: "cli", answerer: host }), draft), {
    action: "accept",
    content: result("provider"),
  });
  broker.sampler = { name: "model", sample: () => Promise.reject(new Error("no quota")) };
  const { question, task } = await waits(bench, bench.caller(), draft);
  assert.match(bench.notes.join(), /no quota/);
  await assert.rejects(
    broker.answer(question.id, { action: "accept", content: { role: "x" } }, { name: "me" }),
    code("invalid-input"),
  );
  await assert.rejects(
    broker.answer(question.id, { action: "accept", content: {} }, { name: "me" }),
    code("invalid-input"),
  );
  await broker.answer(question.id, { action: "accept", content: { text: "by hand" } }, { name: "me" });
  const taken = await bench.desk.tasks.result(task, bench.caller()) as {
    content: { content: { text: string } };
  };
  assert.equal(taken.content.content.text, "by hand");
});

Deno.test("more questions than may be open are not asked", async () => {
  await using bench = deskBench({ settings: { "elicit.maxOpen": "2" } });
  for (let at = 0; at < 2; at++) await waits(bench, bench.caller());
  assert.deepEqual(await asks(bench, bench.caller()), { action: "cancel" });
  assert.match(bench.notes.join(), /elicit\.maxOpen/);
});

Deno.test("ten thousand open questions are held, and slow no request that asks nothing", async () => {
  await using bench = deskBench({ settings: { "elicit.maxOpen": "20000" } });
  const { tasks, broker } = bench.desk;
  const measure = async (): Promise<number> => {
    const start = performance.now();
    for (let at = 0; at < 2000; at++) {
      await tasks.run(bench.caller(), { title: "t" }, () => Promise.resolve(at));
    }
    return performance.now() - start;
  };
  await measure();
  const before = await measure();
  await waits(bench, bench.caller());
  for (let at = 1; at < 10_000; at++) void broker.raise(FORM, { works: [] });
  assert.equal((await broker.list({ limit: 10_000 })).length, 10_000);
  await measure();
  const after = Math.min(await measure(), await measure());
  assert.ok(
    after < before * 4 + 50,
    `2000 requests took ${before} ms, and ${after} ms beside 10,000 questions`,
  );
  const [newest] = await broker.list({ limit: 1 });
  assert.equal(
    (await broker.answer(newest?.id ?? "", { action: "decline" }, { name: "me" })).state,
    "declined",
  );
});

Deno.test("a call, a server and all of them together hold so many questions and bytes, and others still ask", async () => {
  await using bench = deskBench({ settings: { "elicit.maxOpen": "1000" } });
  const { tasks, broker } = bench.desk;
  const told: string[] = [];
  const caller: Caller = {
    ...bench.caller(),
    emit: (event) => void (event.type === "note" && told.push(event.text)),
  };
  const message = "x".repeat(1000);
  const from = (server: string): UpstreamDraft => ({ ...FORM, server, message });
  let cancelled = 0;
  void tasks.run(caller, { title: "flood" }, async (working) => {
    await Promise.resolve(); // by then somebody waits
    const asked = Array.from({ length: 30_000 }, async () => {
      if ((await broker.ask(from("flood"), working)).action === "cancel") cancelled++;
    });
    await Promise.all(asked);
  }).catch(() => undefined);
  await Promise.resolve();
  assert.equal(broker.size, 100);
  for (let at = 0; at < 5000; at++) void broker.raise(from("flood"), { works: [] });
  assert.equal(broker.size, 500);
  const others = await waits(bench, bench.caller());
  assert.equal(broker.size, 501);
  assert.equal((await broker.list({ limit: 10_000 })).length, 501);
  assert.equal(cancelled, 29_900);
  assert.deepEqual(told, ["flood asked while 100 questions of the same call were open: not asked."]);
  assert.equal(bench.notes.filter((note) => note.startsWith("flood asked")).length, 1);
  assert.equal(
    (await broker.answer(others.question.id, { action: "decline" }, { name: "me" })).state,
    "declined",
  );
  const flood = (await tasks.list({ limit: 9 })).find(({ title }) => title === "flood");
  await tasks.cancel(flood?.id ?? "");
  assert.equal(broker.size, 400);
});

Deno.test("what holds too much is not asked, and what is open gives its place back", async () => {
  await using bench = deskBench();
  const { broker } = bench.desk;
  const large = (server: string, bytes: number): UpstreamDraft => ({
    from: "upstream",
    kind: "sampling",
    server,
    message: "?",
    sampling: { messages: ["x".repeat(bytes)] },
  });
  assert.deepEqual(await broker.raise({ ...FORM, message: "x".repeat(300_000) }, { works: [] }), {
    action: "cancel",
  });
  let deep: Record<string, unknown> = {};
  for (let depth = 0; depth < 200_000; depth++) deep = { deep };
  assert.deepEqual(await broker.raise({ ...FORM, schema: deep } as UpstreamDraft, { works: [] }), {
    action: "cancel",
  });
  const abort = new AbortController();
  for (let at = 0; at < 9; at++) {
    void broker.raise(large("a", 4_000_000), { works: [], signal: abort.signal });
  }
  assert.equal(broker.size, 4);
  for (let at = 0; at < 9; at++) {
    void broker.raise(large("b", 4_000_000), { works: [], signal: abort.signal });
  }
  assert.equal(broker.size, 8);
  for (let at = 0; at < 9; at++) {
    void broker.raise(large("c", 4_000_000), { works: [], signal: abort.signal });
  }
  assert.ok(broker.bytes <= 32 * 1024 * 1024);
  abort.abort();
  assert.equal(broker.bytes, 0);
});

Deno.test("of a settled question little is kept", async () => {
  await using bench = deskBench();
  const { broker } = bench.desk;
  const schema = { type: "object", properties: { name: { type: "string" } } };
  void broker.raise({ ...FORM, schema, message: "x".repeat(100_000) } as UpstreamDraft, { works: [] });
  const [question] = await broker.list({ limit: 1 });
  assert.equal((await broker.show(question?.id ?? "")).message.length, 100_000);
  await broker.answer(question?.id ?? "", { action: "accept", content: { name: "y".repeat(100_000) } }, {
    name: "me",
  });
  const settled = await broker.show(question?.id ?? "");
  assert.deepEqual([settled.state, settled.message.length, settled.answer], ["accepted", 2001, {
    action: "accept",
  }]);
});
