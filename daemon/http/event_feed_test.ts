import assert from "node:assert/strict";
import { EventLog } from "../../lib/engine/event_log.ts";
import { eventFeed } from "./event_feed.ts";

/** Reads a feed's text until `enough` says so, then lets go of it. */
async function read(response: Response, enough: (text: string) => boolean): Promise<string> {
  const reader = (response.body ?? new ReadableStream()).getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!enough(text)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

function feed(log: EventLog, query = "", headers: Record<string, string> = {}): Response {
  return eventFeed(new Request(`http://localhost/v1/events${query}`, { headers }), log);
}

const newLog = (): EventLog => new EventLog({ run: "r", keep: () => 5, now: () => 0 });

Deno.test("a feed gives what comes after it was opened, with ids", async () => {
  const log = newLog();
  log.publish("old", 1);
  const response = feed(log);
  log.publish("question", { id: "elc-1" });
  const text = await read(response, (all) => all.includes("elc-1"));
  assert.doesNotMatch(text, /old/);
  assert.match(
    text,
    /^id: r-2\nevent: question\ndata: \{"at":"1970-01-01T00:00:00.000Z","data":\{"id":"elc-1"\}\}\n\n/m,
  );
});

Deno.test("a reader that comes back gets what it missed, or a gap", async () => {
  const log = newLog();
  for (let at = 1; at <= 4; at++) log.publish("e", at);
  const again = await read(feed(log, "", { "last-event-id": "r-2" }), (all) => all.includes("id: r-4"));
  assert.deepEqual([...again.matchAll(/^id: (.*)$/gm)].map(([, id]) => id), ["r-3", "r-4"]);
  for (let at = 5; at <= 60; at++) log.publish("e", at);
  const late = await read(feed(log, "?since=2"), (all) => all.includes("id: r-60"));
  assert.match(late, /event: gap/);
});

Deno.test("types narrow a feed, and an unreadable position is refused", async () => {
  const log = newLog();
  const response = feed(log, "?types=task,question");
  for (const type of ["lists", "task", "instance", "question"]) log.publish(type, {});
  const text = await read(response, (all) => all.includes("event: question"));
  assert.deepEqual([...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type), ["task", "question"]);
  assert.throws(() => feed(log, "?since=yesterday"), { code: "invalid-input" });
});

Deno.test("a reader that does not read holds nothing up, and is told of the gap", async () => {
  const log = newLog();
  const response = feed(log);
  for (let at = 0; at < 10_000; at++) log.publish("e", "x".repeat(1000));
  const text = await read(response, (all) => all.includes("id: r-10000"));
  assert.match(text, /event: gap/);
  assert.ok(text.length < 30_000, String(text.length));
});

Deno.test("a feed ends when the daemon leaves", async () => {
  const log = newLog();
  const response = feed(log);
  log.close();
  assert.equal(await read(response, () => false), ": \n\n");
});
