import assert from "node:assert/strict";
import type { QuestionDraft } from "./question_draft.ts";
import { routeQuestion } from "./route_question.ts";

const form = (properties: Record<string, unknown>): QuestionDraft => ({
  from: "upstream",
  kind: "elicitation",
  message: "?",
  schema: { type: "object", properties },
});

Deno.test("pages, secrets and consents go to a human, each with its reason", () => {
  const page = routeQuestion({ from: "upstream", kind: "url", message: "?", url: "https://example.org" });
  assert.deepEqual([page.audience, page.reason], ["human", "a page has to be opened"]);
  for (
    const properties of [
      { password: { type: "string" } },
      { apiKey: { type: "string" } },
      { github_token: { type: "string" } },
      { code: { type: "string", format: "password" } },
      { note: { type: "string" }, clientSecret: { type: "string" } },
    ]
  ) {
    const { audience, reason, escalates } = routeQuestion(form(properties));
    assert.equal(audience, "human", JSON.stringify(properties));
    assert.match(reason, /is a secret/);
    assert.equal(escalates, false);
  }
  for (const name of ["confirm", "approve", "Approved"]) {
    assert.match(routeQuestion(form({ [name]: { type: "boolean" } })).reason, /alone is a consent/);
  }
});

Deno.test("a choice goes to the agent; values go to the agent, and to a human once it declines", () => {
  const choice = routeQuestion(
    form({ size: { enum: ["s", "l"] }, tags: { type: "array", items: { enum: ["a"] } } }),
  );
  assert.deepEqual([choice.audience, choice.escalates], ["agent", false]);
  for (
    const properties of [{ name: { type: "string" } }, {
      confirm: { type: "boolean" },
      why: { type: "string" },
    }, { verbose: { type: "boolean" } }]
  ) {
    const route = routeQuestion(form(properties));
    assert.deepEqual([route.audience, route.escalates], ["agent", true], JSON.stringify(properties));
  }
});

Deno.test("a server's hint towards a human is honoured", () => {
  const route = routeQuestion({ ...form({ size: { enum: ["s"] } }), forHuman: true });
  assert.equal(route.audience, "human");
});

Deno.test("words that merely contain a secret's name are none", () => {
  for (const name of ["monkey", "keyboard", "spinning", "tokenizer", "secretary", "shipping"]) {
    assert.equal(routeQuestion(form({ [name]: { type: "string" } })).audience, "agent", name);
  }
});
