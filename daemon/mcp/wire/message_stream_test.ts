import assert from "node:assert/strict";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import fc from "fast-check";
import { MessageLog } from "./message_log.ts";
import { MessageStream } from "./message_stream.ts";

const note = (n: number, size = 0): JsonObject => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { n, text: "x".repeat(size) },
});
const answer = (id: string, size = 0): JsonObject => ({
  jsonrpc: "2.0",
  id,
  result: { text: "y".repeat(size) },
});

interface Read {
  id: string | undefined;
  message: JsonObject;
}

/** What a body gives at once: up to where it waits, or to its end. */
async function readAll(body: ReadableStream<Uint8Array>): Promise<Read[]> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text.split("\n\n").filter((block) => block.includes("data: ")).map((block) => ({
    id: /^id: (.*)$/m.exec(block)?.[1],
    message: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null") as JsonObject,
  }));
}

function numbers(read: readonly Read[]): unknown[] {
  return read.map(({ message: { params, id } }) => id ?? (params as { n: number } | undefined)?.n);
}

Deno.test("what nobody reads is bounded in messages and bytes: the oldest notices go, the answer stays", async () => {
  const log = new MessageLog({ limits: { messages: 10, bytes: 10_000 } });
  const stream = new MessageStream({ log, name: "s" });
  stream.push(answer("early"), "early");
  for (let n = 0; n < 1000; n++) {
    stream.push(note(n, 500));
    assert.ok(log.spare.messages <= 10 && log.spare.bytes <= 10_000, JSON.stringify(log.spare));
  }
  stream.push(answer("a"), "a");
  stream.finish();
  assert.deepEqual(numbers(await readAll(stream.connect())), [
    "early",
    992,
    993,
    994,
    995,
    996,
    997,
    998,
    999,
    "a",
  ]);
});

Deno.test("the fullest stream of a session gives way first", async () => {
  const log = new MessageLog({ limits: { messages: 1000, bytes: 20_000 } });
  const [quiet, loud] = [new MessageStream({ log, name: "q" }), new MessageStream({ log, name: "l" })];
  for (let n = 0; n < 5; n++) quiet.push(note(n, 500));
  for (let n = 0; n < 1000; n++) loud.push(note(n, 500));
  quiet.finish();
  assert.deepEqual(numbers(await readAll(quiet.connect())), [0, 1, 2, 3, 4]);
  assert.ok(log.spare.bytes <= 20_000);
});

Deno.test("an answer without a connection that does not fit becomes an error of its request", async () => {
  const log = new MessageLog({ limits: { messages: 10, bytes: 1000 } });
  const stream = new MessageStream({ log, name: "s" });
  stream.push(answer("big", 5000), "big");
  stream.finish();
  const [read] = await readAll(stream.connect());
  assert.equal(read?.message.id, "big");
  assert.equal((read?.message.error as { code: number }).code, -32603);
  assert.ok(log.spare.bytes <= 1000);
});

Deno.test("an answer waits for its open connection whatever its size, and is not kept after that", async () => {
  const log = new MessageLog({ limits: { messages: 10, bytes: 1000 } });
  const stream = new MessageStream({ log, name: "s" });
  const body = stream.connect({ primes: true });
  stream.push(answer("big", 5000), "big");
  for (let n = 0; n < 100; n++) stream.push(note(n, 100));
  stream.finish();
  const read = await readAll(body);
  assert.ok(JSON.stringify(read[0]?.message).length > 5000);
  assert.ok(log.spare.bytes <= 1000);
  const [again] = await readAll(stream.connect({ after: 1 }));
  assert.ok((again?.message.error as { code: number }).code === -32603);
});

Deno.test("answers that an open connection never takes do not grow without end, and each request has its answer or an error", async () => {
  const log = new MessageLog();
  const stream = new MessageStream({ log });
  const body = stream.connect();
  let most = 0;
  for (let n = 0; n < 200; n++) {
    stream.push(answer(`a${n}`, 1024 ** 2), `a${n}`);
    most = Math.max(most, stream.held.bytes);
  }
  assert.ok(most < 70 * 1024 ** 2, `${most} bytes`);
  stream.finish();
  const read = await readAll(body);
  assert.deepEqual(numbers(read), Array.from({ length: 200 }, (_, n) => `a${n}`));
  assert.ok(read.some(({ message }) => message.error) && read.at(-1)?.message.result);
});

Deno.test("a stream without ids keeps nothing that was sent", async () => {
  const log = new MessageLog({ limits: { messages: 5, bytes: 1000 } });
  const stream = new MessageStream({ log });
  const body = stream.connect();
  for (let n = 0; n < 3; n++) stream.push(note(n));
  stream.finish();
  const read = await readAll(body);
  assert.deepEqual([numbers(read), read[0]?.id, log.spare.bytes], [[0, 1, 2], undefined, 0]);
});

Deno.test("an event to resume from comes first where nothing waits, and never before what waits", async () => {
  const fresh = new MessageStream({ log: new MessageLog(), name: "s" });
  const begun = fresh.connect({ primes: true });
  fresh.push(note(1));
  fresh.finish();
  assert.match(await new Response(begun).text(), /^id: s-1\ndata:\n\nid: s-2\nevent: message\n/);
  const waiting = new MessageStream({ log: new MessageLog(), name: "s" });
  waiting.push(note(1));
  waiting.finish();
  assert.match(
    await new Response(waiting.connect({ primes: true })).text(),
    /^: \n\nid: s-1\nevent: message\n/,
  );
});

