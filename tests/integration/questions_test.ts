import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually, fixtureServer, realServer, World } from "../support/world.ts";

type Json = Record<string, unknown>;

interface Waiting {
  code: string;
  message: string;
  data: { question: Json; answer: string; task: string; collect: string };
}

interface WorldOptions {
  servers?: Json;
  settings?: Json;
  /** Whether the daemon is ended in the test, so that it is not shared. */
  own?: boolean;
}

let shared: World | undefined;

Deno.test.afterAll(async () => {
  await shared?.[Symbol.asyncDispose]();
});

/** A world whose daemon asks, with the requests that its tests make. Tests that change nothing about it share one. */
async function onAskers(
  run: (world: World, ask: Asking) => Promise<void>,
  options: WorldOptions = {},
): Promise<void> {
  if (options.own || options.servers || options.settings) {
    await using world = await openWorld(options);
    await run(world, new Asking(world));
    return;
  }
  shared ??= await openWorld({});
  await run(shared, new Asking(shared));
}

async function openWorld({ servers, settings }: WorldOptions): Promise<World> {
  const world = await World.open({
    mcpServers: {
      asker: fixtureServer("asker.mjs"),
      modern: fixtureServer("asker.mjs", { ERA: "modern" }),
      ...servers,
    },
    ...settings,
  });
  // One command starts the daemon and reads the servers; the rest goes over its socket.
  assert.equal((await world.run(["ls"])).code, 0);
  return world;
}

class Asking {
  constructor(readonly world: World) {}

  async post(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Json }> {
    const response = await this.world.http(path, { method: "POST", body: JSON.stringify(body), headers });
    return { status: response.status, body: await response.json() };
  }

  async get(path: string): Promise<Json> {
    return await (await this.world.http(path)).json();
  }

  /** Makes a call that has to wait, and gives what it says. */
  async waits(tool: string, args: Json = {}, headers: Record<string, string> = {}): Promise<Waiting> {
    const { status, body } = await this.post("/v1/call", { tool, arguments: args }, headers);
    assert.equal(status, 202, JSON.stringify(body));
    const error = body.error as Waiting;
    assert.equal(error.code, "waiting-input");
    return error;
  }

  answer(id: unknown, content: Json): Promise<{ status: number; body: Json }> {
    return this.post(`/v1/elicit/${id}/answer`, { content });
  }

  async result(task: string): Promise<unknown> {
    const body = await this.get(`/v1/tasks/${task}/result`);
    assert.ok("result" in body, JSON.stringify(body));
    return body.result;
  }
}

Deno.test("a call whose question nobody at hand can answer exits 75 at once, is answered elsewhere, and its result is collected", () =>
  onAskers(async (world) => {
    const waiting = await world.run(["call", "asker.ask", "message=Who are you?"]);
    assert.equal(waiting.code, 75);
    assert.equal(waiting.stdout, "");
    assert.match(waiting.stderr, /^waiting: asker asks: Who are you\?/);
    const [answer = ""] = /mcpx elicit answer elc-\w+ name='<name>'/.exec(waiting.stderr) ?? [];
    const [collect = ""] = /mcpx task result tsk-\w+/.exec(waiting.stderr) ?? [];
    const words = answer.replace("'<name>'", "Zoë").split(" ").slice(1);
    assert.equal((await world.run(words)).code, 0);
    const collected = await world.run(collect.split(" ").slice(1));
    assert.equal(collected.code, 0);
    assert.deepEqual(JSON.parse(collected.stdout), { action: "accept", content: { name: "Zoë" } });
    const { value } = await world.json(["call", "asker.ask"]);
    assert.equal((value.error as Json).code, "waiting-input");
  }));

