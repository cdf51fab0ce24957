import assert from "node:assert/strict";
import { makeQuestion } from "./make_question.ts";
import { confirmationQuestion, disambiguationQuestion } from "./policy_questions.ts";
import { routeQuestion } from "./route_question.ts";
import { expireQuestion, settleQuestion } from "./settle_question.ts";
import type { QuestionDraft } from "./question_draft.ts";
import type { Question } from "./types.ts";

function asked(draft: QuestionDraft): Question {
  return makeQuestion(draft, { id: "elc-1", now: 0, route: routeQuestion(draft), upstreamMs: 1000 });
}

const upstream: QuestionDraft = { from: "upstream", kind: "elicitation", message: "?", schema: {} };

Deno.test("accept, decline and cancel lead to three states, once", () => {
  for (
    const [action, state] of [["accept", "accepted"], ["decline", "declined"], [
      "cancel",
      "cancelled",
    ]] as const
  ) {
    const settled = settleQuestion(asked(upstream), { action }, { by: "me", now: 5 });
    assert.deepEqual([settled.state, settled.answeredBy, settled.settledAt], [
      state,
      "me",
      "1970-01-01T00:00:00.005Z",
    ]);
    assert.throws(
      () => settleQuestion(settled, { action: "accept" }, { by: "you", now: 6 }),
      /it is \w+ already \(me/,
    );
    assert.equal(expireQuestion(settled, 7), settled);
  }
});

Deno.test("silence cancels a server's question and takes the default of mcpx's own", () => {
  assert.deepEqual(expireQuestion(asked(upstream), 9).answer, { action: "cancel" });
  const confirmation = asked(
    confirmationQuestion({ server: "s", tool: "s.t", why: "may", arguments: {}, deadlineMs: 45 }),
  );
  assert.equal(confirmation.expiresAt, "1970-01-01T00:00:00.045Z");
  assert.deepEqual(expireQuestion(confirmation, 45).answer, { action: "decline" });
  const which = asked(
    disambiguationQuestion({ server: "s", instances: [], fallback: "new", deadlineMs: 45 }),
  );
  assert.deepEqual(expireQuestion(which, 45).answer, { action: "accept", content: { instance: "new" } });
  assert.equal(expireQuestion(which, 45).state, "expired");
});

Deno.test("a question for ever ends within the years that dates have", () => {
  const question = makeQuestion(upstream, {
    id: "e",
    now: 0,
    route: routeQuestion(upstream),
    upstreamMs: Infinity,
  });
  assert.equal(question.expiresAt, "9999-12-31T00:00:00.000Z");
});
