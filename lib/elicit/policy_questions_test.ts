import assert from "node:assert/strict";
import { checkAnswer } from "./check_answer.ts";
import {
  chosenInstance,
  confirmationQuestion,
  destructiveReason,
  disambiguationQuestion,
  isConfirmed,
} from "./policy_questions.ts";
import { routeQuestion } from "./route_question.ts";

Deno.test("a tool may destroy something unless it says that it only reads or destroys nothing", () => {
  assert.match(destructiveReason({ destructiveHint: true }) ?? "", /says that it may destroy/);
  assert.match(destructiveReason({ destructiveHint: true, readOnlyHint: true }) ?? "", /says that it may/);
  assert.match(destructiveReason(undefined) ?? "", /neither/);
  assert.match(destructiveReason({}) ?? "", /neither/);
  assert.match(destructiveReason({ readOnlyHint: false }) ?? "", /neither/);
  assert.equal(destructiveReason({ readOnlyHint: true }), undefined);
  assert.equal(destructiveReason({ destructiveHint: false }), undefined);
});

Deno.test("a confirmation is one boolean, goes to a human, shows the arguments without secrets, and only yes is a yes", () => {
  const draft = confirmationQuestion({
    server: "db",
    tool: "db.drop",
    why: "may destroy something",
    arguments: { table: "users", auth: { token: "hunter2" }, long: "x".repeat(1000) },
    deadlineMs: 1,
  });
  assert.equal(routeQuestion(draft).audience, "human");
  assert.match(draft.message, /"table":"users"/);
  assert.doesNotMatch(draft.message, /hunter2/);
  assert.ok(draft.message.length < 600);
  assert.equal(isConfirmed({ action: "accept", content: { confirm: true } }), true);
  for (const content of [{ confirm: false }, {}, { confirm: "true" }]) {
    assert.equal(isConfirmed({ action: "accept", content }), false);
  }
  for (const action of ["decline", "cancel"] as const) assert.equal(isConfirmed({ action }), false);
});

Deno.test("the live instances are offered with what each is doing, and new", () => {
  const draft = disambiguationQuestion({
    server: "browser",
    tool: "browser.open",
    instances: [
      { key: "session:a", holders: 2, calls: 7, pid: 11 },
      { key: "session:b", holders: 0, calls: 1, idleMs: 90_000, pid: 12 },
    ],
    fallback: "new",
    deadlineMs: 1,
  });
  assert.equal(routeQuestion(draft).audience, "agent");
  const text = JSON.stringify(draft);
  assert.match(text, /session:a: held by 2 calls, 7 calls so far, pid 11/);
  assert.match(text, /session:b: idle for 2 min, 1 calls so far, pid 12/);
  const schema = "schema" in draft ? draft.schema : {};
  assert.ok(checkAnswer(schema, { instance: "new" }).ok);
  assert.ok(!checkAnswer(schema, { instance: "session:c" }).ok);
  assert.equal(chosenInstance(draft.default), "new");
});
