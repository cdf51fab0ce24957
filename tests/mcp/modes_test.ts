import assert from "node:assert/strict";
import { OPERATIONS } from "../../lib/operations/table.ts";
import { validateValue } from "../../lib/schema/mod.ts";
import { MODERN, RawHost } from "../support/mcp_host.ts";
import { fixtureServer, realServer } from "../support/world.ts";

interface Tool {
  name: string;
  description?: string;
  inputSchema: { type: string; properties: Record<string, unknown> };
  outputSchema?: { type: string };
}

interface CallResult {
  content: { type: string; text: string; data?: string; mimeType?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

const everything = realServer("@modelcontextprotocol/server-everything");

async function toolsOf(host: RawHost, version = "2025-11-25"): Promise<Tool[]> {
  return ((await (await host.as(version))("tools/list")).last.result as { tools: Tool[] }).tools;
}

Deno.test("code mode offers exactly the operations that an agent needs, as tools with schemas of objects", async () => {
  await using host = await RawHost.open({ everything }, { settings: { "serve.mode": ["code"] } });
  const wanted = ["search", "types", "call", "exec", "intent", "elicit.list", "elicit.answer", "task.get"];
  const names = OPERATIONS.map(({ id }) => id).filter((id) => wanted.includes(id)).map((id) =>
    `mcpx_${id.replace(".", "_")}`
  );
  const tools = (await toolsOf(host)).filter(({ name }) => name.startsWith("mcpx_"));
  assert.deepEqual(tools.map(({ name }) => name).sort(), names.sort());
  for (const tool of tools) {
    assert.equal(tool.inputSchema.type, "object");
    assert.equal(tool.outputSchema?.type, "object");
  }
  // Two hundredths of what the lists of fifteen published servers take.
  const bytes = new TextEncoder().encode(JSON.stringify({ tools })).length;
  assert.ok(bytes < 0.02 * 468_492, `${bytes} bytes`);
});

Deno.test("full mode offers every operation, those that change the daemon only with serve.admin", async () => {
  const named = (operations: typeof OPERATIONS): string[] =>
    operations.map(({ id }) => `mcpx_${id.replace(/[^A-Za-z0-9]/g, "_")}`).sort();
  const own = async (settings: Record<string, unknown>): Promise<string[]> => {
    await using host = await RawHost.open({}, { settings: { "serve.mode": ["full"], ...settings } });
    return (await toolsOf(host)).map(({ name }) => name).filter((name) => name.startsWith("mcpx_")).sort();
  };
  assert.deepEqual(
    await own({}),
    named(OPERATIONS.filter(({ admin, notOn }) => admin === undefined && notOn?.mcp === undefined)),
  );
  const all = OPERATIONS.filter(({ notOn }) => notOn?.mcp === undefined);
  assert.deepEqual(await own({ "serve.admin": true }), named(all));
});

for (const version of ["2025-11-25", MODERN]) {
  Deno.test(`an agent of ${version} searches, reads types, calls and runs a program`, async () => {
    await using host = await RawHost.open({ everything }, { settings: { "serve.mode": ["code"] } });
    const send = await host.as(version);
    const call = async (name: string, args: object): Promise<CallResult> =>
      (await send("tools/call", JSON.stringify({ name, arguments: args }))).last
        .result as unknown as CallResult;
    const found = await call("mcpx_search", { query: "add two numbers" });
    assert.match(JSON.stringify(found.structuredContent), /everything\.get_sum/);
    assert.match((await call("mcpx_types", { namespace: "everything" })).content[0]?.text ?? "", /declare/);
    const echo = await call("mcpx_call", { tool: "everything.echo", arguments: { message: "hi" } });
    assert.deepEqual(echo.content, [{ type: "text", text: "Echo: hi" }]);
    assert.equal(echo.structuredContent?.result, "Echo: hi");
    const tools = await toolsOf(host);
    for (const [name, { structuredContent }] of [["mcpx_search", found], ["mcpx_call", echo]] as const) {
      const schema = tools.find((tool) => tool.name === name)?.outputSchema;
      assert.deepEqual(validateValue(schema ?? false, structuredContent), []);
    }
    const run = await call("mcpx_exec", {
      code: "return (await everything.get_sum({ a: args.n, b: 40 }))",
      args: { n: 2 },
    });
    assert.match(String(run.structuredContent?.result), /42/);
    assert.notEqual(run.isError, true);
  });
}

Deno.test("what fails is an error for the model to read; what only says so is a success", async () => {
  await using host = await RawHost.open({ everything }, { settings: { "serve.mode": ["code"] } });
  const send = await host.as("2025-11-25");
  const call = async (name: string, args: object): Promise<CallResult> =>
    (await send("tools/call", JSON.stringify({ name, arguments: args }))).last
      .result as unknown as CallResult;
  const thrown = await call("mcpx_exec", { code: 'throw new Error("it broke")' });
  assert.equal(thrown.isError, true);
  assert.match(JSON.stringify(thrown.content), /it broke/);
  const failed = await call("mcpx_call", { tool: "everything.get-sum", arguments: { a: "x" } });
  assert.equal(failed.isError, true);
  const wrong = await call("mcpx_search", { qery: "x" });
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0]?.text ?? "", /qery|query/);
  const unknown = await call("mcpx_call", { tool: "everything.eco" });
  assert.match(unknown.content[0]?.text ?? "", /echo/);
  const saying = await call("mcpx_call", { tool: "everything.echo", arguments: { message: "error" } });
  assert.notEqual(saying.isError, true);
});

