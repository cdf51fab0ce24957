import assert from "node:assert/strict";
import { CallClock, CallClocks, type Expiry } from "./call_clock.ts";

Deno.test("silence and total run out each by its own measure, and a pause counts for neither", () => {
  let paused = false;
  const clock = new CallClock(
    { timeoutMs: 100, maxTotalMs: 250, paused: () => paused, onExpire: () => {} },
    0,
  );
  assert.equal(clock.look(99), undefined);
  paused = true;
  assert.equal(clock.look(10_000), undefined);
  paused = false;
  assert.deepEqual(clock.look(10_001), { limit: "silence", ms: 100 });
  assert.deepEqual(clock.look(10_151), { limit: "total", ms: 250 });
});

Deno.test("clocks on one timer each expire in their turn, and a stopped one never does", async () => {
  const clocks = new CallClocks();
  const expired: string[] = [];
  const start = (name: string, timeoutMs: number): Promise<Expiry> =>
    new Promise((resolve) =>
      clocks.start({
        timeoutMs,
        onExpire: (expiry) => {
          expired.push(name);
          resolve(expiry);
        },
      })
    );
  const long = start("long", 60);
  clocks.stop(clocks.start({ timeoutMs: 10, onExpire: () => expired.push("stopped") }));
  const short = start("short", 20);
  clocks.start({ timeoutMs: 60_000, onExpire: () => expired.push("never") });
  assert.deepEqual(await short, { limit: "silence", ms: 20 });
  await long;
  assert.deepEqual(expired, ["short", "long"]);
  clocks.close();
});

Deno.test("a limit of months, longer than a system timer takes, does not make the timer ring at once", () => {
  const clocks = new CallClocks();
  const delays: unknown[] = [];
  const real = globalThis.setTimeout;
  const noting = (ring: () => void, ms?: number): unknown => {
    delays.push(ms);
    return real(ring, ms);
  };
  Object.defineProperty(globalThis, "setTimeout", { value: noting, configurable: true, writable: true });
  try {
    clocks.start({ timeoutMs: 3_600_000_000, maxTotalMs: 7_200_000_000, onExpire: () => {} });
  } finally {
    Object.defineProperty(globalThis, "setTimeout", { value: real, configurable: true, writable: true });
    clocks.close();
  }
  assert.deepEqual(delays, [2 ** 31 - 1]);
});