for (const era of ["asker", "modern"]) {
  Deno.test(`every later question of a call behaves like the first (${era})`, () =>
    onAskers(async (_world, ask) => {
      const first = await ask.waits(`${era}.twice`);
      await ask.answer(first.data.question.id, { name: "one" });
      const second = (await ask.get(`/v1/tasks/${first.data.task}/result`)).error as Waiting;
      assert.equal(second.code, "waiting-input");
      assert.equal(second.data.question.message, "Second?");
      assert.equal(second.data.task, first.data.task);
      await ask.answer(second.data.question.id, { name: "two" });
      assert.deepEqual(await ask.result(first.data.task), [
        { action: "accept", content: { name: "one" } },
        { action: "accept", content: { name: "two" } },
      ]);
    }));

  Deno.test(`a hundred calls may wait on one shared server, each for its own answer (${era})`, () =>
    onAskers(async (_world, ask) => {
      const waiting = await Promise.all(
        Array.from({ length: 100 }, (_, at) => ask.waits(`${era}.ask`, { message: `number ${at}?` })),
      );
      assert.equal(new Set(waiting.map(({ data }) => data.question.id)).size, 100);
      await Promise.all(
        waiting.map(({ data }) => ask.answer(data.question.id, { name: String(data.question.message) })),
      );
      const results = await Promise.all(waiting.map(({ data }) => ask.result(data.task)));
      // The answer to the question that a caller was told about is the one that its task ends with.
      assert.deepEqual(
        results.map((result) => ((result as Json).content as Json).name),
        waiting.map(({ data }) => data.question.message),
      );
    }));

  Deno.test(`a script waits with its call, and its document is collected (${era})`, () =>
    onAskers(async (_world, ask) => {
      const { status, body } = await ask.post("/v1/exec", {
        code: `const { content } = await ${era}.ask({}); return "hello " + content.name;`,
      });
      assert.equal(status, 202);
      const { data } = body.error as Waiting;
      await ask.answer(data.question.id, { name: "Ada" });
      const document = await ask.get(`/v1/tasks/${data.task}/result`);
      assert.equal(document.ok, true);
      assert.equal(document.result, "hello Ada");
    }));

  Deno.test(`pages and completions are asked for as forms are (${era})`, () =>
    onAskers(async (_world, ask) => {
      const page = await ask.waits(`${era}.page`, { url: "https://example.org/login" });
      assert.equal(page.data.question.url, "https://example.org/login");
      assert.equal(page.data.question.audience, "human");
      await ask.answer(page.data.question.id, {});
      assert.deepEqual(await ask.result(page.data.task), { action: "accept" });
      const completion = await ask.waits(`${era}.complete`, { prompt: "say hi" });
      await ask.answer(completion.data.question.id, { text: "hi", model: "me" });
      assert.deepEqual(await ask.result(completion.data.task), {
        role: "assistant",
        content: { type: "text", text: "hi" },
        model: "me",
        stopReason: "endTurn",
      });
    }));

  Deno.test(`decline and cancel reach the server as what they are, with or without values (${era})`, () =>
    onAskers(async (_world, ask) => {
      for (const action of ["decline", "cancel"]) {
        for (const body of [{}, { content: null }, { content: {} }, { content: { junk: 1 } }]) {
          const { data } = await ask.waits(`${era}.ask`);
          const { status } = await ask.post(`/v1/elicit/${data.question.id}/${action}`, body);
          assert.equal(status, 200);
          assert.deepEqual(await ask.result(data.task), { action });
        }
      }
    }));
}

Deno.test("an answer that does not fit is refused with every field, and the question stays open; a second answer is refused", () =>
  onAskers(async (world, ask) => {
    const schema = {
      type: "object",
      properties: { age: { type: "integer", minimum: 18 }, mail: { type: "string", format: "email" } },
      required: ["age"],
    };
    const { data } = await ask.waits("asker.ask", { schema });
    const id = String(data.question.id);
    const refused = await ask.answer(id, { age: "three", mail: "x", admin: true });
    assert.equal(refused.status, 400);
    const { problems } = (refused.body.error as Json).data as { problems: { field: string }[] };
    assert.deepEqual(problems.map(({ field }) => field).sort(), ["admin", "age", "mail"]);
    assert.equal(((await ask.get(`/v1/elicit/${id}`)).question as Json).state, "pending");
    assert.equal((await world.run(["elicit", "answer", id, "age=x"])).code, 2);
    const both = await Promise.all([ask.answer(id, { age: 30 }), ask.answer(id, { age: 31 })]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await world.run(["elicit", "answer", id, "age=30"])).code, 1);
    assert.equal((await ask.answer("elc-none", {})).status, 404);
    const result = await ask.result(data.task) as { content: { age: number } };
    assert.ok([30, 31].includes(result.content.age));
  }));

Deno.test("the time that a person thinks counts for no timeout", () =>
  onAskers(async (_world, ask) => {
    const settings = {
      "x-mcpx-settings": JSON.stringify({ "pool.callTimeout": "200ms", "exec.timeout": "1s" }),
    };
    const call = await ask.waits("asker.ask", {}, settings);
    const modern = await ask.waits("modern.ask", {}, settings);
    const { body } = await ask.post("/v1/exec", { code: "return await asker.ask({})" }, settings);
    const script = body.error as Waiting;
    // Three times the longest of those limits, seen from a call that runs meanwhile.
    assert.equal((await ask.post("/v1/call", { tool: "asker.slow", arguments: { ms: 3000 } })).status, 200);
    for (const { data } of [call, modern, script]) {
      await ask.answer(data.question.id, { name: "late" });
      assert.deepEqual(await ask.result(data.task), { action: "accept", content: { name: "late" } });
    }
  }));