Deno.test("an image stays a content block, whoever calls the tool", async () => {
  await using host = await RawHost.open({ everything }, {
    settings: { "serve.mode": ["code", "passthrough"] },
  });
  const send = await host.as("2025-11-25");
  for (
    const params of [
      { name: "mcpx_call", arguments: { tool: "everything.get-tiny-image" } },
      { name: "everything_get-tiny-image" },
    ]
  ) {
    const { content } = (await send("tools/call", JSON.stringify(params))).last
      .result as unknown as CallResult;
    const image = content.find(({ type }) => type === "image");
    assert.equal(image?.mimeType, "image/png", JSON.stringify(content).slice(0, 500));
    assert.ok((image?.data?.length ?? 0) > 100);
    assert.equal(content.some(({ text }) => text?.includes(image?.data ?? "-")), false);
  }
});

Deno.test("progress and logs of a program reach the host, and progress only grows", async () => {
  await using host = await RawHost.open({ everything }, { settings: { "serve.mode": ["code"] } });
  const send = await host.as("2025-11-25");
  const code = `console.log("first"); console.warn("second");
    return await everything.trigger_long_running_operation({ duration: 0.2, steps: 3 });`;
  const { messages } = await send(
    "tools/call",
    JSON.stringify({ name: "mcpx_exec", arguments: { code }, _meta: { progressToken: 7 } }),
  );
  const parsed = messages.map((text) =>
    JSON.parse(text) as { method?: string; params: Record<string, unknown> }
  );
  const steps = parsed.filter(({ method }) => method === "notifications/progress").map(({ params }) =>
    params
  );
  assert.ok(steps.length >= 3, messages.join("\n"));
  assert.ok(steps.every(({ progressToken }) => progressToken === 7));
  assert.deepEqual(steps.map(({ progress }) => progress), steps.map((_, at) => at + 1));
  const logs = parsed.filter(({ method }) => method === "notifications/message").map(({ params }) => params);
  assert.ok(
    logs.some(({ level, data }) => level === "warning" && String(data).includes("second")),
    JSON.stringify(logs),
  );
});

Deno.test("progress of one called tool reaches the host with its total", async () => {
  await using host = await RawHost.open({ everything }, { settings: { "serve.mode": ["code"] } });
  const call = { tool: "everything.trigger-long-running-operation", arguments: { duration: 0.2, steps: 4 } };
  const { messages } = await (await host.as("2025-11-25"))(
    "tools/call",
    JSON.stringify({ name: "mcpx_call", arguments: call, _meta: { progressToken: 7 } }),
  );
  const steps = messages.map((text) => JSON.parse(text)).filter(({ method }) =>
    method?.endsWith("/progress")
  );
  assert.deepEqual(steps.map(({ params }) => [params.progress, params.total]), [[1, 4], [2, 4], [3, 4], [
    4,
    4,
  ]]);
});

Deno.test("an agent collects what it began as a task", async () => {
  await using host = await RawHost.open({ everything }, { settings: { "serve.mode": ["code"] } });
  const send = await host.as("2025-11-25");
  const call = async (name: string, args: object): Promise<CallResult> =>
    (await send("tools/call", JSON.stringify({ name, arguments: args }))).last
      .result as unknown as CallResult;
  for (
    const [name, args] of [
      ["mcpx_call", { tool: "everything.get-sum", arguments: { a: 2, b: 40 }, task: true }],
      ["mcpx_exec", { code: "return (await everything.get_sum({ a: 2, b: 40 }))", task: true }],
    ] as const
  ) {
    const begun = await call(name, args);
    const { id } = begun.structuredContent?.task as { id: string };
    assert.match(begun.content[0]?.text ?? "", new RegExp(`mcpx_task_get \\{"id":"${id}"\\}`));
    await host.engine.tasks.idle();
    const done = await call("mcpx_task_get", { id });
    assert.equal((done.structuredContent?.task as { state: string }).state, "completed");
    assert.match(JSON.stringify(done.structuredContent?.result), /42/);
  }
});

