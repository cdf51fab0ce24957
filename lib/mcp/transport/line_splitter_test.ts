import assert from "node:assert/strict";
import fc from "fast-check";
import { type DroppedLine, LineSplitter } from "./line_splitter.ts";

function split(
  bytes: Uint8Array,
  sizes: number[],
  limit = Infinity,
): { lines: string[]; dropped: DroppedLine[] } {
  const lines: string[] = [];
  const dropped: DroppedLine[] = [];
  const splitter = new LineSplitter(
    limit,
    (line) => lines.push(new TextDecoder().decode(line)),
    (line) => dropped.push(line),
  );
  const chunk = new Uint8Array(64);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const part = bytes.subarray(at, at + (sizes[turn % sizes.length] ?? 1));
    chunk.set(part); // One buffer for all chunks, as the reader of a pipe has it.
    splitter.push(chunk.subarray(0, part.length));
    at += part.length;
  }
  splitter.end();
  return { lines, dropped };
}

const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1 });

Deno.test("however the bytes are cut into chunks, the lines come out whole", () => {
  fc.assert(fc.property(fc.array(fc.string({ unit: "grapheme" })), sizes, (texts, chunkSizes) => {
    const lines = texts.map((text) => text.replaceAll("\n", " "));
    const bytes = new TextEncoder().encode(lines.map((line) => line + "\n").join(""));
    assert.deepEqual(split(bytes, chunkSizes).lines, lines.map((line) => line.replace(/^\ufeff/, "")));
  }));
});

Deno.test("a line without an end is a line once the stream ends", () => {
  assert.deepEqual(split(new TextEncoder().encode("a\nb"), [1]).lines, ["a", "b"]);
});

Deno.test("a line above the limit is dropped with its size and both its ends, and the next one arrives", () => {
  fc.assert(fc.property(fc.integer({ min: 1000, max: 5000 }), sizes, (size, chunkSizes) => {
    const long = "<" + "x".repeat(size) + ">";
    const { lines, dropped } = split(new TextEncoder().encode(`a\n${long}\nb\n`), chunkSizes, 900);
    assert.deepEqual(lines, ["a", "b"]);
    assert.equal(dropped.length, 1);
    const [line] = dropped;
    assert.equal(line?.bytes, long.length);
    assert.ok(new TextDecoder().decode(line?.head).startsWith("<x"));
    assert.ok(new TextDecoder().decode(line?.tail).endsWith("x>"));
  }));
});
