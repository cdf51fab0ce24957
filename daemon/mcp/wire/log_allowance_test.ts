import assert from "node:assert/strict";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { LogAllowance } from "./log_allowance.ts";
import { MessageLog } from "./message_log.ts";
import { MessageStream } from "./message_stream.ts";

const note = (n: number, size: number): JsonObject => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { n, text: "x".repeat(size) },
});

function streamOf(allowance: LogAllowance, name: string): MessageStream {
  return new MessageStream({ log: new MessageLog({ allowance }), name });
}

async function numbersOf(body: ReadableStream<Uint8Array>): Promise<number[]> {
  const text = await new Response(body).text();
  return [...text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));
}

/** Pushes so many and reads so many of them. */
async function delivered(stream: MessageStream, count: number, size: number): Promise<void> {
  const reader = stream.connect().getReader();
  await reader.read();
  for (let n = 0; n < count; n++) {
    stream.push(note(n, size));
    await reader.read();
  }
  await reader.cancel();
}

Deno.test("all logs together keep no more than their allowance, and the fullest gives way", async () => {
  const allowance = new LogAllowance(100_000);
  const small = streamOf(allowance, "small");
  for (let n = 0; n < 5; n++) small.push(note(n, 100));
  const large = Array.from({ length: 20 }, (_, n) => streamOf(allowance, `l${n}`));
  for (let n = 0; n < 100; n++) {
    for (const stream of large) stream.push(note(n, 500));
    assert.ok(allowance.bytes <= 100_000, `${allowance.bytes}`);
  }
  assert.ok(allowance.bytes > 70_000, `${allowance.bytes}`);
  for (const stream of [small, ...large]) stream.finish();
  assert.deepEqual(await numbersOf(small.connect()), [0, 1, 2, 3, 4]);
  for (const stream of large) assert.equal((await numbersOf(stream.connect())).at(-1), 99);
});

Deno.test("what others were sent already, or do not listen for, goes before what a host that reads waits for", async () => {
  const allowance = new LogAllowance(115_000);
  const [sent, deaf, reading] = ["s", "d", "r"].map((name) => streamOf(allowance, name));
  assert.ok(sent && deaf && reading);
  await delivered(sent, 60, 500);
  for (let n = 0; n < 40; n++) deaf.push(note(n, 500));
  const body = reading.connect();
  for (let n = 0; n < 80; n++) reading.push(note(n, 500));
  assert.deepEqual(
    [deaf.held.messages, sent.held.messages < 60],
    [40, true],
    "what was delivered went first",
  );
  for (let n = 80; n < 140; n++) reading.push(note(n, 500));
  assert.ok(deaf.held.messages < 40 && allowance.bytes <= 115_000);
  reading.finish();
  assert.deepEqual(await numbersOf(body), Array.from({ length: 140 }, (_, n) => n));
});

Deno.test("while something else can go, what a host that reads waits for stays, however near to the limit it comes", async () => {
  const allowance = new LogAllowance(100_000);
  const [sent, reading] = [streamOf(allowance, "s"), streamOf(allowance, "r")];
  await delivered(sent, 20, 500);
  const body = reading.connect();
  for (let n = 0; n < 162; n++) reading.push(note(n, 500));
  assert.ok(sent.held.messages < 20 && allowance.bytes > 95_000, `${allowance.bytes}`);
  reading.finish();
  assert.deepEqual(await numbersOf(body), Array.from({ length: 162 }, (_, n) => n));
});

Deno.test("a stream that is closed counts no more", () => {
  const allowance = new LogAllowance();
  const streams = Array.from({ length: 3 }, (_, n) => streamOf(allowance, `${n}`));
  for (const stream of streams) stream.push(note(1, 100));
  assert.ok(allowance.bytes > 300);
  for (const stream of streams) stream.close();
  assert.equal(allowance.bytes, 0);
});