Deno.test("a call that asks nothing is not taken for the one that asks", () =>
  onAskers(async (_world, ask) => {
    // Once it was seen alone, a tool is known to ask.
    await ask.waits("asker.ask");
    const slow = ask.post("/v1/call", { tool: "asker.slow", arguments: { ms: 700 } });
    const asked = await ask.waits("asker.ask", { message: "mine?" });
    assert.equal(asked.data.question.message, "mine?");
    assert.equal((await slow).status, 200);
  }));

Deno.test("a server that dies or withdraws while its question is open leaves a question that is closed, with the reason", () =>
  onAskers(async (_world, ask) => {
    const dies = await ask.waits("asker.die");
    const failed = await eventually(async () => {
      const { task } = await ask.get(`/v1/tasks/${dies.data.task}`) as { task: Json };
      return task.state === "failed" && task;
    }, "the task fails");
    assert.match(String(failed.status), /outcome is unknown/);
    const { question } = await ask.get(`/v1/elicit/${dies.data.question.id}`) as { question: Json };
    assert.equal(question.state, "cancelled");
    assert.match(String(question.answeredBy), /the call that asked is over/);
    assert.equal((await ask.answer(dies.data.question.id, { name: "x" })).status, 409);
    const withdrawn = await ask.waits("asker.withdraw");
    const result = await eventually(async () => {
      const body = await ask.get(`/v1/tasks/${withdrawn.data.task}/result`);
      return "result" in body && body.result;
    }, "the call goes on without an answer");
    assert.deepEqual(result, { withdrawn: true });
    const gone = await ask.get(`/v1/elicit/${withdrawn.data.question.id}`) as { question: Json };
    assert.equal(gone.question.state, "cancelled");
  }));

Deno.test("a server that asks for ever is stopped after eight rounds", () =>
  onAskers(async (_world, ask) => {
    let { data } = await ask.waits("modern.forever");
    const { task } = data;
    for (let round = 1; round <= 8; round++) {
      await ask.answer(data.question.id, { name: "again" });
      const { error } = await ask.get(`/v1/tasks/${task}/result`) as { error: Waiting };
      if (round < 8) assert.equal(error.code, "waiting-input", `round ${round}`);
      else assert.equal(error.code, "too-many-questions");
      data = error.data;
    }
  }));

Deno.test("a modern server's state comes back byte for byte, beside every answer", () =>
  onAskers(async (_world, ask) => {
    const { data } = await ask.waits("modern.state");
    await ask.answer(data.question.id, { name: "Ada" });
    const result = await ask.result(data.task) as Json;
    assert.equal(result.same, true);
    assert.deepEqual(result.k, { action: "accept", content: { name: "Ada" } });
    assert.ok(Array.isArray((result.r as Json).roots));
  }));

Deno.test("a page that has to be opened first is asked for, and the request is made again", () =>
  onAskers(async (_world, ask) => {
    const { data } = await ask.waits("asker.page_first", { url: "https://example.org/a" });
    await ask.answer(data.question.id, {});
    assert.deepEqual(await ask.result(data.task), { done: true });
    const no = await ask.waits("asker.page_first", { url: "https://example.org/b" });
    await ask.post(`/v1/elicit/${no.data.question.id}/decline`, {});
    assert.equal(((await ask.get(`/v1/tasks/${no.data.task}/result`)).error as Json).code, "unanswered");
  }));

Deno.test("questions of a killed daemon are there afterwards, and the calls that waited are reported failed with the reason", () =>
  onAskers(async (world, ask) => {
    const waiting = await ask.waits("asker.ask");
    const { pid } = await world.daemon();
    Deno.kill(pid, "SIGKILL");
    const { value } = await world.json(["elicit", "list"]);
    const [question] = value.questions as Json[];
    assert.equal(question?.id, waiting.data.question.id);
    assert.match(String(question?.answeredBy), /daemon that waited for the answer ended/);
    const task = await world.json(["task", "get", waiting.data.task]);
    assert.equal((task.value.task as Json).state, "failed");
    const result = await world.json(["task", "result", waiting.data.task]);
    assert.equal(result.code, 1);
    assert.equal((result.value.error as Json).code, "task-lost");
    assert.match(String((result.value.error as Json).message), /while it waited for elc-/);
  }, { own: true }));

