import assert from "node:assert/strict";
import { McpxError } from "../../errors/mod.ts";
import type { UpstreamConnection } from "../../mcp/mod.ts";
import type { InstanceView } from "../../pool/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import { type DeskBench, deskBench } from "./testing.ts";

const INSTANCE: InstanceView = {
  server: {
    name: "s",
    definition: "d",
    target: { kind: "stdio", command: "x", args: [], env: {} },
    protocol: "auto",
    sharing: "shared",
    scope: "global",
  },
  key: "global",
  callers: () => [],
};

/** A connection that answers requests as `respond` says. */
function connection(respond: (params: JsonObject) => Promise<JsonObject>): UpstreamConnection {
  const unused = (): never => assert.fail("it is not used");
  return {
    era: "legacy",
    protocolVersion: "2025-11-25",
    serverInfo: {},
    capabilities: {},
    ended: new Promise(() => undefined),
    stderrTail: () => "",
    request: (_method, params = {}) => respond(params),
    notify: unused,
    readListing: unused,
    close: unused,
  };
}

/** Makes a call in a request of its own. */
function call(
  bench: DeskBench,
  tool: string,
  respond: (params: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  return bench.desk.tasks.run(bench.caller(), { title: tool }, ({ work }) => {
    if (!work) return assert.fail("it runs as no work");
    return bench.desk.requests.exchange({
      connection: connection(respond),
      instance: INSTANCE,
      method: "tools/call",
      params: { name: tool, arguments: { x: 1 } },
      options: {},
      work,
      namespace: "s",
      asTask: false,
      waiting: {},
      roots: () => [{ uri: "file:///x" }],
    });
  });
}

/** The question that a call waits for. */
async function waitsFor(running: Promise<unknown>): Promise<string> {
  try {
    await running;
  } catch (thrown) {
    const error = McpxError.from(thrown);
    assert.equal(error.code, "waiting-input", error.message);
    return (error.data?.question as { id: string }).id;
  }
  assert.fail("it did not wait");
}

function ask(bench: DeskBench, signal: AbortSignal = new AbortController().signal): Promise<JsonObject> {
  const handler = bench.desk.requests.handlers(INSTANCE)["elicitation/create"];
  const properties = { name: { type: "string" } };
  return handler?.({ message: "?", requestedSchema: { properties } }, signal) ??
    assert.fail("there is no handler");
}

Deno.test("a question that was taken for a call's that is over passes to the others it may be of", async () => {
  await using bench = deskBench();
  const gates = [1, 2].map(() => Promise.withResolvers<JsonObject>());
  const [first, second] = gates.map(({ promise }) => call(bench, "ask", () => promise));
  const asked = ask(bench);
  const id = await waitsFor(first ?? Promise.resolve());
  gates[0]?.resolve({ content: [] });
  assert.equal(await waitsFor(second ?? Promise.resolve()), id);
  await bench.desk.broker.answer(id, { action: "accept", content: { name: "x" } }, { name: "me" });
  assert.deepEqual(await asked, { action: "accept", content: { name: "x" } });
  gates[1]?.resolve({ content: [] });
  await bench.desk.tasks.idle();
});

Deno.test("a question that its server withdraws, or that nobody's call raised, is no call's", async () => {
  await using bench = deskBench();
  const abort = new AbortController();
  const withdrawn = ask(bench, abort.signal);
  const [question] = await bench.desk.broker.list({ limit: 9 });
  assert.equal(question?.server, "s");
  abort.abort();
  assert.deepEqual(await withdrawn, { action: "cancel" });
  assert.equal((await bench.desk.broker.show(question?.id ?? "")).state, "cancelled");
});

Deno.test("inputs that a server wants are all answered before the request is made again, with its own params", async () => {
  await using bench = deskBench();
  const sent: JsonObject[] = [];
  const form = {
    method: "elicitation/create",
    params: { message: "?", requestedSchema: { properties: { n: { type: "integer" } } } },
  };
  const running = call(bench, "ask", (params) => {
    sent.push(params);
    return Promise.resolve(
      sent.length === 1
        ? {
          resultType: "input_required",
          inputRequests: { a: form, r: { method: "roots/list" } },
          requestState: "§1",
        }
        : { content: [], resultType: "complete" },
    );
  });
  const id = await waitsFor(running);
  await bench.desk.broker.answer(id, { action: "accept", content: { n: 1 } }, { name: "me" });
  await bench.desk.tasks.idle();
  assert.deepEqual(sent, [
    { name: "ask", arguments: { x: 1 } },
    {
      name: "ask",
      arguments: { x: 1 },
      inputResponses: { a: { action: "accept", content: { n: 1 } }, r: { roots: [{ uri: "file:///x" }] } },
      requestState: "§1",
    },
  ]);
});

Deno.test("a state without questions is brought back at once, and what was not offered is refused", async () => {
  await using bench = deskBench({ settings: { "elicit.sampling": "provider" } });
  let round = 0;
  const result = await call(
    bench,
    "ask",
    ({ requestState }) =>
      Promise.resolve(
        round++ === 0 ? { resultType: "input_required", requestState: "s" } : { content: [], requestState },
      ),
  );
  assert.equal(result.requestState, "s");
  const sampling = {
    resultType: "input_required",
    inputRequests: { a: { method: "sampling/createMessage", params: {} } },
  };
  await assert.rejects(call(bench, "ask", () => Promise.resolve(sampling)), { code: "upstream-protocol" });
  const unknown = { resultType: "input_required", inputRequests: { a: { method: "toString", params: {} } } };
  await assert.rejects(call(bench, "ask", () => Promise.resolve(unknown)), { code: "upstream-protocol" });
  assert.equal("sampling/createMessage" in bench.desk.requests.handlers(INSTANCE), false);
});
