import assert from "node:assert/strict";
import fc from "fast-check";
import { sameJson } from "./same_json.ts";
import { unwrapResult } from "./unwrap.ts";

function text(value: string): { type: string; text: string } {
  return { type: "text", text: value };
}

Deno.test("structured content comes as it is, and its echoes are not repeated", () => {
  const structuredContent = { id: 1, list: ["a"] };
  const rows: unknown[][] = [
    [],
    [text('{"list":["a"],"id":1}')],
    [text('{\n  "id": 1, "list": [ "a" ]\n}')],
    [text("")],
  ];
  for (const content of rows) {
    const result = unwrapResult({ content, structuredContent });
    assert.equal(result.value, structuredContent);
    assert.deepEqual([result.extra, result.notes], [[], []]);
  }
});

Deno.test("a value that a library wrapped in one member is recognised in its text", () => {
  const rows: [unknown, string[]][] = [
    ["plain", ["plain"]],
    [[1, "b"], ["1", "b"]],
    [[1, "b"], ['[1,"b"]']],
    [7, ["7"]],
  ];
  for (const [result, texts] of rows) {
    for (const structuredContent of [{ result }, { content: result }]) {
      const { extra, notes, value } = unwrapResult({ content: texts.map(text), structuredContent });
      assert.deepEqual([extra, notes], [[], []], texts.join());
      assert.deepEqual(value, structuredContent);
    }
  }
});

Deno.test("a wrapped list of another length than the texts is not their echo", () => {
  assert.deepEqual(unwrapResult({ content: [text("1")], structuredContent: { result: [1, 2] } }).extra, [
    "1",
  ]);
});

Deno.test("text that says something else than structured content comes beside it", () => {
  const link = { type: "resource_link", uri: "file:///a", name: "a" };
  const result = unwrapResult({
    content: [text("Two found."), text('{"n":2}'), link],
    structuredContent: { n: 2 },
  });
  assert.deepEqual(result.value, { n: 2 });
  assert.deepEqual(result.extra, ["Two found.", link]);
  assert.equal(result.notes.length, 1);
});

Deno.test("one block of text is JSON where it is JSON, and text where it is not", () => {
  const rows: [string, unknown][] = [
    ['{"a":[1]}', { a: [1] }],
    [" [1,2] ", [1, 2]],
    ["42", 42],
    ["true", true],
    ["null", null],
    ["hello", "hello"],
    ["1.10", "1.10"],
    ["1e3", "1e3"],
    ["000123", "000123"],
    ["-0", "-0"],
    ["{broken", "{broken"],
    ["", ""],
    ['"Yes," she said', '"Yes," she said'],
    ['"quoted"', "quoted"],
  ];
  for (const [written, value] of rows) {
    assert.deepEqual(unwrapResult({ content: [text(written)] }).value, value);
  }
});

Deno.test("numbers beyond 2^53 keep their digits", () => {
  for (const written of ['{"id":9007199254740993}', "12345678901234567890"]) {
    assert.equal(JSON.stringify(unwrapResult({ content: [text(written)] }).value), written);
  }
});

Deno.test("several blocks are a list, nothing is null, and other blocks come as they are", () => {
  const image = { type: "image", data: "AA", mimeType: "image/png" };
  const embedded = { type: "resource", resource: { uri: "a://b", text: "t" } };
  const hologram = { type: "hologram", beams: 3 };
  assert.deepEqual(unwrapResult({ content: [text("a"), image] }).value, ["a", image]);
  for (const block of [image, embedded, hologram]) {
    assert.equal(unwrapResult({ content: [block] }).value, block);
  }
  assert.match(unwrapResult({ content: [hologram] }).notes.join(), /hologram/);
  assert.equal(unwrapResult({ content: [] }).value, null);
  assert.equal(unwrapResult({}).value, null);
  assert.equal(unwrapResult({ content: [], structuredContent: null }).value, null);
  assert.equal(unwrapResult({ content: [text("a")], structuredContent: null }).value, "a");
});

Deno.test("an error keeps its text and its structured content", () => {
  const structuredContent = { code: "RATE", retry: 30 };
  const result = unwrapResult({ content: [text("boom")], structuredContent, isError: true });
  assert.deepEqual([result.isError, result.text], [true, "boom"]);
  assert.deepEqual([result.value, result.extra], [structuredContent, ["boom"]]);
  assert.equal(unwrapResult({ content: [text("error")] }).isError, false);
});

Deno.test("content that is no list is taken as one block", () => {
  assert.equal(unwrapResult({ content: "bare" }).value, "bare");
  assert.deepEqual(unwrapResult({ content: { type: "odd" } }).value, { type: "odd" });
});

Deno.test("32 MB of text and deep nesting are taken", () => {
  const long = "x".repeat(32 * 1024 * 1024);
  assert.equal(unwrapResult({ content: [text(long)] }).value, long);
  const deep = "[".repeat(5000) + "]".repeat(5000);
  assert.deepEqual(
    unwrapResult({ content: [text(deep)], structuredContent: { result: JSON.parse(deep) } }).extra,
    [],
  );
});

Deno.test("whatever the blocks, each is in the value, beside it, or said by it", () => {
  const block = fc.oneof(
    fc.string().map(text),
    fc.jsonValue().map((value) => text(JSON.stringify(value))),
    fc.record({ type: fc.constantFrom("image", "resource_link", "hologram"), data: fc.string() }),
    fc.jsonValue(),
  );
  const envelope = fc.record({
    content: fc.array(block, { maxLength: 4 }),
    structuredContent: fc.option(fc.jsonValue(), { nil: undefined }),
    isError: fc.boolean(),
  });
  fc.assert(
    fc.property(envelope, (given) => {
      const before = JSON.stringify(given);
      const { value, extra } = unwrapResult(given);
      assert.equal(JSON.stringify(given), before);
      const all = JSON.stringify([value, extra]);
      if (given.structuredContent !== undefined && given.structuredContent !== null) {
        assert.equal(value, given.structuredContent);
      }
      for (const one of given.content) {
        const said = isText(one) ? one.text : one;
        assert.ok(
          all.includes(JSON.stringify(said)) ||
            isText(one) && (one.text === "" || all.includes(canonical(one.text))),
          `${JSON.stringify(one)} not in ${all}`,
        );
      }
    }),
    { numRuns: 500 },
  );
});

function isText(block: unknown): block is { type: "text"; text: string } {
  return typeof block === "object" && block !== null && "text" in block && typeof block.text === "string" &&
    "type" in block && block.type === "text";
}

function canonical(json: string): string {
  return JSON.stringify(JSON.parse(json));
}

Deno.test("JSON is the same whatever the order of its members, and different in any value", () => {
  assert.ok(sameJson({ a: 1, b: [null] }, { b: [null], a: 1 }));
  for (
    const other of [
      { a: 1 },
      { a: 1, b: [] },
      { a: 1, b: [0] },
      { a: 1, b: { 0: null } },
      { a: 1, c: [null] },
      null,
      1,
    ]
  ) {
    assert.ok(!sameJson({ a: 1, b: [null] }, other));
  }
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
    assert.ok(sameJson(a, JSON.parse(JSON.stringify(a))));
    assert.equal(sameJson(a, b), sameJson(b, a));
  }));
});
