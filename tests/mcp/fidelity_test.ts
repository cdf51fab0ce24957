import assert from "node:assert/strict";
import { MODERN, modernRequest, RawHost, resultText } from "../support/mcp_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

const X = '"x-unknown":{"deep":[1,{"n":9007199254740993}]}';

function verbatim(era: string, more: Record<string, string> = {}): object {
  return {
    ...fixtureServer("verbatim.mjs", { ERA: era, LOG: "$ROOT/log", ...more }),
    mcpx: { prefix: "none" },
  };
}

/** The last line that the server got of a method. */
async function received(host: RawHost, method: string): Promise<string> {
  const lines = (await host.file("log")).split("\n").filter((line) => line.includes(`"method":"${method}"`));
  return lines.at(-1) ?? "";
}

const PAIRS = [
  ["2025-11-25", "legacy"],
  ["2025-11-25", "modern"],
  [MODERN, "legacy"],
  [MODERN, "modern"],
] as const;

const TOOL = (name: string): string =>
  `{"name":"${name}","title":"T","description":"d","inputSchema":{"type":"object","properties":{"a":{"type":"string",${X}}},${X}},"outputSchema":{"type":"object",${X}},"annotations":{"readOnlyHint":true,${X}},"icons":[{"src":"https://example.org/i.png",${X}}],"execution":{"taskSupport":"forbidden"},"_meta":{"vendor/k":1},${X}}`;
const ECHOED =
  `"content":[{"type":"hologram","x":1.5,${X}},{"type":"text","text":"t","annotations":{"priority":0.5,${X}},"_meta":{"vendor/k":3},${X}}],"structuredContent":{"n":9007199254740993,"float":1.25,"list":[1,2],${X}},"_meta":{"vendor/k":{"n":12345678901234567890}},${X}}`;

for (const [version, era] of PAIRS) {
  Deno.test(`what a ${era} server offers and answers reaches a host of ${version} byte for byte`, async () => {
    await using host = await RawHost.open({ raw: verbatim(era) });
    const send = await host.as(version);
    const list = resultText((await send("tools/list")).messages.at(-1));
    for (const name of ["echo", "ask"]) assert.ok(list.includes(TOOL(name)), list);
    const echo = resultText((await send("tools/call", '{"name":"echo","arguments":{}}')).messages.at(-1));
    assert.ok(echo.endsWith(ECHOED), echo);
    const read = resultText((await send("resources/read", '{"uri":"note://one"}')).messages.at(-1));
    assert.ok(
      read.endsWith(
        `"contents":[{"uri":"note://one","mimeType":"text/plain","text":"1",${X}}],"_meta":{"vendor/k":2},${X}}`,
      ),
      read,
    );
    const prompt = resultText(
      (await send("prompts/get", '{"name":"greet","arguments":{"who":"x"}}')).messages.at(-1),
    );
    assert.ok(
      prompt.endsWith(
        `"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"note://one","text":"1",${X}},${X}},${X}},{"role":"user","content":{"type":"resource_link","uri":"note://two","name":"two",${X}}}],${X}}`,
      ),
      prompt,
    );
    if (version !== MODERN && era === "legacy") {
      // Between peers of one era nothing at all is added or left out.
      assert.equal(echo, `{${ECHOED}`);
      assert.ok(list.startsWith(`{"tools":[${TOOL("echo")}`));
    }
  });

  Deno.test(`what a host of ${version} sends reaches a ${era} server byte for byte`, async () => {
    await using host = await RawHost.open({ raw: verbatim(era) });
    const send = await host.as(version);
    const params = `"arguments":{"a":"é\\u0001","n":9007199254740993,"f":1.25,"null":null,${X}},${X}`;
    await send("tools/call", `{"name":"echo",${params}}`);
    assert.ok(
      (await received(host, "tools/call")).includes(
        `{"name":"echo",${params.replace("é\\u0001", "é\\u0001")}`,
      ),
    );
    const meta = `"traceparent":"00-1-2-01","vendor/k":{"n":9007199254740993}`;
    const tagged = version === MODERN
      ? host.post(
        ...modernRequest("tools/call", '{"name":"echo"}', { meta: `,${meta},"progressToken":"theirs"` }),
      )
      : send("tools/call", `{"name":"echo","_meta":{${meta},"progressToken":"theirs"}}`);
    await tagged;
    const line = await received(host, "tools/call");
    assert.ok(line.includes(meta) && !line.includes("theirs"), line);
    // An envelope is of one connection: a server of the other era gets none, and one of the same its own.
    assert.equal(line.includes("io.modelcontextprotocol/protocolVersion"), era === "modern", line);
    assert.equal(line.includes("io.modelcontextprotocol/clientCapabilities"), era === "modern", line);
    await send(
      "completion/complete",
      `{"ref":{"type":"ref/prompt","name":"greet",${X}},"argument":{"name":"who","value":"a",${X}},"context":{"arguments":{"b":"c"},${X}},${X}}`,
    );
    const completed = await received(host, "completion/complete");
    for (
      const part of [
        `"ref":{"type":"ref/prompt","name":"greet",${X}}`,
        `"argument":{"name":"who","value":"a",${X}}`,
        `"context":{"arguments":{"b":"c"},${X}}`,
      ]
    ) assert.ok(completed.includes(part), completed);
  });

  Deno.test(`progress and logs of a ${era} server reach a host of ${version} whole`, async () => {
    await using host = await RawHost.open({ raw: verbatim(era) });
    const meta = '"progressToken":"tok"';
    const { messages } = version === MODERN
      ? await host.post(
        ...modernRequest("tools/call", '{"name":"say"}', {
          meta: `,${meta},"io.modelcontextprotocol/logLevel":"info"`,
        }),
      )
      : await (await host.as(version))("tools/call", `{"name":"say","_meta":{${meta}}}`);
    const progress = messages.find((text) => text.includes("notifications/progress")) ?? "";
    const log = messages.find((text) => text.includes("notifications/message")) ?? "";
    assert.ok(
      progress.includes(`"params":{"progressToken":"tok","progress":1,"total":2,"message":"half",${X}}`),
      progress,
    );
    assert.ok(
      log.includes(`"params":{"level":"warning","logger":"l","data":{"n":9007199254740993},${X}}`),
      log,
    );
  });

  Deno.test(`an error of a ${era} server reaches a host of ${version} with code, message and data`, async () => {
    await using host = await RawHost.open({ raw: verbatim(era, { PLAN: "$ROOT/plan" }) }, {
      files: { plan: "{}" },
    });
    const send = await host.as(version);
    await send("tools/list");
    await host.write(
      "plan",
      JSON.stringify({ "tools/call echo": `{"error":{"code":-31999,"message":"no","data":[1,{${X}}]}}` }),
    );
    const { status, messages } = await send("tools/call", '{"name":"echo"}');
    assert.equal(status, 200);
    assert.equal(
      messages.at(-1),
      `{"jsonrpc":"2.0","id":1,"error":{"code":-31999,"message":"no","data":[1,{${X}}]}}`,
    );
  });
}

