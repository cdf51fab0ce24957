import assert from "node:assert/strict";
import { HostStream } from "../support/host_stream.ts";
import { MODERN, modernRequest, type RawAnswer, RawHost } from "../support/mcp_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

type Json = Record<string, unknown>;

const LINK = { content: [{ type: "resource_link", uri: "note://one", name: "one" }] };

function speaker(era: string, settings: Record<string, unknown> = {}): Promise<RawHost> {
  return RawHost.open(
    { s: fixtureServer("speaker.mjs", { ERA: era, TASKS: "required", LOG: "$ROOT/log" }) },
    { settings },
  );
}

for (const era of ["legacy", "modern"]) {
  for (const version of ["2024-11-05", "2025-11-25", MODERN]) {
    // A modern host of a modern server decides for itself whether it knows tasks.
    if (era === "modern" && version === MODERN) continue;
    Deno.test(`a tool that a ${era} server takes as a task only gives its result to a host of ${version} that knows no tasks`, async () => {
      await using host = await speaker(era);
      const send = await host.as(version);
      const call = (name: string, args: object): Promise<RawAnswer> =>
        send("tools/call", JSON.stringify({ name, arguments: args }), "9");
      const done = await call("s_work", { to: "completed", result: LINK });
      const { content } = done.last.result as { content: [Json] };
      assert.equal(
        content[0].uri ?? content[0].text,
        version === "2024-11-05" ? content[0].text : "mcpx://s/note://one",
        done.text,
      );
      assert.equal("task" in (done.last.result as Json), false);
      const failed = await call("s_work", {
        to: "failed",
        error: { code: -32050, message: "it broke", data: { x: 1 } },
      });
      assert.match(failed.text, /it broke/);
    });
  }

  Deno.test(`what a ${era} server's task asks meanwhile reaches the host whose call it is`, async () => {
    await using host = await speaker(era);
    const { headers } = await host.initialize("2025-06-18", '{"elicitation":{}}');
    const post = (message: object): Promise<RawAnswer> =>
      host.post(JSON.stringify({ jsonrpc: "2.0", ...message }), headers);
    const call = (id: number, name: string, args: object): Promise<RawAnswer> =>
      post({ id, method: "tools/call", params: { name, arguments: args } });
    const pid = ((await call(1, "s_pid", {})).last.result as { content: [{ text: string }] }).content[0].text;
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "s_work", arguments: {} },
    });
    const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const opening = host.http({ method: "POST", body, headers: { ...headers, ...accept } });
    const taskId = `task-${pid}-1`;
    const waits = era === "legacy" ? '"method":"tasks/result"' : '"method":"tasks/get"';
    await eventually(async () => (await host.file("log")).includes(waits), "the task is waited for");
    const ask = { message: "Who?", requestedSchema: { type: "object", properties: {} } };
    if (era === "legacy") {
      const params = { ...ask, _meta: { "io.modelcontextprotocol/related-task": { taskId } } };
      // While another call is open, too: the task says whose the question is.
      await call(3, "s_before", {
        lines: [JSON.stringify({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params })],
      });
    } else {
      const inputRequests = { k: { method: "elicitation/create", params: ask } };
      await call(3, "s_move", { taskId, to: "input_required", inputRequests });
    }
    await using stream = new HostStream(await opening);
    const question = await stream.until(({ method }) => method === "elicitation/create");
    assert.equal(question.params.message, "s: Who?");
    await post({ id: question.id, result: { action: "accept", content: {} } });
    await eventually(
      async () => /"action\\\\?":\\\\?"accept/.test((await call(4, "s_answers", {})).text),
      "the answer arrives",
    );
    await call(5, "s_move", { taskId, to: "completed", result: LINK });
    const { result } = await stream.until(({ id }) => id === 2);
    assert.equal((result as { content: [Json] }).content[0].uri, "mcpx://s/note://one");
    assert.equal(stream.of("elicitation/create").length, 1);
  });

  Deno.test(`a ${era} server's task is cancelled with the call that waits for it, and when its time is over`, async () => {
    await using host = await speaker(era, { "pool.maxTotal": 200 });
    const send = await host.as("2025-06-18");
    const cancelled = async (): Promise<number> =>
      (await host.file("log")).split("\n").filter((line) => line.includes('"method":"tasks/cancel"')).length;
    const late = await send("tools/call", '{"name":"s_work","arguments":{}}');
    assert.match(late.text, /pool\.maxTotal/);
    await eventually(async () => await cancelled() === 1, "the server is told");
    host.engine.setRuntimeSetting("pool.maxTotal", "1m");
    const { headers } = await host.initialize("2025-06-18");
    const post = (text: string): Promise<RawAnswer> => host.post(text, headers);
    const waiting = post(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s_work","arguments":{}}}',
    );
    const begun = era === "legacy" ? '"method":"tasks/result"' : '"method":"tasks/get"';
    await eventually(async () => {
      const lines = (await host.file("log")).split("\n");
      return lines.some((line) => line.includes(begun) && /"task-\d+-2"/.test(line));
    }, "the second task is waited for");
    await post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    await waiting;
    await eventually(async () => await cancelled() === 2, "the server is told");
  });
}

Deno.test("a modern host without tasks is told by a modern server that cannot do without, and one with tasks gets one", async () => {
  await using host = await speaker("modern");
  const call = async (capabilities: string): Promise<RawAnswer> =>
    await host.post(...modernRequest("tools/call", '{"name":"s_work","arguments":{}}', { capabilities }));
  const refused = (await call("{}")).last.error as { code: number; data: Json };
  assert.deepEqual([refused.code, refused.data.requiredCapabilities], [
    -32021,
    { extensions: { "io.modelcontextprotocol/tasks": {} } },
  ]);
  const { last } = await call('{"extensions":{"io.modelcontextprotocol/tasks":{}}}');
  assert.equal((last.result as Json).resultType, "task");
});

Deno.test("a script and a call by name wait for such a task too", async () => {
  for (const era of ["legacy", "modern"]) {
    await using host = await speaker(era, { "serve.mode": ["code"] });
    const send = await host.as("2025-06-18");
    const args = {
      tool: "s.work",
      arguments: { to: "completed", result: { content: [{ type: "text", text: "it ended" }] } },
    };
    const { text } = await send("tools/call", JSON.stringify({ name: "mcpx_call", arguments: args }));
    assert.match(text, /it ended/);
  }
});
