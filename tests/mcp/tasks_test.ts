import assert from "node:assert/strict";
import { HostStream } from "../support/host_stream.ts";
import { MODERN, modernRequest, type RawAnswer, RawHost } from "../support/mcp_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

const STATUS = "notifications/tasks/status";
const RELATED = "io.modelcontextprotocol/related-task";

type Json = Record<string, unknown>;

function speaker(name: string, mcpx: object = {}, env: Record<string, string> = {}): Record<string, object> {
  return { [name]: { ...fixtureServer("speaker.mjs", env), mcpx: { prefix: "none", ...mcpx } } };
}

interface Host {
  headers: Record<string, string>;
  send(method: string, params: object): Promise<RawAnswer>;
  result(method: string, params: object): Promise<Json>;
  /** Calls `work` as a task and gives the task. */
  work(args?: object, name?: string): Promise<Json>;
}

async function open(host: RawHost, capabilities = '{"elicitation":{}}'): Promise<Host> {
  const { headers } = await host.initialize("2025-11-25", capabilities);
  let id = 0;
  const send = (method: string, params: object): Promise<RawAnswer> =>
    host.post(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }), headers);
  const result = async (method: string, params: object): Promise<Json> => {
    const answer = await send(method, params);
    assert.ok(answer.last.result, answer.text);
    return answer.last.result as Json;
  };
  return {
    headers,
    send,
    result,
    work: async (args = {}, name = "work") =>
      (await result("tools/call", { name, arguments: args, task: { ttl: 60000 } })).task as Json,
  };
}

Deno.test("the status of a task reaches the host that began it, whole, and no other", async () => {
  await using host = await RawHost.open(speaker("s"));
  const [a, b] = [await open(host), await open(host)];
  await using hearsA = await HostStream.standing(host, a.headers);
  await using hearsB = await HostStream.standing(host, b.headers);
  // The server tells of its end in the same breath in which it answers.
  const task = await a.work({ to: "completed" });
  const told = await hearsA.until(({ method }) => method === STATUS);
  assert.deepEqual(told.params, { ...task, status: "completed" });
  const other = await b.work();
  await b.result("tools/call", { name: "move", arguments: { taskId: other.taskId, to: "failed" } });
  await hearsB.until(({ method }) => method === STATUS);
  assert.deepEqual(hearsB.of(STATUS).map(({ params }) => params.taskId), [other.taskId]);
  assert.deepEqual(hearsA.of(STATUS).map(({ params }) => params.taskId), [task.taskId]);
  assert.equal((await a.send("tasks/get", { taskId: other.taskId })).text.includes("-32602"), true);
  assert.deepEqual((await b.result("tasks/list", {})).tasks, [{ ...other, status: "failed" }]);
});

Deno.test("what a task asks reaches the host that waits for its result, with the task in its _meta", async () => {
  await using host = await RawHost.open(speaker("s"));
  const [a, b] = [await open(host), await open(host)];
  const [one, other] = [await a.work(), await b.work()];
  const ask = (id: string, taskId: unknown): string =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "elicitation/create",
      params: {
        message: id,
        requestedSchema: { type: "object" },
        _meta: { [RELATED]: { taskId, x: 1 }, y: 2 },
      },
    });
  // Nobody waits yet, and no stream is open: the questions wait for tasks/result.
  await b.result("tools/call", {
    name: "say",
    arguments: { lines: [ask("for a", one.taskId), ask("for b", other.taskId)] },
  });
  const waits = async ({ headers }: Host, taskId: unknown): Promise<HostStream> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 99, method: "tasks/result", params: { taskId } });
    const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    return new HostStream(await host.http({ method: "POST", body, headers: { ...headers, ...accept } }));
  };
  for (const [mine, task, name] of [[a, one, "for a"], [b, other, "for b"]] as const) {
    await using stream = await waits(mine, task.taskId);
    const question = await stream.until(({ method }) => method === "elicitation/create");
    assert.equal(question.params.message, name);
    assert.deepEqual(question.params._meta, { [RELATED]: { taskId: task.taskId, x: 1 }, y: 2 });
    const answer = { action: "accept", content: { n: name }, _meta: { [RELATED]: { taskId: task.taskId } } };
    await host.post(JSON.stringify({ jsonrpc: "2.0", id: question.id, result: answer }), mine.headers);
    await eventually(async () => {
      const { content } = await mine.result("tools/call", { name: "answers", arguments: {} });
      const answers = JSON.parse((content as [{ text: string }])[0].text) as Json;
      if (answers[name] === undefined) return false;
      assert.deepEqual(answers[name], answer);
      return true;
    }, "the answer arrives");
    // A question that comes while the result is waited for goes out on its stream.
    await mine.result("tools/call", {
      name: "say",
      arguments: { lines: [ask(`${name} again`, task.taskId)] },
    });
    await stream.until(({ params }) => params?.message === `${name} again`);
    await mine.result("tools/call", { name: "move", arguments: { taskId: task.taskId, to: "completed" } });
    const { result } = await stream.until(({ id }) => id === 99);
    assert.deepEqual((result as { _meta: Json })._meta, { [RELATED]: { taskId: task.taskId } });
    assert.equal(stream.of("elicitation/create").length, 2);
  }
});

