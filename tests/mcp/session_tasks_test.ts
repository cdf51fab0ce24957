import assert from "node:assert/strict";
import { fixtureServer } from "../support/world.ts";
import { RawHost } from "../support/mcp_host.ts";

type Json = Record<string, unknown>;

Deno.test("a task is its session's over MCP, and everybody's at a command line", async () => {
  await using host = await RawHost.open({ asker: fixtureServer("asker.mjs") }, {
    settings: { "serve.mode": ["full"] },
  });
  const session = async (): Promise<
    (tool: string, args: Json) => Promise<{ isError: boolean; text: string }>
  > => {
    const send = await host.as("2025-11-25");
    return async (name, args) => {
      const { last } = await send("tools/call", JSON.stringify({ name, arguments: args }));
      const { isError = false, ...result } = last.result as { isError?: boolean };
      return { isError, text: JSON.stringify(result) };
    };
  };
  const [own, other] = [await session(), await session()];
  const { text } = await own("mcpx_call", { tool: "asker.ask" });
  const [task = ""] = /tsk-\w+/.exec(text) ?? [];
  const [question = ""] = /elc-\w+/.exec(text) ?? [];
  for (const tool of ["mcpx_task_get", "mcpx_task_result", "mcpx_task_cancel"]) {
    const answer = await other(tool, { id: task });
    assert.ok(answer.isError, tool);
    assert.match(answer.text, /unknown-task/);
  }
  const shown = await other("mcpx_elicit_show", { id: question });
  assert.match(shown.text, /unknown-question/);
  assert.doesNotMatch(shown.text, /Your name/);
  for (const list of ["mcpx_task_list", "mcpx_elicit_list"]) {
    assert.doesNotMatch((await other(list, {})).text, /tsk-|elc-/);
    assert.match((await own(list, {})).text, /tsk-|elc-/);
  }
  assert.equal((await host.engine.tasks.get(task)).state, "input_required");
  assert.equal((await host.engine.tasks.list({ limit: 9 })).length, 1);
  assert.match((await own("mcpx_elicit_show", { id: question })).text, /Your name/);
  assert.match((await own("mcpx_task_get", { id: task })).text, /input_required/);
  await own("mcpx_elicit_answer", { id: question, content: { name: "x" } });
  assert.match((await own("mcpx_task_result", { id: task })).text, /accept/);
  const ended = await other("mcpx_task_result", { id: task });
  assert.match(ended.text, /unknown-task/);
});
