import assert from "node:assert/strict";
import type { Question } from "../../elicit/types.ts";
import { askPerson } from "./ask_person.ts";
import type { Prompter } from "./prompter.ts";

const BASE: Question = {
  id: "elc-1",
  kind: "elicitation",
  server: "demo",
  message: "Who are you?",
  audience: "human",
  reason: "",
  createdAt: "",
  expiresAt: "",
  state: "pending",
};

/** A person who gives these answers, one after another; `check` refuses what it refuses, as a real prompt would. */
function person(...answers: unknown[]): Prompter & { seen: string[]; refused: string[] } {
  const seen: string[] = [];
  const refused: string[] = [];
  const next = (message: string): unknown => {
    seen.push(message);
    return answers.shift();
  };
  return {
    seen,
    refused,
    note: (text, title) => void seen.push(`${title}: ${text}`),
    text: (asked) => {
      for (;;) {
        const typed = next(asked.message) as string | undefined;
        const problem = typed === undefined ? undefined : asked.check(typed);
        if (problem === undefined) return Promise.resolve(typed);
        refused.push(problem);
      }
    },
    confirm: (message) => Promise.resolve(next(message) as boolean | undefined),
    choose: (message) => Promise.resolve(next(message) as string | undefined),
    chooseSome: (message) => Promise.resolve(next(message) as string[] | undefined),
  };
}

Deno.test("a form is asked field by field, and what does not fit is asked again", async () => {
  const schema = {
    properties: {
      name: { type: "string", minLength: 2, title: "Name" },
      age: { type: "integer", minimum: 18 },
      ok: { type: "boolean" },
      size: { oneOf: [{ const: "s", title: "Small" }] },
      tags: { type: "array", items: { enum: ["a", "b"] }, minItems: 2 },
    },
    required: ["name", "age", "ok", "size", "tags"],
  };
  const prompter = person("accept", "A", "Ada", "x", "17", "36", "true", "s", ["a"], ["a", "b"]);
  assert.deepEqual(await askPerson({ ...BASE, schema }, prompter), {
    action: "accept",
    content: { name: "Ada", age: 36, ok: true, size: "s", tags: ["a", "b"] },
  });
  assert.equal(prompter.seen[0], "demo asks: Who are you?");
  assert.equal(prompter.refused.length, 3);
});

Deno.test("what may be left out is asked only when wanted, and empty leaves it out", async () => {
  const schema = {
    properties: { a: { type: "string" }, b: { type: "integer" }, c: { enum: ["x"] } },
    required: ["a"],
  };
  assert.deepEqual(await askPerson({ ...BASE, schema }, person("accept", "1", false)), {
    action: "accept",
    content: { a: "1" },
  });
  assert.deepEqual(await askPerson({ ...BASE, schema }, person("accept", "1", true, "", "\u0000")), {
    action: "accept",
    content: { a: "1" },
  });
});

Deno.test("a person may decline, cancel, or break off at any place", async () => {
  const schema = { properties: { a: { type: "string" } }, required: ["a"] };
  assert.deepEqual(await askPerson({ ...BASE, schema }, person("decline")), { action: "decline" });
  assert.deepEqual(await askPerson({ ...BASE, schema }, person("cancel")), { action: "cancel" });
  assert.equal(await askPerson({ ...BASE, schema }, person(undefined)), undefined);
  assert.equal(await askPerson({ ...BASE, schema }, person("accept", undefined)), undefined);
});

Deno.test("a confirmation is one yes or no, asked by mcpx; a page is shown whole", async () => {
  const schema = { properties: { confirm: { type: "boolean" } }, required: ["confirm"] };
  const prompter = person(false);
  assert.deepEqual(await askPerson({ ...BASE, kind: "confirmation", schema }, prompter), {
    action: "accept",
    content: { confirm: false },
  });
  assert.match(prompter.seen[0] ?? "", /^mcpx asks/);
  const page = person("accept");
  assert.deepEqual(await askPerson({ ...BASE, kind: "url", url: "https://example.org/a?b=c" }, page), {
    action: "accept",
    content: {},
  });
  assert.match(page.seen[0] ?? "", /https:\/\/example\.org\/a\?b=c/);
});
