import assert from "node:assert/strict";
import { MODERN, RawHost } from "../support/mcp_host.ts";
import { realServer } from "../support/world.ts";

interface Result {
  resultType?: string;
  inputRequests?: Record<string, { params: { requestedSchema: { properties: object } } }>;
  requestState?: string;
  content?: { text: string }[];
  structuredContent?: { ok: boolean; result?: unknown };
  isError?: boolean;
  _meta?: Record<string, { code: string; data: { answer: string } }>;
}

const SERVERS = { filesystem: realServer("@modelcontextprotocol/server-filesystem", "$ROOT") };
const ASKED = { name: "recipe_largest_files", arguments: { count: 1 } };

async function open(): Promise<RawHost> {
  return await RawHost.open(SERVERS, {
    settings: { "serve.mode": ["code"] },
    files: { "large.txt": "x".repeat(2048) },
  });
}

Deno.test("a host without a handshake is asked for what is missing by a result that wants input, and gets the run by the next", async () => {
  await using host = await open();
  const folder = host.engine.configuration.sources[0]?.path.replace(/\/[^/]*$/, "") ?? "";
  const send = await host.as(MODERN, '{"elicitation":{"form":{}}}');
  const call = async (params: object): Promise<Result> =>
    (await send("tools/call", JSON.stringify(params))).last.result as Result;
  const first = await call(ASKED);
  assert.equal(first.resultType, "input_required");
  const [[key, request] = ["", undefined]] = Object.entries(first.inputRequests ?? {});
  assert.deepEqual(Object.keys(request?.params.requestedSchema.properties ?? {}), ["folder"]);
  const answered = await call({
    ...ASKED,
    requestState: first.requestState,
    inputResponses: { [key]: { action: "accept", content: { folder } } },
  });
  assert.deepEqual(answered.structuredContent?.result, [{ name: "large.txt", size: "2.00 KB" }]);
  assert.equal(answered.content?.[0]?.text, '[{"name":"large.txt","size":"2.00 KB"}]');
});

for (const version of ["2025-03-26", MODERN]) {
  Deno.test(`a host of ${version} that cannot be asked is told the command that answers`, async () => {
    await using host = await open();
    const send = await host.as(version);
    const result = (await send("tools/call", JSON.stringify(ASKED))).last.result as Result;
    assert.equal(result.isError, true);
    const error = result._meta?.["dev.mcpx/error"];
    assert.equal(error?.code, "waiting-input");
    assert.match(error?.data.answer ?? "", /^mcpx elicit answer elc-\w+ folder=/);
  });
}

Deno.test("pass-through alone offers no recipes, and a recipe's tool never takes another one's name", async () => {
  for (const [mode, offered] of [["passthrough", 0], ["code", 7], ["full", 7]] as const) {
    await using host = await RawHost.open({}, { settings: { "serve.mode": [mode] } });
    const { tools } = (await (await host.as(MODERN))("tools/list")).last.result as {
      tools: { name: string }[];
    };
    assert.equal(tools.filter(({ name }) => name.startsWith("recipe_")).length, offered, mode);
    assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
  }
});