Deno.test("a question of a task goes out on the standing stream where the host has one open", async () => {
  await using host = await RawHost.open(speaker("s"));
  const a = await open(host);
  await using hears = await HostStream.standing(host, a.headers);
  const task = await a.work();
  const params = { message: "?", requestedSchema: {}, _meta: { [RELATED]: { taskId: task.taskId } } };
  const ask = JSON.stringify({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params });
  await a.result("tools/call", { name: "say", arguments: { lines: [ask] } });
  const question = await hears.until(({ method }) => method === "elicitation/create");
  assert.deepEqual(question.params, params);
});

Deno.test("progress of a task goes on when its call has been answered", async () => {
  await using host = await RawHost.open(speaker("s"));
  const a = await open(host);
  await using hears = await HostStream.standing(host, a.headers);
  const { task } = await a.result("tools/call", {
    name: "work",
    arguments: {},
    task: {},
    _meta: { progressToken: "mine" },
  });
  const { content } = await a.result("tools/call", { name: "log", arguments: {} });
  const lines = JSON.parse((content as [{ text: string }])[0].text) as string[];
  const sent = lines.map((line) => JSON.parse(line)).find(({ params }) => params?.task);
  const progress = {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: sent.params._meta.progressToken, progress: 1, "x-unknown": 1 },
  };
  await a.result("tools/call", { name: "say", arguments: { lines: [JSON.stringify(progress)] } });
  const told = await hears.until(({ method }) => method === "notifications/progress");
  assert.deepEqual(told.params, { progressToken: "mine", progress: 1, "x-unknown": 1 });
  assert.ok(task);
});

Deno.test("tasks of two servers that have the same id are two tasks, and a working one keeps its server", async () => {
  const plan = JSON.stringify({
    "tools/call echo":
      '{"task":{"taskId":"t","status":"working","ttl":null,"createdAt":"2026-01-01T00:00:00Z"}}',
    "tasks/get":
      '{"taskId":"t","status":"working","ttl":null,"createdAt":"2026-01-01T00:00:00Z","by":"$NAME"}',
    "tasks/result":
      `{"content":[{"type":"resource_link","uri":"note://one","name":"one"}],"_meta":{"${RELATED}":{"taskId":"t"}}}`,
    "initialize":
      '{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"t","version":"1"}}',
  });
  const server = (name: string): object => fixtureServer("verbatim.mjs", { PLAN: `$ROOT/${name}` });
  await using host = await RawHost.open({ one: server("one"), two: server("two") }, {
    files: { one: plan.replace("$NAME", "one"), two: plan.replace("$NAME", "two") },
    settings: { "pool.idleTimeout": 1 },
  });
  const { answer } = await host.initialize("2025-11-25");
  const { capabilities } = answer.last.result as { capabilities: { tasks: object } };
  assert.deepEqual(capabilities.tasks, { list: {}, requests: { tools: { call: {} } } });
  const a = await open(host);
  const [first, second] = [await a.work({}, "one_echo"), await a.work({}, "two_echo")];
  assert.deepEqual([first.taskId, second.taskId], ["t", "two/t"]);
  for (const [task, by] of [[first, "one"], [second, "two"]] as const) {
    const state = await a.result("tasks/get", { taskId: task.taskId });
    assert.deepEqual([state.by, state.taskId], [by, task.taskId]);
    const result = await a.result("tasks/result", { taskId: task.taskId });
    assert.deepEqual((result._meta as Json)[RELATED], { taskId: task.taskId });
    assert.deepEqual((result.content as [Json])[0].uri, `mcpx://${by}/note://one`);
  }
});

