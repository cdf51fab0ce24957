import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeFrame, type Frame, FrameReader } from "./frames.ts";

Deno.test("frames come back as they were, however their bytes are split", () => {
  const frame = fc.record({
    tag: fc.constantFrom("stdout", "stderr", "exit"),
    payload: fc.uint8Array({ maxLength: 40 }),
  });
  fc.assert(fc.property(fc.array(frame), fc.integer({ min: 1, max: 17 }), (frames, size) => {
    const bytes = frames.flatMap(({ tag, payload }) => [...encodeFrame(tag, payload)]);
    const reader = new FrameReader();
    const read: Frame[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      read.push(...reader.push(Uint8Array.from(bytes.slice(at, at + size))));
    }
    assert.deepEqual(
      read.map(({ tag, payload }) => [tag, ...payload]),
      frames.map(({ tag, payload }) => [tag, ...payload]),
    );
  }));
});
