import assert from "node:assert/strict";
import fc from "fast-check";
import ts from "typescript";
import { explainCall, type FailedAnswer, type FailedCall } from "./diagnose_call.ts";
import { renderFindings } from "./render.ts";
import type { Finding } from "./types.ts";

const SCHEMA = {
  type: "object",
  properties: {
    title: { type: "string" },
    repo: { type: "string" },
    count: { type: "integer" },
    options: { type: "object" },
    message: { type: "string" },
  },
  required: ["title", "repo"],
};

function explain(
  sent: Record<string, unknown>,
  answer: FailedAnswer,
  more: Partial<FailedCall> = {},
): Finding[] {
  return explainCall({
    namespace: "demo",
    fn: "create_issue",
    inputSchema: SCHEMA,
    arguments: sent,
    answer,
    ...more,
  });
}

function invalid(message: string, code = -32602): FailedAnswer {
  return { kind: "rpc-error", code, message };
}

Deno.test("a rejected call names what is missing, what changed and the smallest call", () => {
  const findings = explain({ title: "x" }, invalid("Invalid params"), {
    changes: [{
      when: "2026-09-30T10:00:00Z",
      kind: "argument-added",
      field: "repo",
      what: "`repo` was added and is required",
      verdict: "breaking",
    }],
  });
  assert.deepEqual(findings, [{
    kind: "invalid-params",
    tool: "demo.create_issue",
    field: "repo",
    message: "the call was rejected and repo is required but was not sent",
    changed: {
      when: "2026-09-30T10:00:00Z",
      kind: "argument-added",
      what: "`repo` was added and is required",
    },
    fix: 'await demo.create_issue({ title: "x", repo: "" })',
    fatal: true,
  }]);
  assert.equal(
    renderFindings(findings),
    [
      "demo.create_issue: the call was rejected and repo is required but was not sent",
      "                   (schema changed 2026-09-30: `repo` was added and is required)",
      '  minimum:    await demo.create_issue({ title: "x", repo: "" })',
    ].join("\n"),
  );
});

Deno.test("only an answer about arguments is explained", () => {
  const missing = {};
  for (const code of [-32000, -32001, -32050, -32099]) {
    assert.deepEqual(explain(missing, invalid("repo is required", code)), []);
  }
  assert.deepEqual(explain(missing, invalid("connection closed: unexpected EOF", -32603)), []);
  assert.deepEqual(explain(missing, { kind: "tool-error", text: "unexpected end of file" }), []);
  assert.deepEqual(explain(missing, { kind: "tool-error", text: "The repository is locked" }), []);
  assert.deepEqual(explain(missing, invalid("Invalid params"), { inputSchema: undefined }), []);
  assert.equal(explain(missing, invalid("Invalid params", -32603)).length, 1);
});

Deno.test("a result with isError that complains about arguments is explained the same way", () => {
  const [finding] = explain({ title: "x" }, {
    kind: "tool-error",
    text: 'MCP error: [{"code":"invalid_type","expected":"string","path":["repo"],"message":"Required"}]',
  });
  assert.equal(finding?.field, "repo");
  assert.equal(finding?.kind, "invalid-params");
  assert.deepEqual(
    explain({ title: "x", repo: "y" }, { kind: "tool-error", text: "The title is invalid" }),
    [],
  );
});

Deno.test("what the server named as a whole word is preferred", () => {
  const field = (text: string, sent: Record<string, unknown> = {}): string | undefined =>
    explain(sent, invalid(text))[0]?.field;
  assert.equal(field("repo is required"), "repo");
  assert.equal(field("missing `title`"), "title");
  assert.equal(field("repository must be set"), "title");
  assert.equal(field("my_repo is required"), "title");
  assert.equal(field("count out of range", { title: "x", repo: "y", count: 9 }), "count");
  assert.equal(field("Error message: no repo given"), "repo");
  assert.equal(field("Error message: nope", { title: "x" }), "repo");
});

Deno.test("an argument of the wrong type is put right where what was meant is plain", () => {
  const sent = { title: "x", repo: "y" };
  const one = (more: Record<string, unknown>): Finding | undefined =>
    explain({ ...sent, ...more }, invalid("Bad"))[0];
  assert.equal(
    one({ count: "5" })?.message,
    'the call was rejected and count must be integer, and is the string "5": leave out the quotes',
  );
  assert.equal(one({ count: "5" })?.fix, 'await demo.create_issue({ title: "x", repo: "y", count: 5 })');
  assert.match(one({ options: '{"a":1}' })!.message, /is a string that holds JSON: give the object itself$/);
  assert.equal(
    one({ options: '{"a":1}' })?.fix,
    'await demo.create_issue({ title: "x", repo: "y", options: { a: 1 } })',
  );
  assert.equal(one({ rep: "y" })?.message, "the call was rejected and there is no argument rep");
});

