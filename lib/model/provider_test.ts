import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { modelProvider, type ProviderOptions } from "./provider.ts";
import type { SamplingPort } from "./sampling.ts";

const KEY = "sk-test-0123456789abcdef";
const ASKED = { system: "Be brief.", prompt: "Say hi.", maxTokens: 100 };

/** What an endpoint was sent. */
interface Seen {
  path: string;
  headers: Headers;
  body: Record<string, unknown>;
}

/** A local endpoint, what it was sent, and its end. */
interface Endpoint extends AsyncDisposable {
  url: string;
  seen: Seen[];
}

function endpoint(answer: (seen: Seen, count: number) => Response | Promise<Response>): Endpoint {
  const seen: Seen[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => undefined },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const one = {
        path: pathname + search,
        headers: request.headers,
        body: await request.json() as Record<string, unknown>,
      };
      seen.push(one);
      return await answer(one, seen.length);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    seen,
    async [Symbol.asyncDispose](): Promise<void> {
      await server.shutdown();
    },
  };
}

const openaiAnswer = (text: string): Response =>
  Response.json({ choices: [{ message: { role: "assistant", content: text } }] });
const anthropicAnswer = (text: string): Response =>
  Response.json({ content: [{ type: "thinking", thinking: "…" }, { type: "text", text }] });

function ask(options: Partial<ProviderOptions>, signal = new AbortController().signal): Promise<string> {
  return modelProvider({
    provider: "openai",
    baseUrl: "",
    model: "tiny",
    apiKey: KEY,
    timeoutMs: 5000,
    ...options,
  }).generate(ASKED, signal);
}

async function refusal(answer: Promise<unknown>): Promise<McpxError> {
  const error = await answer.then(() => undefined, (thrown) => thrown);
  assert.ok(error instanceof McpxError, String(error));
  assert.ok(!JSON.stringify(error.toBody()).includes(KEY), "the key shows");
  return error;
}

Deno.test("both protocols are spoken as their servers expect them, with streaming off", async () => {
  await using openai = endpoint(() => openaiAnswer("hi"));
  assert.equal(await ask({ baseUrl: `${openai.url}/v1/` }), "hi");
  const [sent] = openai.seen;
  assert.equal(sent?.path, "/v1/chat/completions");
  assert.equal(sent?.headers.get("authorization"), `Bearer ${KEY}`);
  assert.deepEqual(sent?.body, {
    model: "tiny",
    stream: false,
    max_tokens: 100,
    messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "Say hi." }],
  });
  await using anthropic = endpoint(() => anthropicAnswer("hi there"));
  assert.equal(await ask({ provider: "anthropic", baseUrl: anthropic.url }), "hi there");
  assert.equal(await ask({ provider: "anthropic", baseUrl: `${anthropic.url}/v1` }), "hi there");
  assert.deepEqual(anthropic.seen.map(({ path }) => path), ["/v1/messages", "/v1/messages"]);
  assert.equal(anthropic.seen[0]?.headers.get("x-api-key"), KEY);
  assert.equal(anthropic.seen[0]?.headers.get("authorization"), null);
  assert.deepEqual(anthropic.seen[0]?.body, {
    model: "tiny",
    stream: false,
    max_tokens: 100,
    system: "Be brief.",
    messages: [{ role: "user", content: "Say hi." }],
  });
});

Deno.test("an endpoint without a key is asked without one", async () => {
  await using local = endpoint(() => openaiAnswer("hi"));
  assert.equal(await ask({ baseUrl: local.url, apiKey: "" }), "hi");
  assert.equal(local.seen[0]?.headers.get("authorization"), null);
});

Deno.test("after 429 or 5xx it is asked once more, and after anything else not at all", async () => {
  for (const status of [429, 500, 503]) {
    await using flaky = endpoint((_seen, count) =>
      count === 1 ? new Response("busy", { status, headers: { "retry-after": "0" } }) : openaiAnswer("second")
    );
    assert.equal(await ask({ baseUrl: flaky.url }), "second");
    assert.equal(flaky.seen.length, 2);
  }
  await using down = endpoint(() => new Response("no", { status: 502 }));
  assert.match((await refusal(ask({ baseUrl: down.url }))).message, /answered 502: no/);
  assert.equal(down.seen.length, 2);
  for (const status of [400, 401, 404, 301]) {
    await using firm = endpoint(() => new Response("", { status, headers: { location: "/elsewhere" } }));
    assert.match((await refusal(ask({ baseUrl: firm.url }))).message, new RegExp(`answered ${status}`));
    assert.equal(firm.seen.length, 1);
  }
});

