import assert from "node:assert/strict";
import type { Question } from "../../elicit/types.ts";
import type { Api, ApiRequest } from "../api.ts";
import { Attendant } from "./attend.ts";
import type { Prompter } from "./prompter.ts";

const QUESTION: Question = {
  id: "elc-1",
  kind: "elicitation",
  message: "?",
  schema: { properties: { n: { type: "integer" } }, required: ["n"] },
  audience: "agent",
  reason: "",
  createdAt: "",
  expiresAt: "",
  state: "pending",
};

/** An attendant over a daemon that answers each request with the next of `statuses`. */
function attendant(
  statuses: { status: number; body: unknown }[],
  prompter: (signal: AbortSignal) => Prompter,
): { attendant: Attendant; sent: ApiRequest[]; broken: () => number; written: string[] } {
  const sent: ApiRequest[] = [];
  const written: string[] = [];
  let broken = 0;
  const api: Api = {
    request: (request) => {
      sent.push(request);
      const { status, body } = statuses.shift() ?? { status: 200, body: {} };
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      return Promise.resolve({ status, headers: new Map(), body: ReadableStream.from([bytes]) });
    },
    close: () => undefined,
  };
  return {
    sent,
    written,
    broken: () => broken,
    attendant: new Attendant({
      say: (text) => void written.push(text),
      headers: { authorization: "x" },
      signal: new AbortController().signal,
      openApi: () => Promise.resolve(api),
      onBreak: () => broken++,
      prompter: (signal) => Promise.resolve(prompter(signal)),
    }),
  };
}

function typing(...texts: (string | undefined)[]): Prompter {
  return {
    note: () => undefined,
    text: () => Promise.resolve(texts.shift()),
    confirm: () => Promise.resolve(true),
    choose: () => Promise.resolve("accept"),
    chooseSome: () => Promise.resolve([]),
  };
}

Deno.test("answers go to the question's own route, and one that is refused is asked for again with the reason", async () => {
  const notes: string[] = [];
  const prompter = { ...typing("1", "2"), note: (text: string) => void notes.push(text) };
  const bench = attendant([
    { status: 400, body: { error: { code: "invalid-input", message: "`n` must be at least 2" } } },
    { status: 200, body: {} },
  ], () => prompter);
  bench.attendant.asked(QUESTION);
  await bench.attendant.idle();
  assert.deepEqual(bench.sent.map(({ path, body }) => [path, body]), [
    ["/v1/elicit/elc-1/answer", '{"action":"accept","content":{"n":1}}'],
    ["/v1/elicit/elc-1/answer", '{"action":"accept","content":{"n":2}}'],
  ]);
  assert.match(notes[1] ?? "", /`n` must be at least 2/);
});

Deno.test("questions are put one after another, and one that was settled meanwhile is not put", async () => {
  const shown: string[] = [];
  const { promise: first, resolve } = Promise.withResolvers<string>();
  const bench = attendant([], () => ({
    ...typing(),
    note: (text) => void shown.push(text),
    text: () => first,
  }));
  bench.attendant.asked({ ...QUESTION, message: "one" });
  bench.attendant.asked({ ...QUESTION, id: "elc-2", message: "two" });
  bench.attendant.asked({ ...QUESTION, id: "elc-3", message: "three" });
  bench.attendant.settled("elc-2");
  resolve("1");
  await bench.attendant.idle();
  assert.deepEqual(shown, ["one", "three"]);
});

Deno.test("who breaks off ends the command; an answer that came too late is no failure", async () => {
  const breaks = attendant([], () => typing(undefined));
  breaks.attendant.asked(QUESTION);
  await breaks.attendant.idle();
  assert.equal(breaks.broken(), 1);
  const late = attendant(
    [{ status: 409, body: { error: { code: "question-settled", message: "late" } } }],
    () => typing("1"),
  );
  late.attendant.asked(QUESTION);
  await late.attendant.idle();
  assert.deepEqual([late.written, late.broken()], [[], 0]);
  const broken = attendant(
    [{ status: 500, body: { error: { code: "internal", message: "It broke." } } }],
    () => typing("1"),
  );
  broken.attendant.asked(QUESTION);
  await broken.attendant.idle();
  assert.deepEqual(broken.written, ["It broke."]);
});
