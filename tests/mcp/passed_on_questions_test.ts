import assert from "node:assert/strict";
import type { Question } from "../../lib/elicit/mod.ts";
import { HostStream, type StreamMessage } from "../support/host_stream.ts";
import { modernRequest, RawHost, readAnswer } from "../support/mcp_host.ts";
import { eventually, fixtureServer } from "../support/world.ts";

const FORM = '{"message":"Who?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}';
const CAPABILITIES = '{"elicitation":{}}';
const CALL = `{"name":"ask","arguments":${JSON.stringify({ method: "elicitation/create", params: FORM })}}`;

function open(era: string, settings: Record<string, unknown> = {}): Promise<RawHost> {
  const server = { ...fixtureServer("verbatim.mjs", { ERA: era }), mcpx: { prefix: "none" } };
  return RawHost.open({ raw: server }, { settings });
}

/** A legacy host's call that was met with a question, and what comes on its stream. */
async function callAndBeAsked(host: RawHost): Promise<{
  headers: Record<string, string>;
  /** The id of the request that the host was sent. */
  asked: string;
  /** Everything on the stream, to its end. */
  rest(): Promise<string>;
}> {
  const { headers } = await host.initialize("2025-11-25", CAPABILITIES);
  const response = await host.http({
    method: "POST",
    body: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${CALL}}`,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("elicitation/create")) text += (await reader?.read())?.value ?? "";
  return {
    headers,
    asked: /"id":("mcpx-\d+")/.exec(text)?.[1] ?? "",
    rest: async () => {
      for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
        text += read.value;
      }
      return text;
    },
  };
}

/** The one question that was kept, in a state. */
async function question(host: RawHost, state: string): Promise<Question> {
  return await eventually(async () => {
    const all = await host.engine.broker.list({ states: [state], limit: 10 });
    assert.ok(all.length < 2);
    return all[0];
  }, `a question is ${state}`);
}

for (const era of ["legacy", "modern"]) {
  Deno.test(`what a ${era} server asks a host can be answered by anybody else, and the host is told that it is done`, async () => {
    await using host = await open(era);
    const { asked, rest } = await callAndBeAsked(host);
    const { id, message, server } = await question(host, "pending");
    assert.deepEqual([message, server], ["Who?", "raw"]);
    await host.engine.broker.answer(id, { action: "accept", content: { n: "Ada" } }, { name: "a person" });
    const text = await rest();
    assert.ok(text.includes(`"method":"notifications/cancelled","params":{"requestId":${asked}`), text);
    assert.match(text, /\\"n\\":\\"Ada\\"/);
  });

  Deno.test(`what a host answers a ${era} server is on record, and its error reaches the server as it came`, async () => {
    await using host = await open(era);
    const first = await callAndBeAsked(host);
    await question(host, "pending");
    const answer = '{"action":"accept","content":{"n":"Ada","password":7},"vendor":1}';
    await host.post(`{"jsonrpc":"2.0","id":${first.asked},"result":${answer}}`, first.headers);
    assert.ok((await first.rest()).includes(JSON.stringify(answer).slice(1, -1)));
    const { answeredBy } = await question(host, "accepted");
    assert.equal(answeredBy, "the MCP host");
    const second = await callAndBeAsked(host);
    await host.post(
      `{"jsonrpc":"2.0","id":${second.asked},"error":{"code":-1,"message":"no person here"}}`,
      second.headers,
    );
    assert.match(await second.rest(), /no person here/);
    assert.match(String((await question(host, "cancelled")).answeredBy), /the MCP host: no person here/);
  });

  Deno.test(`what a ${era} server asks a host that stays silent ends with its time`, async () => {
    await using host = await open(era, { "elicit.ttl": 300 });
    const { rest } = await callAndBeAsked(host);
    assert.match(await rest(), /\\"action\\":\\"cancel\\"/);
    await question(host, "expired");
  });
}

Deno.test("a host that comes back with its answer after somebody else's gets the result", async () => {
  await using host = await open("legacy");
  const first = await host.post(...modernRequest("tools/call", CALL, { capabilities: CAPABILITIES }));
  const { requestState, inputRequests } = first.last.result as {
    requestState: string;
    inputRequests: Record<string, unknown>;
  };
  const { id } = await question(host, "pending");
  await host.engine.broker.answer(id, { action: "accept", content: { n: "Ada" } }, { name: "a person" });
  await question(host, "accepted");
  const late = `${CALL.slice(0, -1)},"inputResponses":{"${
    Object.keys(inputRequests)[0]
  }":{"action":"decline"}},"requestState":"${requestState}"}`;
  const { text } = await host.post(...modernRequest("tools/call", late, { capabilities: CAPABILITIES }));
  assert.match(text, /\\"n\\":\\"Ada\\"/);
});

Deno.test("a legacy host that cannot be asked is told how to answer a modern server, and the call goes on as a task", async () => {
  await using host = await open("modern");
  const { headers } = await host.initialize("2025-06-18");
  const call = (name: string): Promise<string> =>
    host.http({
      method: "POST",
      body: `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":${name}}`,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
    }).then(readAnswer).then(({ text }) => text);
  assert.match(await call(CALL), /mcpx elicit answer/);
  const { id } = await question(host, "pending");
  await host.engine.broker.answer(id, { action: "accept", content: { n: "Ada" } }, { name: "a person" });
  await host.engine.tasks.idle();
  const [record] = await host.engine.tasks.list({ limit: 1 });
  assert.equal(record?.state, "completed");
});

Deno.test("a host is passed on a hundred open questions of one call, and the server is told of the rest at once", async () => {
  await using host = await RawHost.open({ flooder: fixtureServer("flooder.mjs") });
  const { headers } = await host.initialize("2025-11-25", CAPABILITIES);
  const response = await host.http({
    method: "POST",
    body:
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"flooder_flood","arguments":{"count":1000,"bytes":10}}}',
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });
  await using stream = new HostStream(response);
  const answered = new Set<unknown>();
  const next = (message: StreamMessage): boolean => message.id === 2 || !answered.has(message.id);
  let message = await stream.until(next);
  for (; message.id !== 2; message = await stream.until(next)) {
    answered.add(message.id);
    await host.post(
      `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"action":"decline"}}`,
      headers,
    );
  }
  const { structuredContent } = message.result as {
    structuredContent: { answers: number; cancelled: number };
  };
  assert.deepEqual(structuredContent, { answers: 1000, cancelled: 1000 - answered.size });
  assert.ok(answered.size >= 100 && answered.size < 1000, `${answered.size} were asked`);
});

for (const era of ["legacy", "modern"]) {
  Deno.test(`a host is not asked to open what is no page (${era} server)`, async () => {
    await using host = await open(era);
    const { headers } = await host.initialize("2025-11-25", '{"elicitation":{"form":{},"url":{}}}');
    const params = JSON.stringify(
      '{"mode":"url","message":"Open.","url":"javascript:alert(1)","elicitationId":"e"}',
    );
    const { text } = await host.post(
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"method":"elicitation/create","params":${params}}}}`,
      headers,
    );
    assert.doesNotMatch(text, /"method":"elicitation\/create"/);
    assert.match(text, /\\"action\\":\\"cancel\\"/);
  });
}

Deno.test("a host's answer that is none ends the question with an error, and the call goes on", async () => {
  await using host = await open("legacy");
  for (
    const answer of [
      '"result":null',
      '"result":[]',
      '"result":7',
      '"error":"x"',
      '"error":null',
      '"result":null,"error":7',
    ]
  ) {
    const { headers, asked, rest } = await callAndBeAsked(host);
    await host.post(`{"jsonrpc":"2.0","id":${asked},${answer}}`, headers);
    assert.match(await rest(), /no JSON object/, answer);
  }
});