Deno.test("a server that works on a task is not stopped for want of requests, until the task has ended", async () => {
  await using host = await RawHost.open(speaker("s"), { settings: { "pool.idleTimeout": 1 } });
  const a = await open(host);
  const task = await a.work();
  const isIdle = (): boolean => host.engine.pool.status()[0]?.idleSince !== undefined;
  assert.equal(isIdle(), false);
  assert.equal((await a.result("tasks/get", { taskId: task.taskId })).status, "working");
  await a.result("tasks/cancel", { taskId: task.taskId });
  await eventually(() => Promise.resolve(host.engine.pool.status().length === 0), "it is stopped");
});

const EXTENSION = '{"extensions":{"io.modelcontextprotocol/tasks":{}}}';

/** A modern host that knows tasks. */
function modern(
  host: RawHost,
  capabilities = EXTENSION,
): (method: string, params: object) => Promise<RawAnswer> {
  return (method, params) => host.post(...modernRequest(method, JSON.stringify(params), { capabilities }));
}

Deno.test("a modern host hears of the tasks that it asks for, by its subscription, as tasks/get would give them", async () => {
  await using host = await RawHost.open({
    s: fixtureServer("speaker.mjs", { ERA: "modern", LOG: "$ROOT/log" }),
  });
  const send = modern(host);
  const begin = async (): Promise<Json> =>
    (await send("tools/call", { name: "s_work", arguments: {} })).last.result as Json;
  const [one, other, done] = [await begin(), await begin(), await begin()];
  assert.deepEqual([one.resultType, one.status, one.ttlMs], ["task", "working", 60000]);
  await send("tools/call", { name: "s_move", arguments: { taskId: done.taskId, to: "cancelled" } });
  const filter = JSON.stringify({ taskIds: [one.taskId, "nobody's", done.taskId], "x-unknown": 1 });
  await using hears = await HostStream.listen(host, filter, { capabilities: EXTENSION });
  const ended = await hears.until(({ method }) => method === "notifications/tasks");
  assert.equal(ended.params.taskId, done.taskId);
  const [first] = hears.messages;
  assert.equal(first?.method, "notifications/subscriptions/acknowledged");
  assert.deepEqual(first?.params.notifications, { taskIds: [one.taskId, done.taskId] });
  const ask = { method: "elicitation/create", params: { message: "Who?", requestedSchema: {} } };
  const link = { content: [{ type: "resource_link", uri: "note://one", name: "one" }] };
  await send("tools/call", { name: "s_move", arguments: { taskId: other.taskId, to: "completed" } });
  await send("tools/call", {
    name: "s_move",
    arguments: { taskId: one.taskId, to: "input_required", inputRequests: { k: ask } },
  });
  const asked = await hears.until(({ params }) => params.status === "input_required");
  const got = (await send("tasks/get", { taskId: one.taskId })).last.result as Json;
  const { resultType, ...state } = got;
  const { _meta, ...told } = asked.params;
  assert.deepEqual([resultType, told], ["complete", state]);
  assert.deepEqual(_meta, { "io.modelcontextprotocol/subscriptionId": "sub" });
  const inputs = told.inputRequests as { k: { params: { message: string } } };
  assert.equal(inputs.k.params.message, "s: Who?");
  assert.equal(
    (await send("tasks/update", { taskId: one.taskId, inputResponses: { k: { action: "decline" } } })).status,
    200,
  );
  await send("tools/call", {
    name: "s_move",
    arguments: { taskId: one.taskId, to: "completed", result: link },
  });
  const { params: { result } } = await hears.until(({ params }) => params.status === "completed");
  assert.deepEqual((result as { content: [Json] }).content[0].uri, "mcpx://s/note://one");
  assert.equal(
    hears.of("notifications/tasks").filter(({ params }) => params.taskId === other.taskId).length,
    0,
  );
  const log = await host.file("log");
  assert.match(
    log,
    /"method":"subscriptions\/listen".*"extensions":\{"io.modelcontextprotocol\/tasks":\{\}\}/,
  );
  await hears[Symbol.asyncDispose]();
  await eventually(
    async () => /"notifications\/cancelled"/.test(await host.file("log")),
    "the server is told",
  );
});

