import assert from "node:assert/strict";
import type { InstanceView, PooledServer } from "../../pool/mod.ts";
import { deskBench } from "./testing.ts";
import { type OpenCall, OpenCalls } from "./open_calls.ts";
import { Work } from "./work.ts";

const server: PooledServer = {
  name: "s",
  definition: "d",
  target: { kind: "stdio", command: "x", args: [], env: {} },
  protocol: "auto",
  sharing: "shared",
  scope: "global",
};
const instance = (): InstanceView => ({ server, key: "global", callers: () => [] });

function callOf(subject: string, session?: string): OpenCall {
  const caller = deskBench().caller(session === undefined ? {} : { session });
  const work = new Work({ trace: "t", title: subject, caller, now: 0 });
  return { work, subject, questions: new Set(), possible: new Set(), asked: 0 };
}

/** The subjects of those who are told. */
function told(calls: OpenCalls, on: InstanceView, origin?: object): OpenCall[] {
  return calls.attribute(on, origin).told;
}

Deno.test("a question is the call's on whose stream it came, or the only one that is open", () => {
  const calls = new OpenCalls();
  const on = instance();
  assert.deepEqual(calls.attribute(on), { candidates: [], told: [] });
  const [a, b] = [callOf("a"), callOf("b")];
  calls.open(on, a);
  assert.deepEqual(told(calls, on), [a]);
  calls.open(on, b);
  assert.deepEqual(told(calls, on, b), [b]);
  assert.deepEqual(told(calls, instance()), []);
});

Deno.test("calls of one tool are asked for in the order they came, each once", () => {
  const calls = new OpenCalls();
  const on = instance();
  const same = Array.from({ length: 3 }, () => callOf("ask"));
  for (const call of same) calls.open(on, call);
  for (const [at, call] of same.entries()) {
    const attribution = calls.attribute(on);
    assert.deepEqual(attribution.told, [call]);
    assert.equal(attribution.candidates.length, 3 - at);
    call.questions.add(`q${at}`);
  }
});

Deno.test("a question that may be another session's is never put to one of them as its own", () => {
  const calls = new OpenCalls();
  const on = instance();
  const [a, b] = [callOf("ask", "a"), callOf("ask", "b")];
  for (const call of [b, a]) calls.open(on, call);
  assert.deepEqual(told(calls, on), [b, a]);
});

Deno.test("a call whose question was answered does not come before those that have not asked", () => {
  const calls = new OpenCalls();
  const on = instance();
  const same = Array.from({ length: 3 }, () => callOf("ask"));
  for (const call of same) calls.open(on, call);
  assert.deepEqual([1, 2, 3, 4].map(() => same.indexOf(told(calls, on)[0] ?? callOf("none"))), [0, 1, 2, 0]);
});

Deno.test("a tool that was seen asking goes before those that were not; where nothing tells, all are told", () => {
  const calls = new OpenCalls();
  const on = instance();
  const [ask, slow] = [callOf("ask"), callOf("slow")];
  calls.open(on, slow);
  const opened = calls.open(on, ask);
  assert.deepEqual(told(calls, on), [slow, ask]);
  opened[Symbol.dispose]();
  assert.deepEqual(told(calls, on), [slow]);
  const again = new OpenCalls();
  const alone = again.open(on, ask);
  again.attribute(on);
  again.open(on, slow);
  assert.deepEqual(told(again, on), [ask]);
  alone[Symbol.dispose]();
});