const FORM =
  `{"message":"Who?","requestedSchema":{"type":"object","properties":{"n":{"type":"string",${X}}},${X}},${X}}`;
const SAMPLE =
  `{"messages":[{"role":"user","content":{"type":"text","text":"q",${X}},${X}}],"maxTokens":9,${X}}`;
const CAPABILITIES = '{"elicitation":{},"sampling":{}}';
const QUESTIONS = [
  ["elicitation/create", FORM, `{"action":"accept","content":{"n":"v"},${X}}`],
  [
    "sampling/createMessage",
    SAMPLE,
    `{"role":"assistant","content":{"type":"text","text":"a",${X}},"model":"m",${X}}`,
  ],
] as const;

function askCall(method: string, params: string): string {
  return `{"name":"ask","arguments":${JSON.stringify({ method, params })}}`;
}

for (const [method, params, answer] of QUESTIONS) {
  for (const era of ["legacy", "modern"]) {
    Deno.test(`${method} of a ${era} server reaches a legacy host whole, and its answer goes back whole`, async () => {
      await using host = await RawHost.open({ raw: verbatim(era) });
      const { headers } = await host.initialize("2025-11-25", CAPABILITIES);
      await host.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers);
      const response = await host.http({
        method: "POST",
        body: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${askCall(method, params)}}`,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
      });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      while (!text.includes(method)) text += (await reader?.read())?.value ?? "";
      assert.ok(text.includes(`"method":"${method}","params":${params}`), text);
      const id = /"id":("mcpx-\d+")/.exec(text)?.[1];
      const { status } = await host.post(`{"jsonrpc":"2.0","id":${id},"result":${answer}}`, headers);
      assert.equal(status, 202);
      for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
        text += read.value;
      }
      assert.ok(text.includes(JSON.stringify(answer).slice(1, -1)), text);
    });

    Deno.test(`${method} of a ${era} server reaches a modern host as a result, and the answer goes back whole`, async () => {
      await using host = await RawHost.open({ raw: verbatim(era) });
      const call = askCall(method, params);
      const first = await host.post(...modernRequest("tools/call", call, { capabilities: CAPABILITIES }));
      assert.equal(
        first.last.result && (first.last.result as Record<string, unknown>).resultType,
        "input_required",
      );
      assert.ok(first.text.includes(`"params":${params}`), first.text);
      const { inputRequests, requestState } = first.last.result as {
        inputRequests: object;
        requestState: string;
      };
      const [key] = Object.keys(inputRequests);
      const retry = `${call.slice(0, -1)},"inputResponses":{"${key}":${answer}},"requestState":${
        JSON.stringify(requestState)
      }}`;
      const second = await host.post(
        ...modernRequest("tools/call", retry, { id: "2", capabilities: CAPABILITIES }),
      );
      assert.ok(second.text.includes(JSON.stringify(answer).slice(1, -1)), second.text);
    });
  }
}

Deno.test("a call that waits for a modern host's answer belongs to its request, answers once, and ends with its time", async () => {
  await using host = await RawHost.open({ raw: verbatim("legacy") }, {
    settings: { "serve.parkTimeout": 300 },
  });
  const call = askCall("elicitation/create", FORM);
  const park = async (): Promise<string> => {
    const { last } = await host.post(...modernRequest("tools/call", call, { capabilities: CAPABILITIES }));
    return (last.result as { requestState: string }).requestState;
  };
  const retry = async (state: string, params = call): Promise<Record<string, unknown>> => {
    const given = `${
      params.slice(0, -1)
    },"inputResponses":{"elicitation-1":{"action":"decline"}},"requestState":"${state}"}`;
    return (await host.post(...modernRequest("tools/call", given, { capabilities: CAPABILITIES }))).last;
  };
  const state = await park();
  const other = await retry(state, askCall("elicitation/create", SAMPLE));
  assert.equal((other.error as { code: number }).code, -32602);
  assert.match(JSON.stringify(await retry(state)), /decline/);
  assert.equal(((await retry(state)).error as { code: number }).code, -32602);
  assert.equal(((await retry(`${state}x`)).error as { code: number }).code, -32602);
  const late = await park();
  const lines = async (): Promise<string[]> =>
    (await host.file("log")).split("\n").filter((line) => line.includes("notifications/cancelled"));
  await eventually(async () => (await lines()).length === 1, "the call is cancelled at the server");
  assert.equal(((await retry(late)).error as { code: number }).code, -32602);
});

Deno.test("with a prefix, names and the uris that the protocol defines are rewritten, and nothing else is", async () => {
  await using host = await RawHost.open({ "my-server": fixtureServer("verbatim.mjs", { LOG: "$ROOT/log" }) });
  const send = await host.as("2025-11-25", CAPABILITIES);
  const tools = resultText((await send("tools/list")).messages.at(-1));
  assert.ok(tools.includes(TOOL("echo").replace('"name":"echo"', '"name":"my_server_echo"')), tools);
  const resources = resultText((await send("resources/list")).messages.at(-1));
  assert.ok(
    resources.includes(
      `{"uri":"mcpx://my_server/note://one","name":"one","annotations":{"audience":["user"]},"size":3,${X}}`,
    ),
    resources,
  );
  const templates = resultText((await send("resources/templates/list")).messages.at(-1));
  assert.ok(templates.includes(`{"uriTemplate":"mcpx://my_server/note://{id}","name":"t",${X}}`), templates);
  const read = resultText(
    (await send("resources/read", '{"uri":"mcpx://my_server/note://one"}')).messages.at(-1),
  );
  assert.equal(
    read,
    `{"contents":[{"uri":"mcpx://my_server/note://one","mimeType":"text/plain","text":"1",${X}}],"_meta":{"vendor/k":2},${X}}`,
  );
  assert.ok((await received(host, "resources/read")).includes('"uri":"note://one"'));
  const prompt = resultText((await send("prompts/get", '{"name":"my_server_greet"}')).messages.at(-1));
  assert.ok(prompt.includes(`"resource":{"uri":"mcpx://my_server/note://one","text":"1",${X}}`), prompt);
  assert.ok(
    prompt.includes(`{"type":"resource_link","uri":"mcpx://my_server/note://two","name":"two",${X}}`),
    prompt,
  );
  assert.ok((await received(host, "prompts/get")).includes('"name":"greet"'));
});

Deno.test("pages that a server of 2025-11-25 wants opened first are an error to a host that knows it, and a question to another one", async () => {
  const page = `{"mode":"url","message":"Sign in","url":"https://example.org/in","elicitationId":"e1",${X}}`;
  const refused = `{"error":{"code":-32042,"message":"first","data":{"elicitations":[${page}],${X}}}}`;
  const files = { plan: JSON.stringify({ "tools/call echo": refused }) };
  await using host = await RawHost.open({ raw: verbatim("legacy", { PLAN: "$ROOT/plan" }) }, { files });
  const legacy = await host.as("2025-11-25", '{"elicitation":{"form":{},"url":{}}}');
  const { messages } = await legacy("tools/call", '{"name":"echo"}');
  assert.equal(messages.at(-1), `{"jsonrpc":"2.0","id":1,${refused.slice(1)}`);
  const capabilities = '{"elicitation":{"form":{},"url":{}}}';
  const modern = await host.post(...modernRequest("tools/call", '{"name":"echo"}', { capabilities }));
  assert.match(modern.text, /"resultType":"input_required".*"mode":"url".*https:\/\/example\.org\/in/);
});