Deno.test("long arguments are shortened in the fix, and nothing is left out by dots", () => {
  const sent = { title: "t".repeat(10_000), options: { list: Array.from({ length: 1000 }, (_, i) => i) } };
  const fix = explain(sent, invalid("Invalid params"))[0]?.fix ?? "";
  assert.ok(fix.length < 250 && !fix.includes("..."), fix);
  assert.ok(fix.endsWith('repo: "" })'), fix);
});

Deno.test("whatever was sent and answered, the findings' fixes parse", () => {
  const key = fc.oneof(fc.constantFrom("title", "repo", "count", "options", "a-b", "__proto__"), fc.string());
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("repo", "title is required", "invalid a-b", "count must be integer"),
  );
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue(), { maxKeys: 5 }), text, (sent, message) => {
      for (const finding of explain(sent, invalid(message))) {
        if (finding.fix === undefined) continue;
        const { diagnostics = [] } = ts.transpileModule(finding.fix, { reportDiagnostics: true });
        assert.deepEqual(diagnostics.map((each) => each.messageText), [], finding.fix);
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("what was sent under a wrong name is what is missing under the right one", () => {
  const findings = explain({ titel: "x", repo: "y" }, invalid("title is required"));
  assert.deepEqual(findings.map(({ message, fix }) => [message, fix]), [
    [
      "the call was rejected and title is required but was not sent",
      'await demo.create_issue({ title: "x", repo: "y" })',
    ],
    [
      "the call was rejected and there is no argument titel: did you mean title?",
      'await demo.create_issue({ title: "x", repo: "y" })',
    ],
  ]);
});

Deno.test("a string that holds JSON is told from a string where a list or an object belongs", () => {
  const inputSchema = {
    properties: {
      ids: { type: "array", items: { type: "integer" } },
      where: { $ref: "#/$defs/R" },
    },
    $defs: { R: { type: "object", properties: { q: { type: "string" } }, required: ["q"] } },
  };
  const said = (sent: Record<string, unknown>): (string | undefined)[] => {
    const [finding] = explain(sent, invalid("Invalid params"), { inputSchema });
    return [finding?.message.replace(/^.*, and /, ""), finding?.fix];
  };
  const fixed = (text: string): string => `await demo.create_issue(${text})`;
  assert.deepEqual(said({ ids: "[1, 2]" }), [
    "is a string that holds JSON: give the list itself",
    fixed("{ ids: [1, 2] }"),
  ]);
  assert.deepEqual(said({ where: '{"q":"x"}' }), [
    "is a string that holds JSON: give the object itself",
    fixed('{ where: { q: "x" } }'),
  ]);
  assert.deepEqual(said({ where: '{"p":1}' }), ['is "{\\"p\\":1}"', fixed('{ where: { q: "" } }')]);
  assert.deepEqual(said({ ids: '["a"]' }), ['is "[\\"a\\"]"', fixed("{ ids: [] }")]);
  assert.deepEqual(said({ ids: 5 }), ["is a number", fixed("{ ids: [5] }")]);
});

Deno.test("schemas and arguments without end are given up on, not followed", () => {
  const self = { $ref: "#/$defs/S" };
  const endless: Record<string, object> = {
    choices: { anyOf: Array.from({ length: 300 }, () => self) },
    lists: { type: "array", items: { anyOf: [self, self, { type: "array", items: self }] } },
    both: { anyOf: [{ allOf: [self, self] }, self] },
  };
  for (const [name, schema] of Object.entries(endless)) {
    const inputSchema = { properties: { a: self }, required: ["a"], $defs: { S: schema } };
    const started = performance.now();
    for (const a of [5, "[[[1]]]", JSON.stringify(Array(50).fill([[[[1]]]]))]) {
      explain({ a }, invalid("Invalid params"), { inputSchema });
    }
    assert.ok(performance.now() - started < 5000, name);
  }
  const many = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [`field_${index}`, { type: "string" }]),
  );
  const sent = Object.fromEntries(Object.keys(many).map((name) => [name.replace("ie", "ei"), 1]));
  const started = performance.now();
  assert.equal(explain(sent, invalid("Invalid params"), { inputSchema: { properties: many } }).length, 10);
  assert.ok(performance.now() - started < 5000, "arguments");
});
