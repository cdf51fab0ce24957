import assert from "node:assert/strict";
import fc from "fast-check";
import { readEvents, type ServerSentEvent } from "./sse.ts";

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b).concat(bytes.length)) {
    const to = Math.min(cut, bytes.length);
    if (to > from) yield await Promise.resolve(bytes.subarray(from, to));
    from = Math.max(from, to);
  }
}

async function read(text: string, cuts: readonly number[] = []): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(pieces(new TextEncoder().encode(text), cuts))) events.push(event);
  return events;
}

Deno.test("events are the same wherever the bytes are cut", async () => {
  const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, ""));
  const event = fc.record({
    event: fc.constantFrom("log", "done", "message"),
    data: fc.array(line, { minLength: 1 }),
  });
  await fc.assert(fc.asyncProperty(fc.array(event), fc.array(fc.nat(400)), async (list, cuts) => {
    const text = list.map((one) =>
      `event: ${one.event}\n${one.data.map((part) => `data: ${part}\n`).join("")}\n`
    );
    const expected = list.map((one) => ({ event: one.event, data: one.data.join("\n") }));
    assert.deepEqual(await read(text.join(""), cuts), expected);
  }));
});

Deno.test("comments, other fields and CRLF are passed over", async () => {
  assert.deepEqual(
    await read(": hello\r\nid: 1\r\nevent:log\r\ndata:x\r\n\r\n\r\ndata: y\r\n\r\ndata: unfinished"),
    [
      { event: "log", data: "x", id: "1" },
      { event: "message", data: "y" },
    ],
  );
});
