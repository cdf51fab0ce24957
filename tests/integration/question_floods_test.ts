import assert from "node:assert/strict";
import { eventually, fixtureServer, World } from "../support/world.ts";

type Json = Record<string, unknown>;

async function withFlooder(run: (world: World) => Promise<void>): Promise<void> {
  await using world = await World.open({
    mcpServers: { flooder: fixtureServer("flooder.mjs"), plain: fixtureServer("plain_tools.mjs") },
  });
  assert.equal((await world.run(["ls"])).code, 0);
  await run(world);
}

async function call(world: World, tool: string, args: Json): Promise<{ status: number; body: Json }> {
  const response = await world.http("/v1/call", {
    method: "POST",
    body: JSON.stringify({ tool, arguments: args }),
  });
  return { status: response.status, body: await response.json() };
}

async function openQuestions(world: World): Promise<Json[]> {
  const { questions } = await (await world.http("/v1/elicit?limit=10000")).json();
  return questions;
}

/** What the daemon's process holds in memory, in MiB. */
async function residentMib(world: World): Promise<number> {
  const { pid } = await world.daemon();
  const kib = /VmRSS:\s+(\d+)/.exec(await Deno.readTextFile(`/proc/${pid}/status`))?.[1];
  return Number(kib) / 1024;
}

Deno.test("a call that asks thirty thousand times is bounded, and others are answered meanwhile", () =>
  withFlooder(async (world) => {
    const before = await residentMib(world);
    const flooded = await call(world, "flooder.flood", { count: 30_000, bytes: 1000, open: true });
    assert.equal(flooded.status, 202);
    for (let at = 0; at < 20; at++) {
      const started = performance.now();
      assert.deepEqual((await call(world, "plain.echo", { at })).body.result, { at });
      assert.ok(performance.now() - started < 5000);
    }
    await eventually(async () => (await openQuestions(world)).length === 100, "a hundred questions are open");
    assert.ok(await residentMib(world) - before < 300);
    const started = performance.now();
    assert.equal((await world.run(["stop"])).code, 0);
    assert.ok(performance.now() - started < 8000);
  }));

Deno.test("what is beyond the bound is cancelled at once, and a call that goes on after that gives its result", () =>
  withFlooder(async (world) => {
    const { body } = await call(world, "flooder.flood", { count: 1000, bytes: 10 });
    const { task } = (body.error as { data: { task: string } }).data;
    let answered = 0;
    await eventually(async () => {
      for (const { id } of await openQuestions(world)) {
        const answer = { method: "POST", body: '{"content":{"name":"x"}}' };
        if ((await world.http(`/v1/elicit/${id}/answer`, answer)).status === 200) answered++;
      }
      const { task: now } = await (await world.http(`/v1/tasks/${task}`)).json();
      return now.state === "completed";
    }, "the call is done");
    const { result } = await (await world.http(`/v1/tasks/${task}/result`)).json();
    assert.deepEqual(result, { answers: 1000, cancelled: 1000 - answered });
    assert.ok(answered >= 100 && answered < 1000, `${answered} were asked`);
  }));

Deno.test("messages beyond what is kept are not asked, however few they are", () =>
  withFlooder(async (world) => {
    const { body } = await call(world, "flooder.flood", { count: 50, bytes: 300_000 });
    assert.deepEqual(body.result, { answers: 50, cancelled: 50 });
    const many = await call(world, "flooder.flood", { count: 100, bytes: 250_000, open: true });
    assert.equal(many.status, 202);
    await eventually(async () => (await openQuestions(world)).length > 60, "they are open");
    const kept = (await openQuestions(world)).length * 250_000;
    assert.ok(kept <= 16 * 1024 * 1024, `${kept} bytes are kept`);
  }));

Deno.test("a server that asks without end and reads no answer takes no memory without end", () =>
  withFlooder(async (world) => {
    const abort = new AbortController();
    const body = JSON.stringify({ tool: "flooder.deaf", arguments: {} });
    const { socket } = await world.daemon();
    using client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
    const calling = fetch("http://localhost/v1/call", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
      signal: abort.signal,
      client,
    }).then((response) => response.text(), () => "");
    await eventually(async () => (await openQuestions(world)).length > 0, "it asks");
    const readings: number[] = [];
    for (let at = 0; at < 300; at++) {
      await call(world, "plain.echo", { at });
      readings.push(await residentMib(world));
    }
    assert.ok(Math.max(...readings) < 450, `${Math.max(...readings)} MiB`);
    abort.abort();
    await calling;
    assert.equal((await world.run(["stop"])).code, 0);
  }));