Deno.test("a stopped daemon has closed its questions and told its tasks' end", () =>
  onAskers(async (world, ask) => {
    const { data } = await ask.waits("asker.ask");
    await world.run(["stop"]);
    const task = await world.json(["task", "get", data.task]);
    // The server was told that nobody answers, and the call came to its own end.
    assert.equal((task.value.task as Json).state, "completed");
    const shown = await world.json(["elicit", "show", String(data.question.id)]);
    const question = shown.value.question as Json;
    assert.equal(question.state, "cancelled");
    assert.match(String(question.answeredBy), /the daemon stops/);
  }, { own: true }));

Deno.test("cancelling a task cancels its call and closes its question", () =>
  onAskers(async (_world, ask) => {
    const { data } = await ask.waits("asker.ask");
    const { body } = await ask.post(`/v1/tasks/${data.task}/cancel`, {});
    assert.equal((body.task as Json).state, "cancelled");
    const { question } = await ask.get(`/v1/elicit/${data.question.id}`) as { question: Json };
    assert.equal(question.state, "cancelled");
    assert.match(String(question.answeredBy), /the call that asked is over/);
    assert.equal((await ask.answer(data.question.id, { name: "late" })).status, 409);
  }));

Deno.test("a destructive call is confirmed on every path, and silence refuses it", () =>
  onAskers(async (_world, ask) => {
    for (const tool of ["wipe", "touch"]) {
      const { data } = await ask.waits(`asker.${tool}`, { path: "/x", token: "s3cret" });
      assert.equal(data.question.kind, "confirmation");
      assert.equal(data.question.audience, "human");
      assert.ok(!JSON.stringify(data).includes("s3cret"));
      assert.deepEqual(Object.keys((data.question.schema as { properties: Json }).properties), ["confirm"]);
      await ask.answer(data.question.id, { confirm: true });
      assert.deepEqual(await ask.result(data.task), { calls: 1 });
    }
    assert.equal((await ask.post("/v1/call", { tool: "asker.look" })).status, 200);
    const no = await ask.waits("asker.wipe");
    await ask.answer(no.data.question.id, { confirm: false });
    const refused = (await ask.get(`/v1/tasks/${no.data.task}/result`)).error as Json;
    assert.equal(refused.code, "not-confirmed");
    assert.match(String(refused.message), /question elc-/);
    const script = await ask.post("/v1/exec", { code: "return await asker.wipe({})" });
    assert.equal(script.status, 202);
    const { data } = script.body.error as Waiting;
    const document = await ask.get(`/v1/tasks/${data.task}/result`);
    assert.equal((document.error as Json).code, "waiting-input");
    const background = await ask.post("/v1/call", { tool: "asker.wipe", task: true });
    const silent = await eventually(async () => {
      const { task } = await ask.get(`/v1/tasks/${(background.body.task as Json).id}`) as { task: Json };
      return task.state === "failed" && task;
    }, "silence refuses the call");
    assert.equal((silent.error as Json).code, "not-confirmed");
    assert.deepEqual((await ask.post("/v1/call", { tool: "asker.look" })).body.result, { calls: 2 });
  }, { settings: { elicit: { confirmDestructive: true, askTimeout: "3s" } } }));

Deno.test("which instance is meant is asked only where it is open, and silence takes a new one", () =>
  onAskers(async (_world, ask) => {
    const as = (session: string): Record<string, string> => ({
      "x-mcpx-caller": JSON.stringify({ session }),
    });
    const look = (session: string): Promise<{ status: number; body: Json }> =>
      ask.post("/v1/call", { tool: "one.look" }, as(session));
    for (const session of ["a", "b"]) assert.deepEqual((await look(session)).body.result, { calls: 1 });
    assert.deepEqual((await look("a")).body.result, { calls: 2 });
    const asked = await ask.waits("one.look", {}, as("c"));
    assert.equal(asked.data.question.kind, "disambiguation");
    const { properties } = asked.data.question.schema as {
      properties: { instance: { oneOf: { const: string; title: string }[] } };
    };
    assert.deepEqual(properties.instance.oneOf.map((one) => one.const), ["session:a", "session:b", "new"]);
    assert.match(properties.instance.oneOf[0]?.title ?? "", /2 calls so far, pid \d+/);
    await ask.answer(asked.data.question.id, { instance: "session:a" });
    assert.deepEqual(await ask.result(asked.data.task), { calls: 3 });
    const silent = await ask.waits("one.look", {}, as("d"));
    const result = await eventually(async () => {
      const body = await ask.get(`/v1/tasks/${silent.data.task}/result`);
      return "result" in body && body.result;
    }, "the default stands");
    assert.deepEqual(result, { calls: 1 });
    const { question } = await ask.get(`/v1/elicit/${silent.data.question.id}`) as { question: Json };
    assert.equal(question.state, "expired");
  }, {
    servers: {
      one: { ...fixtureServer("asker.mjs"), mcpx: { sharing: "exclusive", scope: "session" } },
    },
    settings: { elicit: { disambiguate: "ask", askTimeout: "1500ms" } },
  }));