Deno.test("who does not declare tasks is refused their notices and their methods; an unknown task is an error", async () => {
  await using host = await RawHost.open({ s: fixtureServer("speaker.mjs", { ERA: "modern" }) });
  const plain = modern(host, "{}");
  for (
    const [method, params] of [
      ["subscriptions/listen", { notifications: { taskIds: ["t"] } }],
      ["tasks/get", { taskId: "t" }],
      ["tasks/update", { taskId: "t" }],
      ["tasks/cancel", { taskId: "t" }],
    ] as const
  ) {
    const { last, status } = await plain(method, params);
    assert.deepEqual([status, (last.error as Json).code], [400, -32021], method);
    assert.deepEqual((last.error as { data: Json }).data.requiredCapabilities, JSON.parse(EXTENSION));
  }
  const send = modern(host);
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    const { last } = await send(method, { taskId: "nobody's", inputResponses: {} });
    assert.equal((last.error as Json).code, -32602, method);
  }
  for (const taskIds of ["t", [1], Array.from({ length: 1001 }, () => "t")]) {
    const { last } = await send("subscriptions/listen", { notifications: { taskIds } });
    assert.equal((last.error as Json).code, -32602);
  }
});

Deno.test("a task that an earlier daemon told of is found again at the server that runs it", async () => {
  const task = {
    taskId: "far",
    status: "working",
    createdAt: "2026-01-01T00:00:00Z",
    lastUpdatedAt: "2026-01-01T00:00:00Z",
    ttlMs: null,
  };
  const plan = (tasks: object): string =>
    JSON.stringify({
      "server/discover": JSON.stringify({
        resultType: "complete",
        supportedVersions: [MODERN],
        capabilities: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } },
      }),
      ...tasks,
    });
  const server = (name: string): object =>
    fixtureServer("verbatim.mjs", { ERA: "modern", PLAN: `$ROOT/${name}`, LOG: `$ROOT/${name}.log` });
  await using host = await RawHost.open({ one: server("one"), two: server("two") }, {
    files: {
      one: plan({
        "tasks/get": '{"error":{"code":-32602,"message":"unknown"}}',
        "tasks/cancel": '{"resultType":"complete"}',
      }),
      two: plan({
        "tasks/get": JSON.stringify({ resultType: "complete", ...task }),
        "tasks/cancel": '{"resultType":"complete"}',
      }),
    },
  });
  const { last } = await modern(host)("tasks/cancel", { taskId: "two/far" });
  assert.deepEqual(last.result, { resultType: "complete" });
  assert.doesNotMatch(await host.file("one.log"), /tasks\/cancel/);
  assert.match(await host.file("two.log"), /"tasks\/cancel","params":\{"taskId":"two\/far"/);
});

Deno.test("tasks that two sessions' servers call the same are each its own session's, in what is told and asked", async () => {
  const state = (status: string): string =>
    `{"taskId":"t","status":"${status}","ttl":60000,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z"}`;
  const plan = JSON.stringify({ "tools/call work": `{"task":${state("working")}}` });
  await using host = await RawHost.open(
    speaker("s", { scope: "session" }, { PLAN: "$ROOT/plan" }),
    { files: { plan } },
  );
  const [a, b] = [await open(host), await open(host)];
  await using hearsA = await HostStream.standing(host, a.headers);
  await using hearsB = await HostStream.standing(host, b.headers);
  for (const one of [a, b]) assert.equal((await one.work()).taskId, "t");
  const ask = JSON.stringify({
    jsonrpc: "2.0",
    id: "q",
    method: "elicitation/create",
    params: { message: "?", requestedSchema: {}, _meta: { [RELATED]: { taskId: "t" } } },
  });
  const tell = `{"jsonrpc":"2.0","method":"${STATUS}","params":${state("completed")}}`;
  await a.result("tools/call", { name: "say", arguments: { lines: [ask, tell] } });
  await hearsA.until(({ method }) => method === "elicitation/create");
  await hearsA.until(({ method }) => method === STATUS);
  const last = '{"jsonrpc":"2.0","method":"notifications/vendor/x","params":{"n":1}}';
  await b.result("tools/call", { name: "say", arguments: { lines: [last] } });
  // What no revision has is passed on too.
  await hearsB.until(({ method }) => method === "notifications/vendor/x");
  assert.deepEqual(hearsB.messages.map(({ method }) => method), ["notifications/vendor/x"]);
  const idle = host.engine.pool.status().map(({ idleSince }) => idleSince !== undefined);
  assert.deepEqual(idle.sort(), [false, true]);
});
