import assert from "node:assert/strict";
import { modernRequest, RawHost } from "../support/mcp_host.ts";
import { fixtureServer } from "../support/world.ts";

const CAPABILITIES = '{"elicitation":{}}';
const ASK =
  '{"name":"ask","arguments":{"method":"elicitation/create","params":"{\\"message\\":\\"?\\",\\"requestedSchema\\":{}}"}}';

type Json = Record<string, unknown>;

async function open(): Promise<RawHost> {
  return await RawHost.open({ raw: { ...fixtureServer("verbatim.mjs"), mcpx: { prefix: "none" } } });
}

async function call(host: RawHost, params: string, headers: Record<string, string> = {}): Promise<Json> {
  const [body, own] = modernRequest("tools/call", params, { capabilities: CAPABILITIES });
  return (await host.post(body, { ...own, ...headers })).last;
}

async function park(host: RawHost, headers: Record<string, string> = {}): Promise<string> {
  const { result } = await call(host, ASK, headers);
  assert.equal((result as Json).resultType, "input_required");
  return (result as { requestState: string }).requestState;
}

const retry = (state: string, params = ASK): string =>
  `${params.slice(0, -1)},"inputResponses":{"elicitation-1":{"action":"decline"}},"requestState":${
    JSON.stringify(state)
  }}`;

function refusal({ error }: Json): { code: number; message: string; data?: Json } {
  assert.ok(error);
  return error as { code: number; message: string; data?: Json };
}

Deno.test("a call that waited in a daemon that was restarted is told to have been cancelled with it", async () => {
  await using before = await open();
  const state = await park(before);
  await using after = await open();
  const { code, message, data } = refusal(await call(after, retry(state)));
  assert.equal(code, -32602);
  assert.match(message, /restarted: the call was cancelled, and may or may not have taken effect/);
  assert.equal(data?.daemonRestarted, true);
  assert.match(JSON.stringify((await call(before, retry(state))).result), /decline/);
});

Deno.test("a state is of no use to another principal, and the call goes on waiting for its own", async () => {
  await using host = await open();
  const callers: Record<string, string>[] = [
    {},
    { authorization: "Bearer one" },
    { authorization: "Bearer two" },
    { "x-mcpx-caller": '{"session":"one"}' },
    { "x-mcpx-caller": '{"session":"two"}' },
    { "x-mcpx-caller": '{"session":"one","pid":7}' },
    { authorization: "Bearer one", "x-mcpx-caller": '{"session":"one"}' },
  ];
  for (const mine of callers) {
    const state = await park(host, mine);
    for (const other of callers.filter((one) => one !== mine)) {
      assert.equal(refusal(await call(host, retry(state), other)).code, -32602);
    }
    assert.match(JSON.stringify((await call(host, retry(state), mine)).result), /decline/);
  }
});

Deno.test("a state that was tampered with, guessed or used already is refused, whatever it looks like", async () => {
  await using host = await open();
  const state = await park(host);
  const [run = "", secret = ""] = state.split(".");
  assert.equal(secret.length, 32);
  const forged = [
    run,
    `${run}.`,
    `${run}.${"A".repeat(32)}`,
    state.slice(0, -1),
    `${state} `,
    `${state}\0`,
    "mcpx-parked:",
    "mcpx-parked:__proto__",
    `mcpx-parked:${"x".repeat(100_000)}`,
  ];
  for (const one of forged) {
    assert.equal(refusal(await call(host, retry(one))).code, -32602, one.slice(0, 80));
  }
  // The same request in another order is the same request; one more member is another.
  const [, args = ""] = /"arguments":(\{.*\})\}$/.exec(ASK) ?? [];
  const reordered = `{"arguments":${args},"name":"ask"}`;
  const other = retry(state, `{"arguments":${args},"name":"ask","x":1}`);
  assert.equal(refusal(await call(host, other)).code, -32602);
  assert.match(JSON.stringify((await call(host, retry(state, reordered))).result), /decline/);
  assert.match(refusal(await call(host, retry(state))).message, /it has ended, or is another's/);
});
