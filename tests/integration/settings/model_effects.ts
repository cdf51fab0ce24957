import { type Effects, type Json, pause, type Place } from "./place.ts";

/** What a model's endpoint was asked. */
interface Asked {
  path: string;
  headers: Headers;
  body: Json;
}

const WORDS = "invoice order umbrella";

/** Asks for what no recipe does, with an endpoint of the test's own, and gives what that was asked and what came back. */
async function ask(
  place: Place,
  given: { settings?: Record<string, string>; delayMs?: number; basePath?: string } = {},
): Promise<{ asked: Asked[]; answer: Json }> {
  const asked: Asked[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const body = await request.json();
    asked.push({ path: new URL(request.url).pathname, headers: request.headers, body });
    await pause(given.delayMs ?? 0);
    const text = "```ts\nreturn await probe.say({ text: 'x' });\n```";
    return Response.json({
      choices: [{ message: { role: "assistant", content: text }, finish_reason: "stop" }],
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
    });
  });
  const settings = {
    "model.provider": "openai",
    "model.baseUrl": `http://127.0.0.1:${server.addr.port}/v1`,
    "model.name": "some-model",
    ...given.settings,
  };
  // What the test is about is set already, and stays.
  const present = (await place.get("/v1/settings")).body.settings as { path: string; layer: string }[];
  const set = new Set(present.filter(({ layer }) => layer === "runtime").map(({ path }) => path));
  const others = Object.fromEntries(Object.entries(settings).filter(([path]) => !set.has(path)));
  return await place.holding(others, async () => {
    const unmatched = place.with({ "prompt.sample": "unmatched" });
    const { body } = await unmatched.post("/v1/intent", { request: WORDS });
    return { asked, answer: body };
  });
}

/** Settings of the model that is asked for what no recipe does. */
export const MODEL_EFFECTS: Effects = {
  "model.apiKey": {
    values: ["first-key", "second-key"],
    sees: ["Bearer first-key", "Bearer second-key"],
    observe: async (place) => (await ask(place)).asked[0]?.headers.get("authorization"),
  },
  "model.baseUrl": {
    values: ["http://127.0.0.1:9/v1", "http://127.0.0.1:11/v1"],
    sees: ["127.0.0.1:9", "127.0.0.1:11"],
    observe: async (place) => /127\.0\.0\.1:\d+/.exec(JSON.stringify((await ask(place)).answer))?.[0],
  },
  "model.maxTokens": {
    values: ["100", "200"],
    sees: [100, 200],
    observe: async (place) => {
      const body = (await ask(place)).asked[0]?.body;
      return body?.max_tokens ?? body?.max_completion_tokens;
    },
  },
  "model.name": {
    values: ["small", "large"],
    sees: ["small", "large"],
    observe: async (place) => (await ask(place)).asked[0]?.body.model,
  },
  "model.provider": {
    values: ["openai", "anthropic"],
    sees: ["/v1/chat/completions", "/v1/messages"],
    observe: async (place) => (await ask(place)).asked[0]?.path,
  },
  "model.timeout": {
    values: ["200ms", "20s"],
    sees: [false, true],
    observe: async (place) => (await ask(place, { delayMs: 700 })).answer.generated === true,
  },
  "prompt.catalogBudget": {
    values: ["60", "1200"],
    sees: [true, false],
    observe: async (place) => JSON.stringify((await ask(place)).asked[0]?.body).length < 1200,
  },
  "prompt.sample": {
    values: ["never", "unmatched"],
    sees: [0, 1],
    observe: async (place) => (await ask(place)).asked.length,
  },
};
