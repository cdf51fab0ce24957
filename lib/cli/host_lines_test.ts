import assert from "node:assert/strict";
import fc from "fast-check";
import { type HostLine, readHostLines } from "./host_lines.ts";

async function linesOf(chunks: readonly Uint8Array[], limit = 1 << 30): Promise<HostLine[]> {
  const lines: HostLine[] = [];
  const options = { limit: () => Promise.resolve(limit), signal: new AbortController().signal };
  for await (const line of readHostLines(ReadableStream.from(chunks), options)) lines.push(line);
  return lines;
}

Deno.test("a host's lines are the same wherever their bytes are cut, and come back as they were sent", async () => {
  const text = fc.string({ unit: "grapheme" }).map((one) => one.replace(/[\r\n]/g, "").trim());
  await fc.assert(
    fc.asyncProperty(fc.array(text), fc.array(fc.nat(400)), fc.boolean(), async (texts, cuts, crlf) => {
      const bytes = new TextEncoder().encode(texts.map((one) => one + (crlf ? "\r\n" : "\n")).join(""));
      const ends = [...cuts.filter((at) => at < bytes.length), bytes.length].sort((a, b) => a - b);
      const chunks = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
      const expected = texts.filter((one) => one !== "").map((one) => ({ kind: "text", text: one }));
      assert.deepEqual(await linesOf(chunks), expected);
    }),
  );
});

Deno.test("of a line that is too long the id is told where its first or last bytes show it, and never another's", async () => {
  const filler = "x".repeat(2 * 1024 * 1024);
  const rows: [head: string, tail: string, id: string | number | null][] = [
    ['{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"', '"}}', 7],
    ['{"method":"m","params":{"a":"', '"},"id":"é \\"x\\"","jsonrpc":"2.0"}', 'é "x"'],
    ['{ "id" : -3 , "a":"', '"}', -3],
    ['{"params":{"id":1,"a":"', '"}}', null],
    ['{"params":{"a":"', '","id":2}}', null],
    ['{"a":"\\"id\\":9,', '"}', null],
    ['[{"id":4,"a":"', '"}]', null],
    ['{"id":null,"a":"', '"}', null],
    ['{"id":1.5,"a":"', '"}', null],
  ];
  for (const [head, tail, id] of rows) {
    const [line] = await linesOf([new TextEncoder().encode(head + filler + tail)], 1024 * 1024);
    assert.deepEqual(line, { kind: "too-long", limit: 1024 * 1024, id }, head);
  }
});

Deno.test("the id of a line that is too long keeps every digit", async () => {
  const filler = "x".repeat(2 * 1024 * 1024);
  for (const id of ["9007199254740993", "-12345678901234567890123"]) {
    const bytes = new TextEncoder().encode(`{"jsonrpc":"2.0","id":${id},"method":"m","a":"${filler}"}`);
    const [line] = await linesOf([bytes], 1024 * 1024);
    assert.equal(JSON.stringify(line), `{"kind":"too-long","limit":1048576,"id":${id}}`);
  }
});
