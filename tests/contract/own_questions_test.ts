import assert from "node:assert/strict";
import type { OwnDraft, QuestionDraft } from "../../lib/elicit/mod.ts";

// The expectations of errors are the test: this file is type-checked with the program.

Deno.test("a question of mcpx's own cannot be built without a default and a deadline", () => {
  const whole = {
    from: "mcpx",
    kind: "confirmation",
    message: "?",
    schema: {},
    default: { action: "decline" },
    deadlineMs: 45_000,
  } as const;
  const { default: _default, ...withoutDefault } = whole;
  const { deadlineMs: _deadline, ...withoutDeadline } = whole;
  const built: QuestionDraft = whole;
  // @ts-expect-error it has no default
  const silent: QuestionDraft = withoutDefault;
  // @ts-expect-error it has no deadline
  const endless: QuestionDraft = withoutDeadline;
  // @ts-expect-error undefined is no default
  const undefinedDefault: OwnDraft = { ...whole, default: undefined };
  // @ts-expect-error undefined is no deadline
  const undefinedDeadline: OwnDraft = { ...whole, deadlineMs: undefined };
  // @ts-expect-error passing as a server's does not make it one
  const disguised: QuestionDraft = { ...withoutDefault, from: "upstream" };
  for (const kind of ["disambiguation", "recipe-form"] as const) {
    // @ts-expect-error every kind of mcpx's own needs them
    const other: QuestionDraft = { ...withoutDefault, kind };
    assert.equal(other.kind, kind);
  }
  // @ts-expect-error a completion that mcpx asks for needs them too
  const sampling: QuestionDraft = { from: "mcpx", kind: "sampling", message: "?", sampling: {} };
  assert.equal([built, silent, endless, undefinedDefault, undefinedDeadline, disguised, sampling].length, 7);
});
