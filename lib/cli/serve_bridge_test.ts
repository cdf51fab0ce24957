import assert from "node:assert/strict";
import { type FakeDaemon, run, TestWorld } from "./fake_daemon_test.ts";

interface Sent {
  id?: number;
  method?: string;
}

const lines = (...messages: unknown[]): string => messages.map((one) => JSON.stringify(one) + "\n").join("");
const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } };
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

function initializeAnswer(id: unknown, session: string): Response {
  return Response.json({ jsonrpc: "2.0", id, result: { protocolVersion: "2025-11-25", capabilities: {} } }, {
    headers: { "mcp-session-id": session },
  });
}

/** A daemon's MCP face: sessions, a stream of its own, and answers by method. */
function serveMcp(
  world: TestWorld,
  answers: Record<string, (id: unknown, request: Request) => Response | Promise<Response>>,
): { daemon: FakeDaemon; order: string[] } {
  const order: string[] = [];
  const daemon = world.serve({
    "POST /mcp": async (request) => {
      const message: Sent = JSON.parse(daemon.last.body);
      order.push(message.method ?? "answer");
      if (message.method === "initialize") return initializeAnswer(message.id, `s${order.length}`);
      if (message.id === undefined || message.method === undefined) {
        return new Response(null, { status: 202 });
      }
      return await (answers[message.method]?.(message.id, request) ?? new Response(null, { status: 400 }));
    },
    "GET /mcp": () =>
      new Response('id: 7\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n', {
        headers: { "content-type": "text/event-stream" },
      }),
    "DELETE /mcp": () => {
      order.push("DELETE");
      return new Response(null, { status: 204 });
    },
  });
  return { daemon, order };
}

Deno.test("a host's messages reach the daemon and its answers the host, session and version carried along", async () => {
  await using world = new TestWorld();
  const { daemon, order } = serveMcp(world, {
    "tools/list": (id) => Response.json({ jsonrpc: "2.0", id, result: { tools: [], big: 1 } }),
    "tools/call": (id) =>
      new Response(
        `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\ndata: {"jsonrpc":"2.0","id":${id},"result":{"n":9007199254740993}}\n\n`,
        { headers: { "content-type": "text/event-stream" } },
      ),
  });
  const { status, stdout, stderr } = await run(world, ["serve"], {
    stdin: lines(INITIALIZE, INITIALIZED, { jsonrpc: "2.0", id: 2, method: "tools/list" }, {
      jsonrpc: "2.0",
      id: 3,
      method: "tools/call",
      params: { name: "x" },
    }) + "not json\n",
  });
  assert.deepEqual([status, stderr], [0, ""]);
  const received = stdout.trim().split("\n");
  assert.ok(received.includes('{"jsonrpc":"2.0","id":3,"result":{"n":9007199254740993}}'), stdout);
  const ids = received.map((line) => JSON.parse(line)).map((one) => one.id ?? one.method ?? one.error.code);
  assert.equal(ids[0], 1);
  assert.deepEqual([...new Set(ids)].sort(), [
    -32700,
    1,
    2,
    3,
    "notifications/progress",
    "notifications/tools/list_changed",
  ]);
  assert.deepEqual([order[0], order[1], order.at(-1)], ["initialize", "notifications/initialized", "DELETE"]);
  const listing = daemon.requests.find((one) => one.body.includes("tools/list"))?.headers;
  assert.deepEqual(
    ["mcp-session-id", "mcp-protocol-version", "mcp-method"].map((name) => listing?.get(name) ?? null),
    ["s1", "2025-11-25", null],
  );
  assert.ok(listing?.get("x-mcpx-caller"));
});

Deno.test("a modern request carries its headers, and cancelling it closes its stream", async () => {
  await using world = new TestWorld();
  const gone = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const { daemon } = serveMcp(world, {
    "tools/call": (_id, request) => {
      request.signal.addEventListener("abort", () => gone.resolve());
      asked.resolve();
      return gone.promise.then(() => new Response(null));
    },
  });
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  const call = { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "zü", _meta } };
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } };
  const encoder = new TextEncoder();
  const openStdin = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      async start(controller): Promise<void> {
        controller.enqueue(encoder.encode(lines(call)));
        await asked.promise;
        controller.enqueue(encoder.encode(lines(cancel)));
        controller.close();
      },
    });
  const { status, stdout } = await run(world, ["serve"], { io: { openStdin } });
  await gone.promise;
  assert.deepEqual([status, stdout], [0, ""]);
  const sent = daemon.requests.find((one) => one.body.includes("tools/call"))?.headers;
  assert.deepEqual(
    ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"].map((name) =>
      sent?.get(name) ?? null
    ),
    ["2026-07-28", "tools/call", "=?base64?esO8?=", null],
  );
});

Deno.test("requests do not wait for one another, and a session that ended is begun again", async () => {
  await using world = new TestWorld();
  const second = Promise.withResolvers<void>();
  let refused = false;
  const { order } = serveMcp(world, {
    "slow": async (id) => {
      await second.promise;
      return Response.json({ jsonrpc: "2.0", id, result: {} });
    },
    "fast": (id) => {
      if (!refused) {
        refused = true;
        return new Response(null, { status: 404 });
      }
      second.resolve();
      return Response.json({ jsonrpc: "2.0", id, result: {} });
    },
  });
  const { stdout } = await run(world, ["serve"], {
    stdin: lines(INITIALIZE, INITIALIZED, { jsonrpc: "2.0", id: 2, method: "slow" }, {
      jsonrpc: "2.0",
      id: 3,
      method: "fast",
    }),
  });
  const ids = stdout.trim().split("\n").map((line) => JSON.parse(line)).flatMap((one) => one.id ?? []);
  assert.deepEqual(ids, [1, 3, 2]);
  assert.equal(order.filter((method) => method === "initialize").length, 2);
  assert.equal(order.filter((method) => method === "fast").length, 2);
});

Deno.test("a daemon that fails is answered for, so that the host does not wait for ever", async () => {
  await using world = new TestWorld();
  serveMcp(world, { "tools/list": () => new Response("oops", { status: 500 }) });
  const { stdout } = await run(world, ["serve"], {
    stdin: lines({ jsonrpc: "2.0", id: "a", method: "tools/list" }),
  });
  assert.deepEqual(JSON.parse(stdout), {
    jsonrpc: "2.0",
    id: "a",
    error: { code: -32603, message: "The daemon answered 500 without a message." },
  });
});