Deno.test("a notice of a change that still waits is not said twice, and another one is", async () => {
  const stream = new MessageStream({ log: new MessageLog(), name: "s" });
  const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  const updated = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "a:b" } };
  for (let n = 0; n < 100; n++) for (const one of [changed, updated, note(1)]) stream.push(one);
  stream.finish();
  assert.equal((await readAll(stream.connect())).length, 102);
});

Deno.test("wherever a stream breaks, what is read before and after it is every message once and in order", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 8 }),
    fc.nat({ max: 100 }),
    async (bursts, cut) => {
      const stream = new MessageStream({ log: new MessageLog(), name: "s" });
      let n = 0;
      const push = (count: number): void => {
        for (let at = 0; at < count; at++) stream.push(note(n++));
      };
      const reader = stream.connect({ primes: true }).getReader();
      const decoder = new TextDecoder();
      let text = decoder.decode((await reader.read()).value);
      for (const burst of bursts) {
        push(burst);
        if (burst > 0) text += decoder.decode((await reader.read()).value);
      }
      await reader.cancel();
      push(3);
      stream.finish();
      // Of what was read the host has got only so much.
      const got = text.split("\n\n").filter((block) => block !== "");
      const kept = got.slice(0, Math.max(1, cut % (got.length + 1)));
      const last = /^id: s-(\d+)$/m.exec(kept.at(-1) ?? "")?.[1];
      const rest = await readAll(stream.connect({ after: Number(last) }));
      const before = kept.flatMap((block) =>
        [...block.matchAll(/"n":(\d+)/g)].map((match) => Number(match[1]))
      );
      assert.deepEqual([...before, ...numbers(rest)], Array.from({ length: n }, (_, at) => at));
    },
  ));
});

Deno.test("what was delivered is forgotten before anything that still waits, whatever holds more", async () => {
  const log = new MessageLog({ limits: { messages: 10, bytes: 100_000 } });
  for (let n = 0; n < 10; n++) {
    const reply = new MessageStream({ log, name: `r${n}` });
    const body = reply.connect();
    reply.push(answer(`${n}`), `${n}`);
    reply.finish();
    await readAll(body);
  }
  const standing = new MessageStream({ log, name: "s" });
  for (let n = 0; n < 10; n++) standing.push(note(n));
  standing.finish();
  assert.deepEqual(numbers(await readAll(standing.connect())), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

Deno.test("a host that reads is told everything on the stream of its own, however many answers are kept already", async () => {
  const log = new MessageLog({ limits: { messages: 20, bytes: 100_000 } });
  const standing = new MessageStream({ log, name: "s" });
  const body = standing.connect();
  for (let n = 0; n < 100; n++) {
    const reply = new MessageStream({ log, name: `r${n}` });
    const answers = reply.connect();
    reply.push(answer(`${n}`), `${n}`);
    reply.finish();
    assert.deepEqual(numbers(await readAll(answers)), [`${n}`]);
    standing.push(note(n));
  }
  standing.finish();
  assert.deepEqual(numbers(await readAll(body)), Array.from({ length: 100 }, (_, n) => n));
  assert.ok(log.spare.messages <= 20, JSON.stringify(log.spare));
});

Deno.test("what comes all at once over an open connection is not counted by messages, and without one it is", async () => {
  const updates = Array.from({ length: 3000 }, (_, n) => ({
    jsonrpc: "2.0",
    method: "notifications/resources/updated",
    params: { uri: `a:${n}`, n },
  }));
  for (const [isOpen, expected] of [[true, 3000], [false, 1000]] as const) {
    const stream = new MessageStream({ log: new MessageLog(), name: "s" });
    const body = isOpen ? stream.connect() : undefined;
    for (const update of updates) stream.push(update);
    stream.finish();
    assert.equal((await readAll(body ?? stream.connect())).length, expected);
  }
});

Deno.test("an open connection that takes nothing makes neither messages nor bytes grow without end", () => {
  const log = new MessageLog();
  const stream = new MessageStream({ log, name: "s" });
  stream.connect();
  for (let n = 0; n < 11_500; n++) stream.push(note(n));
  assert.equal(stream.held.messages, 11_000);
  for (let n = 0; n < 500; n++) stream.push(note(n, 50_000));
  assert.ok(stream.held.bytes <= 4 * 1024 ** 2, JSON.stringify(stream.held));
});

Deno.test("a notice that goes to many streams is written once, and each gives it an id of its own", async () => {
  let written = 0;
  const message: JsonObject = {
    jsonrpc: "2.0",
    method: "notifications/message",
    params: { toJSON: () => ({ n: ++written }) },
  };
  const texts: string[] = [];
  for (const name of ["a", "b", undefined]) {
    const stream = new MessageStream({ log: new MessageLog(), ...(name ? { name } : {}) });
    stream.push(message);
    stream.finish();
    texts.push(await new Response(stream.connect()).text());
  }
  const event =
    'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"n":1}}\n\n';
  assert.deepEqual(texts, [`: \n\nid: a-1\n${event}`, `: \n\nid: b-1\n${event}`, `: \n\n${event}`]);
});