Deno.test("a key that an endpoint repeats is not repeated", async () => {
  await using leaky = endpoint(() => new Response(`bad key ${KEY}`, { status: 401 }));
  assert.match((await refusal(ask({ baseUrl: leaky.url }))).message, /bad key \*\*\*/);
});

Deno.test("nonsense of every kind is an error with a reason, never an answer", async () => {
  const nonsense: [Response, RegExp][] = [
    [new Response("<html>"), /no JSON: <html>/],
    [new Response(""), /no JSON/],
    [Response.json(null), /holds no text/],
    [Response.json([]), /holds no text/],
    [Response.json({ choices: [] }), /holds no text/],
    [Response.json({ choices: [{ message: { content: null } }] }), /holds no text/],
    [Response.json({ choices: [{ message: { content: "" } }] }), /holds no text/],
    [Response.json({ content: "text" }), /holds no text/],
  ];
  for (const [response, wanted] of nonsense) {
    await using odd = endpoint(() => response);
    assert.match((await refusal(ask({ baseUrl: odd.url }))).message, wanted);
  }
  await using huge = endpoint(() => new Response("x".repeat(5 * 1024 * 1024)));
  assert.match((await refusal(ask({ baseUrl: huge.url }))).message, /larger than/);
});

Deno.test("an endpoint that is not there, or says nothing, costs no more than the deadline", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const started = performance.now();
  const silent = await refusal(ask({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 200 }));
  assert.match(silent.message, /did not answer within 200 ms \(model\.timeout\)/);
  assert.ok(performance.now() - started < 2000);
  (await listener.accept()).close();
  listener.close();
  assert.match((await refusal(ask({ baseUrl: `http://127.0.0.1:${port}` }))).message, /cannot be reached/);
});

Deno.test("a wait for another attempt ends with the deadline", async () => {
  await using patient = endpoint(() => new Response("", { status: 429, headers: { "retry-after": "3600" } }));
  const started = performance.now();
  assert.match((await refusal(ask({ baseUrl: patient.url, timeoutMs: 200 }))).message, /within 200 ms/);
  assert.ok(performance.now() - started < 2000);
  assert.equal(patient.seen.length, 1);
});

Deno.test("who cancels waits for nothing", async () => {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await using slow = endpoint(async () => {
    onAsked();
    await held;
    return openaiAnswer("late");
  });
  const abort = new AbortController();
  const answer = refusal(ask({ baseUrl: slow.url }, abort.signal));
  await asked;
  abort.abort();
  assert.equal((await answer).code, "cancelled");
  release();
});

Deno.test("incomplete settings say which is missing", async () => {
  const create = async (options: Partial<ProviderOptions>): Promise<string> => await ask(options);
  assert.match((await refusal(create({ baseUrl: "" }))).message, /model\.baseUrl is not set/);
  assert.match((await refusal(create({ baseUrl: "http://x", model: "" }))).message, /model\.name is not set/);
  assert.match((await refusal(create({ baseUrl: "file:///etc/passwd" }))).message, /no HTTP URL/);
  assert.match((await refusal(create({ provider: "none" }))).message, /model\.provider is none/);
});

Deno.test("the caller's own model is asked as MCP has it, and one that gives nothing is no answer", async () => {
  const params: unknown[] = [];
  const port = (result: unknown): SamplingPort => ({
    createMessage: (sent) => {
      params.push(sent);
      return Promise.resolve(result as never);
    },
  });
  const sampling = (answer: SamplingPort | undefined, timeoutMs = 1000): Promise<string> =>
    ask({ provider: "sampling", timeoutMs, ...(answer ? { sampling: answer } : {}) });
  assert.equal(await sampling(port({ role: "assistant", content: { type: "text", text: "hi" } })), "hi");
  assert.equal(
    await sampling(port({ content: [{ type: "text", text: "a" }, { type: "text", text: "b" }] })),
    "ab",
  );
  assert.deepEqual(params[0], {
    messages: [{ role: "user", content: { type: "text", text: "Say hi." } }],
    systemPrompt: "Be brief.",
    maxTokens: 100,
  });
  for (const nothing of [undefined, {}, { content: { type: "image", data: "" } }]) {
    assert.match((await refusal(sampling(port(nothing)))).message, /gave no text/);
  }
  assert.match((await refusal(sampling(undefined))).message, /offers no sampling/);
  const deaf: SamplingPort = { createMessage: () => Promise.withResolvers<never>().promise };
  assert.match((await refusal(sampling(deaf, 50))).message, /did not answer in time/);
});