Deno.test("what a called tool links to can be read", async () => {
  await using host = await RawHost.open({ everything }, { settings: { "serve.mode": ["code"] } });
  const send = await host.as("2025-11-25");
  const { last } = await send(
    "tools/call",
    JSON.stringify({
      name: "mcpx_call",
      arguments: { tool: "everything.get-resource-links", arguments: { count: 2 } },
    }),
  );
  const { content } = last.result as { content: { type: string; uri: string }[] };
  const links = content.filter(({ type }) => type === "resource_link").map(({ uri }) => uri);
  assert.equal(links.length, 2, JSON.stringify(content));
  for (const uri of links) {
    const read = await send("resources/read", JSON.stringify({ uri }));
    assert.equal(read.last.error, undefined, read.text);
  }
});

Deno.test("names are legal and short, with stable tails where they were cut, and every tool can be called by its own", async () => {
  const prefix = "t".repeat(63);
  const names = [`${prefix}_alpha`, `${prefix}_beta`, "with.dot", "mit ünlaut", "plain"];
  const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
  const plan = {
    "tools/list": JSON.stringify({ tools }),
    ...Object.fromEntries(
      names.map((
        name,
      ) => [`tools/call ${name}`, JSON.stringify({ content: [{ type: "text", text: name }] })]),
    ),
  };
  for (const limit of [50, 64, 30]) {
    for (const mcpx of [{}, { prefix: "none" }]) {
      await using host = await RawHost.open(
        { raw: { ...fixtureServer("verbatim.mjs", { PLAN: "$ROOT/plan" }), mcpx } },
        { files: { plan: JSON.stringify(plan) }, settings: { "serve.nameLimit": limit } },
      );
      const listed = (await toolsOf(host)).map(({ name }) => name);
      assert.equal(new Set(listed).size, names.length);
      for (const name of listed) assert.match(name, new RegExp(`^[A-Za-z0-9_-]{1,${limit}}$`));
      const send = await host.as("2025-11-25");
      const answers = await Promise.all(
        listed.map((name, at) => send("tools/call", JSON.stringify({ name }), String(at))),
      );
      const said = answers.map(({ last }) => (last.result as unknown as CallResult).content[0]?.text);
      assert.deepEqual(said, names);
      assert.deepEqual((await toolsOf(host)).map(({ name }) => name), listed);
    }
  }
});

Deno.test("filters hold in pass-through: what is hidden is neither listed nor callable", async () => {
  await using host = await RawHost.open({
    everything: { ...everything, mcpx: { tools: ["echo", "get-*"], excludeTools: ["get-env"] } },
  });
  const listed = (await toolsOf(host)).map(({ name }) => name);
  assert.ok(listed.includes("everything_echo") && listed.includes("everything_get-sum"));
  assert.equal(listed.includes("everything_get-env"), false);
  const { error } = (await (await host.as(MODERN))("tools/call", '{"name":"everything_get-env"}')).last as {
    error: { code: number };
  };
  assert.equal(error.code, -32602);
});

Deno.test("a server that cannot be started hides no other one, and its call says why", async () => {
  await using host = await RawHost.open({
    everything,
    broken: { command: "/nonexistent/server" },
  });
  const listed = (await toolsOf(host)).map(({ name }) => name);
  assert.ok(listed.includes("everything_echo"));
  await using code = await RawHost.open({ broken: { command: "/nonexistent/server" } }, {
    settings: { "serve.mode": ["code"] },
  });
  const { result } =
    (await (await code.as(MODERN))("tools/call", '{"name":"mcpx_call","arguments":{"tool":"broken.x"}}'))
      .last;
  assert.match(JSON.stringify(result), /nonexistent/);
});

Deno.test("the instructions take less than 400 tokens however many servers there are", async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`a-server-with-a-long-name-${at}`, { command: "/nonexistent" }]),
  );
  await using host = await RawHost.open(servers, { settings: { "serve.mode": ["code"] } });
  const { answer } = await host.initialize("2025-11-25");
  const { instructions } = answer.last.result as { instructions: string };
  assert.ok(instructions.length / 4 < 400, `${instructions.length} bytes`);
});
