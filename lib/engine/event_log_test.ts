import assert from "node:assert/strict";
import { EventLog, type LoggedEvent } from "./event_log.ts";

const shown = (events: LoggedEvent[]): string[] => events.map(({ type, seq }) => `${type} ${seq}`);

function filled(count: number, keep = 4): EventLog {
  const log = new EventLog({ run: "r1", keep: () => keep, now: () => 1000 });
  for (let at = 0; at < count; at++) log.publish("e", at);
  return log;
}

Deno.test("events are replayed from an id, a number or a time on", () => {
  const log = filled(3);
  assert.equal(log.lastId, "r1-3");
  assert.deepEqual(shown(log.replay({ after: "r1-1" })), ["e 2", "e 3"]);
  assert.deepEqual(shown(log.replay({ after: "2" })), ["e 3"]);
  assert.deepEqual(shown(log.replay({ after: "r1-3" })), []);
  assert.deepEqual(shown(log.replay({ after: "0" })), ["e 1", "e 2", "e 3"]);
  assert.deepEqual(log.replay({ since: 1001 }), []);
  assert.equal(log.replay({ since: 1000 }).length, 3);
  assert.deepEqual(log.replay(undefined), []);
});

Deno.test("where events between are lost, or are another run's, a gap comes first", () => {
  const log = filled(100);
  const [gap, first] = log.replay({ after: "r1-3" });
  assert.equal(gap?.type, "gap");
  assert.equal(gap?.seq, (first?.seq ?? 0) - 1);
  for (const after of ["r0-99", "r1-1000", "nonsense", ""]) {
    assert.equal(log.replay({ after })[0]?.type, "gap", after);
  }
  // Going on from the gap's own id loses nothing and tells no second one.
  assert.notEqual(log.replay({ after: gap?.id ?? "" })[0]?.type, "gap");
});

Deno.test("no more is kept than was asked for, and half as much again at no time", () => {
  const log = filled(10_000, 100);
  const kept = log.replay({ after: "r1-1" }).filter(({ type }) => type === "e");
  assert.ok(kept.length >= 100 && kept.length <= 150, String(kept.length));
  assert.equal(kept.at(-1)?.seq, 10_000);
});

Deno.test("a listener hears what was kept and what comes, until it is disposed", () => {
  const log = filled(2);
  const heard: number[] = [];
  {
    using _listening = log.listen(({ seq }) => heard.push(seq), { after: "1" });
    log.publish("e", 0);
  }
  log.publish("e", 0);
  assert.deepEqual(heard, [2, 3]);
});