Deno.test("secrets that are answered stand in no list, log or file", () =>
  onAskers(async (world, ask) => {
    const schema = {
      properties: { apiKey: { type: "string", default: "d3fault" }, note: { type: "string" } },
      required: ["apiKey"],
    };
    const { data } = await ask.waits("asker.ask", { schema });
    assert.equal(data.question.audience, "human");
    await ask.answer(data.question.id, { apiKey: "hunter2hunter2", note: "seen" });
    const result = await ask.result(data.task) as { content: Json };
    assert.equal(result.content.apiKey, "hunter2hunter2");
    const shown = JSON.stringify([
      await ask.get("/v1/elicit?all=true"),
      await ask.get(`/v1/elicit/${data.question.id}`),
      await ask.get("/v1/tasks"),
    ]);
    assert.match(shown, /"note":"seen"/);
    assert.doesNotMatch(shown, /hunter2|d3fault/);
    const state = join(world.env.HOME ?? "", ".local/state/mcpx/questions");
    for await (const { name } of Deno.readDir(state)) {
      const { mode } = await Deno.stat(join(state, name));
      assert.equal((mode ?? 0) & 0o077, 0, name);
      if (!name.endsWith("-shm")) {
        // The task's result is the tool's own; questions alone are looked at here.
        const rows = (await readFile(join(state, name), "latin1")).split('"kind":');
        for (const row of rows.slice(1)) {
          assert.doesNotMatch(row.slice(0, 1500).split('"title"')[0] ?? "", /d3fault/);
        }
      }
    }
  }));

Deno.test("server-everything's questions work from the command line, with every kind of field", async () => {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  const waiting = await world.json(["call", "everything.trigger-elicitation-request"]);
  assert.equal(waiting.code, 75);
  const { data } = waiting.value.error as unknown as Waiting;
  const id = String(data.question.id);
  const refused = await world.json([
    "elicit",
    "answer",
    id,
    "name=Ada",
    "integer=101",
    "email=no",
    "birthdate=2026-02-30",
  ]);
  assert.equal(refused.code, 2);
  const answered = await world.run([
    "elicit",
    "answer",
    id,
    "name=Ada",
    "check=yes",
    "integer=7",
    "number=2.5",
    "email=ada@example.org",
    "homepage=https://example.org",
    "birthdate=1815-12-10",
    "untitledSingleSelectEnum=Joey",
    "untitledMultipleSelectEnum=Piano,Drums",
    "titledSingleSelectEnum=Wonder Woman",
    "titledMultipleSelectEnum=fish-2",
    "legacyTitledEnum=Birds",
  ]);
  assert.equal(answered.code, 0, answered.stderr);
  const collected = await world.run(["task", "result", data.task]);
  const received = JSON.parse(
    /Raw result: (\{.*\})/s.exec((JSON.parse(collected.stdout) as string[]).at(-1) ?? "")?.[1] ?? "{}",
  );
  assert.deepEqual(received, {
    action: "accept",
    content: {
      name: "Ada",
      check: true,
      firstLine: "It was a dark and stormy night.",
      email: "ada@example.org",
      homepage: "https://example.org",
      birthdate: "1815-12-10",
      integer: 7,
      number: 2.5,
      untitledSingleSelectEnum: "Joey",
      untitledMultipleSelectEnum: ["Piano", "Drums"],
      titledSingleSelectEnum: "hero-3",
      titledMultipleSelectEnum: ["fish-2"],
      legacyTitledEnum: "pet-3",
    },
  });
  const sampling = await world.json(["call", "everything.trigger-sampling-request", "prompt=hello"]);
  assert.equal(sampling.code, 75);
  const asked = (sampling.value.error as unknown as Waiting).data;
  assert.equal((await world.run(["elicit", "answer", String(asked.question.id), "text=world"])).code, 0);
  const completion = await world.run(["task", "result", asked.task]);
  assert.match(completion.stdout, /world/);
});
