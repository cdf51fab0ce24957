import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { MAX_CONFIG_BYTES, readConfigFile } from "./read.ts";
import type { ConfigText } from "./read.ts";
import { testFolder } from "./fixture_test.ts";

async function read(content: unknown): Promise<ConfigText> {
  await using at = await testFolder({ "x.json": content });
  const path = `${at.path}/x.json`;
  return await readConfigFile({ path, real: path, kind: "explicit" });
}

async function refusal(content: unknown): Promise<McpxError> {
  try {
    await read(content);
  } catch (error) {
    assert.ok(error instanceof McpxError);
    assert.equal(error.code, "invalid-config");
    return error;
  }
  throw new Error("it was accepted");
}

Deno.test("comments, trailing commas, a BOM and CRLF are accepted, and // inside strings is kept", async () => {
  const { value, text } = await read(
    '\ufeff{\r\n  // a comment\r\n  "url": "https://x/*y*/", /* another */\r\n  "list": [1, 2,],\r\n}\r\n',
  );
  assert.deepEqual(value, { url: "https://x/*y*/", list: [1, 2] });
  assert.ok(!text.startsWith("\ufeff"));
});

Deno.test("a file that cannot be parsed is refused with file, line, column and what was expected", async () => {
  const cases: [string, number, number, RegExp][] = [
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, /expected `,` or a closing bracket/],
    ['{\r\n  "a" 1\r\n}', 2, 7, /expected `:` after the key/],
    ["{\n  a: 1\n}", 2, 3, /bare word|key in double quotes/],
    ['{"a": [1, 2}', 1, 12, /expected `,` or a closing bracket/],
    ['{"a": "x\n"}', 1, 7, /before the end of the line/],
    ['{"a": 1', 1, 8, /expected `}`/],
    ["{} {}", 1, 4, /expected the end/],
    ["", 1, 1, /expected \{\}, found an empty file/],
    ["[1]", 1, 1, /expected an object, found an array/],
    ["null", 1, 1, /found null/],
  ];
  for (const [text, line, column, message] of cases) {
    const error = await refusal(text);
    assert.match(error.message, message, text);
    assert.deepEqual([error.data?.line, error.data?.column], [line, column], text);
    assert.match(error.message, new RegExp(`x\\.json:${line}:${column}:`));
  }
});

Deno.test("files that are too large, too deep or not UTF-8 are refused clearly", async () => {
  assert.match((await refusal(new Uint8Array(MAX_CONFIG_BYTES + 1).fill(32))).message, /has 8388609 bytes/);
  assert.match((await refusal(new Uint8Array([0x7b, 0xe9, 0x7d]))).message, /it is not UTF-8/);
  assert.match((await refusal(new Uint8Array([0xff, 0xfe, 0x7b, 0]))).message, /it is UTF-16/);
  assert.match((await refusal(`{"a":${"[".repeat(200_000)}`)).message, /nested too deeply|expected/);
});

Deno.test("a key that is written twice is noticed, and the last one counts", async () => {
  const { value, notes, position } = await read('{"a": {"x": 1,\n "x": 2}}');
  assert.deepEqual(value, { a: { x: 2 } });
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? "", /x\.json:2:2: the key "x" is written twice/);
  assert.deepEqual(position(["a", "x"]), { line: 2, column: 2 });
  assert.deepEqual(position(["a", "none"]), { line: 1, column: 2 });
});

Deno.test("__proto__ is a key like any other", async () => {
  const { value } = await read('{"__proto__": {"polluted": true}}');
  assert.deepEqual(Object.keys(value), ["__proto__"]);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});
