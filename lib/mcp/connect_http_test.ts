import assert from "node:assert/strict";
import {
  event,
  events,
  type HttpFixture,
  json,
  openEvents,
  type Received,
  result,
  rpcError,
  serveFixture,
  serveLegacy,
  serveModern,
} from "../../tests/fixtures/servers/http_server.ts";
import { connectOptions } from "../../tests/fixtures/servers/raw_server.ts";
import { McpxError } from "../errors/mod.ts";
import { connectUpstream } from "./mod.ts";
import type { ConnectOptions, UpstreamConnection, UpstreamTarget } from "./mod.ts";

type HttpTarget = UpstreamTarget & { kind: "http" };

function target(url: string, changes: Partial<HttpTarget> = {}): HttpTarget {
  return { kind: "http", url, headers: {}, transport: "auto", ...changes };
}

async function withServer(
  fixture: HttpFixture,
  use: (server: UpstreamConnection) => Promise<void>,
  { to, ...changes }: Partial<ConnectOptions> & { to?: Partial<HttpTarget> } = {},
): Promise<void> {
  await using served = fixture;
  const server = await connectUpstream(target(served.url, to), connectOptions(changes));
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

async function failure(work: Promise<unknown>): Promise<McpxError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof McpxError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "it did not fail" });
}

function failsToConnect(to: HttpTarget, changes: Partial<ConnectOptions> = {}): Promise<McpxError> {
  return failure(connectUpstream(to, connectOptions(changes)));
}

const isCall = (request: Received): boolean => request.message.method === "tools/call";

Deno.test("a legacy server gets its session and version on every later message, and a DELETE at the end", async () => {
  const fixture = serveLegacy();
  await withServer(fixture, async (server) => {
    assert.deepEqual([server.era, server.serverInfo.vendor, server.capabilities.vendor], ["legacy", 2, 1]);
    assert.deepEqual((await server.readListing()).tools, [{ name: "t" }]);
  });
  const later = fixture.received.slice(
    fixture.received.findIndex(({ message }) => message.method === "initialize") + 1,
  );
  assert.equal(later.at(-1)?.method, "DELETE");
  for (const { headers } of later) {
    assert.equal(headers.get("mcp-session-id"), "session-1");
    assert.equal(headers.get("mcp-protocol-version"), "2025-11-25");
  }
});

for (const status of [404, 405, 406]) {
  Deno.test(`a ${status} on the optional GET stream leaves the connection working`, async () => {
    await withServer(
      serveLegacy(({ method }) => method === "GET" ? new Response("no", { status }) : undefined),
      async (server) => assert.equal((await server.readListing()).tools.length, 1),
    );
  });
}

Deno.test("notifications on the standing stream are told, and it is taken up again where it ended", async () => {
  const told = Promise.withResolvers<void>();
  const seen: string[] = [];
  let streams = 0;
  const fixture = serveLegacy(({ method }) => {
    if (method !== "GET") return undefined;
    const text = event({ jsonrpc: "2.0", method: `n${++streams}`, params: {} }, {
      id: `e${streams}`,
      retry: 5,
    });
    return streams < 3 ? events(text) : openEvents(text).response;
  });
  await withServer(fixture, async () => {
    await told.promise;
    assert.deepEqual(seen, ["n1", "n2", "n3"]);
    const ids = fixture.received.filter(({ method }) => method === "GET")
      .map(({ headers }) => headers.get("last-event-id"));
    assert.deepEqual(ids, [null, "e1", "e2"]);
  }, {
    onNotification: (method) => {
      seen.push(method);
      if (method === "n3") told.resolve();
    },
  });
});

Deno.test("a standing stream that ends at once with nothing said is not opened in a tight loop, even where the server wishes for it", async () => {
  const again = Promise.withResolvers<void>();
  const times: number[] = [];
  const fixture = serveLegacy(({ method }) => {
    if (method !== "GET") return undefined;
    times.push(performance.now());
    if (times.length === 2) again.resolve();
    return events("retry: 0\n\n");
  });
  await withServer(fixture, async () => {
    await again.promise;
    const [first = 0, second = 0] = times;
    assert.ok(second - first >= 990, String(times));
  });
});

for (const status of [202, 204]) {
  Deno.test(`a request that is answered with ${status} and nothing else fails at once`, async () => {
    await withServer(
      serveLegacy((request) => isCall(request) ? new Response(null, { status }) : undefined),
      async (server) => {
        const error = await failure(server.request("tools/call", { name: "x" }));
        assert.equal(error.code, "upstream-protocol");
        assert.match(error.message, new RegExp(`${status} to a request`));
        await server.request("tools/list");
      },
    );
  });
}

Deno.test("a result by event stream comes with its progress and logs, each to its own call", async () => {
  const fixture = serveLegacy(({ message }) => {
    if (message.method !== "tools/call") return undefined;
    const { name, _meta } = message.params;
    return events(
      event(undefined, { id: "prime" }),
      event({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: _meta.progressToken, progress: 1 },
      }),
      event({ jsonrpc: "2.0", method: "notifications/message", params: { data: name } }),
      event(result(message, { name })),
    );
  });
  await withServer(fixture, async (server) => {
    const call = async (name: string): Promise<unknown[]> => {
      const seen: unknown[] = [];
      const value = await server.request("tools/call", { name }, {
        onProgress: ({ progress }) => seen.push(progress),
        onLog: ({ data }) => seen.push(data),
      });
      return [...seen, value.name];
    };
    assert.deepEqual(await Promise.all([call("a"), call("b")]), [[1, "a", "a"], [1, "b", "b"]]);
  });
});

Deno.test("a question on a call's stream is answered by POST", async () => {
  let stream: ReturnType<typeof openEvents> | undefined;
  let call: Received | undefined;
  const fixture = serveLegacy((request) => {
    if (isCall(request)) {
      call = request;
      stream = openEvents(event({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params: {} }));
      return stream.response;
    }
    if (request.message.id === "q" && call) {
      stream?.push(event(result(call.message, { answered: request.message.result })));
      stream?.end();
    }
    return undefined;
  });
  await withServer(fixture, async (server) => {
    assert.deepEqual(await server.request("tools/call", { name: "x" }), { answered: { action: "decline" } });
  }, { handlers: { "elicitation/create": () => Promise.resolve({ action: "decline" }) } });
});

Deno.test("a response stream that breaks is resumed after the server's retry time, and nothing is sent twice", async () => {
  let call: Received | undefined;
  const fixture = serveLegacy((request) => {
    if (isCall(request)) {
      call = request;
      return events(event(undefined, { id: "one", retry: 10 }));
    }
    if (request.headers.get("last-event-id") === "one" && call) {
      return events(event(result(call.message, { resumed: true }), { id: "two" }));
    }
    return undefined;
  });
  await withServer(fixture, async (server) => {
    assert.deepEqual(await server.request("tools/call", { name: "x" }), { resumed: true });
    assert.equal(fixture.received.filter(isCall).length, 1);
  });
});

Deno.test("a response stream that breaks without an event id leaves the outcome unknown, and nothing is sent twice", async () => {
  const fixture = serveLegacy((request) => isCall(request) ? events(": nothing\n\n") : undefined);
  await withServer(fixture, async (server) => {
    const error = await failure(server.request("tools/call", { name: "x" }, { idempotent: true }));
    assert.equal(error.code, "outcome-unknown");
    assert.match(error.message, /may have taken effect/);
    assert.equal(fixture.received.filter(isCall).length, 1);
  });
});

Deno.test("a forgotten session is replaced once for all calls, none is repeated, and the next call works", async () => {
  const fixture = serveLegacy();
  await withServer(fixture, async (server) => {
    fixture.forget();
    const errors = await Promise.all(
      ["a", "b", "c"].map((name) => failure(server.request("tools/call", { name }))),
    );
    for (const error of errors) {
      assert.deepEqual([error.code, error.data?.sessionRenewed], ["outcome-unknown", true]);
    }
    assert.equal(fixture.received.filter(isCall).length, 3);
    assert.equal(fixture.received.filter(({ message }) => message.method === "initialize").length, 2);
    await server.request("tools/call", { name: "d" });
    assert.equal(fixture.received.filter(isCall).at(-1)?.headers.get("mcp-session-id"), "session-2");
    fixture.forget();
    assert.equal((await server.readListing()).tools.length, 1);
  });
});

Deno.test("a call that learns late of its lost session does not replace the new one", async () => {
  const release = Promise.withResolvers<void>();
  const fixture = serveLegacy(({ message }) =>
    message.params?.name === "late"
      ? release.promise.then(() => new Response("gone", { status: 404 }))
      : undefined
  );
  await withServer(fixture, async (server) => {
    const late = failure(server.request("tools/call", { name: "late" }));
    await fixture.arrived(isCall);
    fixture.forget();
    await failure(server.request("tools/call", { name: "early" }));
    release.resolve();
    assert.equal((await late).code, "outcome-unknown");
    await server.request("tools/list");
    assert.equal(fixture.received.at(-1)?.headers.get("mcp-session-id"), "session-2");
  });
});

Deno.test("giving a legacy call up aborts its request and tells the server", async () => {
  const fixture = serveLegacy((request) => isCall(request) ? openEvents().response : undefined);
  await withServer(fixture, async (server) => {
    const caller = new AbortController();
    const call = failure(server.request("tools/call", { name: "x" }, { signal: caller.signal }));
    const { message, gone } = await fixture.arrived(isCall);
    caller.abort();
    assert.equal((await call).code, "cancelled");
    await gone;
    const notice = await fixture.arrived((request) => request.message.method === "notifications/cancelled");
    assert.equal(notice.message.params.requestId, message.id);
  });
});

Deno.test("giving a modern call up closes its stream and sends nothing", async () => {
  const fixture = serveModern((request) => isCall(request) ? openEvents().response : undefined);
  await withServer(fixture, async (server) => {
    const call = failure(
      server.request("tools/call", { name: "x" }, { timeoutMs: 100, timeoutName: "--timeout" }),
    );
    const { gone } = await fixture.arrived(isCall);
    const error = await call;
    assert.deepEqual([error.code, error.data?.limit], ["call-timeout", "--timeout"]);
    await gone;
    await server.request("tools/list");
    assert.ok(!fixture.received.some(({ message }) => message.method === "notifications/cancelled"));
  });
});

Deno.test("modern requests carry version, method and name as headers, and no session", async () => {
  const fixture = serveModern();
  await withServer(fixture, async (server) => {
    assert.deepEqual([server.era, server.serverInfo.name], ["modern", "modern"]);
    await server.request("tools/call", { name: "naïve" });
    await server.request("resources/read", { uri: "file:///a" });
  });
  const [discover, call, read] = fixture.received.map(({ headers }) => headers);
  assert.equal(discover?.get("mcp-method"), "server/discover");
  assert.equal(call?.get("mcp-protocol-version"), "2026-07-28");
  assert.equal(call?.get("mcp-name"), "=?base64?bmHDr3Zl?=");
  assert.equal(read?.get("mcp-name"), "file:///a");
  assert.ok(!fixture.received.some(({ headers }) => headers.has("mcp-session-id")));
});

const REGION_TOOL = {
  name: "deploy",
  inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
};

Deno.test("marked arguments are repeated as headers; a tool with a wrong mark is left out with a warning", async () => {
  const fixture = serveModern(({ message }) =>
    message.method === "tools/list"
      ? json(result(message, {
        tools: [REGION_TOOL, {
          name: "bad",
          inputSchema: { type: "object", properties: { x: { type: "object", "x-mcp-header": "X" } } },
        }],
      }))
      : undefined
  );
  await withServer(fixture, async (server) => {
    const listing = await server.readListing();
    assert.deepEqual(listing.tools, [REGION_TOOL]);
    assert.match(listing.warnings.join(), /bad was left out.*property x/);
    await server.request("tools/call", { name: "deploy", arguments: { region: "eu-日" } });
    assert.equal(fixture.received.at(-1)?.headers.get("mcp-param-region"), "=?base64?ZXUt5pel?=");
  });
});

Deno.test("a header mismatch makes the tools be read again and the call be sent once more", async () => {
  const fixture = serveModern(({ message, headers }) => {
    if (message.method === "tools/list") return json(result(message, { tools: [REGION_TOOL] }));
    if (message.method !== "tools/call" || headers.get("mcp-param-region") === "eu") return undefined;
    return json(rpcError(message, -32020, "HeaderMismatch"), { status: 400 });
  });
  await withServer(fixture, async (server) => {
    const value = await server.request("tools/call", { name: "deploy", arguments: { region: "eu" } });
    assert.equal(value.resultType, "complete");
    const error = await failure(
      server.request("tools/call", { name: "deploy", arguments: { region: "us" } }),
    );
    assert.deepEqual([error.code, error.data?.code], ["upstream-error", -32020]);
    assert.equal(fixture.received.filter(isCall).length, 4);
  });
});

Deno.test("an input_required result is given as it is", async () => {
  const asked = {
    resultType: "input_required",
    inputRequests: { q: { method: "elicitation/create" } },
    requestState: "s",
  };
  await withServer(
    serveModern((request) => isCall(request) ? json(result(request.message, asked)) : undefined),
    async (server) => assert.deepEqual(await server.request("tools/call", { name: "x" }), asked),
  );
});

Deno.test("a modern subscription that breaks is opened again, and the changes in between count as told", async () => {
  const told = Promise.withResolvers<void>();
  let listens = 0;
  const fixture = serveModern(({ message }) => {
    if (message.method !== "subscriptions/listen") return undefined;
    assert.deepEqual(message.params.notifications, { toolsListChanged: true });
    listens++;
    return listens === 1 ? events(": hello\n\n") : openEvents().response;
  }, { tools: { listChanged: true }, prompts: {} });
  await withServer(fixture, async () => {
    await told.promise;
    assert.equal(listens >= 1, true);
  }, {
    onNotification: (method) => {
      if (method === "notifications/tools/list_changed") told.resolve();
    },
  });
});

Deno.test("an unknown method of a modern server (404 with -32601) is the server's own error", async () => {
  await withServer(
    serveModern(({ message }) =>
      message.method === "x/y" ? json(rpcError(message, -32601, "no x/y"), { status: 404 }) : undefined
    ),
    async (server) => {
      const error = await failure(server.request("x/y"));
      assert.deepEqual([error.code, error.message, error.data?.status], ["upstream-error", "no x/y", 404]);
    },
  );
});

for (const status of [401, 403, 500, 503]) {
  Deno.test(`a ${status} is shown as it is, with nothing tried behind it`, async () => {
    await using fixture = serveFixture(() => new Response("go away", { status }));
    const error = await failsToConnect(target(fixture.url));
    assert.equal(error.code, status < 500 ? "upstream-unauthorized" : "upstream-http");
    assert.equal(error.data?.status, status);
    assert.match(error.message, new RegExp(`${status} \\(go away\\)`));
    assert.deepEqual(fixture.received.map(({ method }) => method), ["POST"]);
  });
}

/** A server of the oldest HTTP transport, which answers a POST to its event address with `status`. */
function serveSse(status: number): HttpFixture {
  let stream: ReturnType<typeof openEvents> | undefined;
  return serveFixture(({ method, message, headers }) => {
    if (method === "GET") {
      stream = openEvents("event: endpoint\ndata: /messages?session=1\n\n");
      return stream.response;
    }
    if (headers.has("accept") && headers.get("accept")?.includes("event-stream")) {
      return new Response("no", { status });
    }
    if (message.method === "initialize") {
      stream?.push(event(
        result(message, {
          protocolVersion: "2024-11-05",
          capabilities: { tools: {} },
          serverInfo: { name: "old" },
        }),
        { name: "message" },
      ));
    } else if (message.id !== undefined) {
      stream?.push(event(result(message, { tools: [{ name: "old" }], vendor: 1 })));
    }
    if (message.method === "end") stream?.end();
    return new Response("Accepted", { status: 202 });
  });
}

for (const status of [400, 404, 405]) {
  Deno.test(`a ${status} makes the older HTTP+SSE be tried, and it works`, async () => {
    await withServer(serveSse(status), async (server) => {
      assert.deepEqual([server.protocolVersion, server.serverInfo.name], ["2024-11-05", "old"]);
      assert.deepEqual((await server.readListing()).tools, [{ name: "old" }]);
    });
  });
}

Deno.test("HTTP+SSE can be asked for, and its lost stream ends the connection", async () => {
  await withServer(serveSse(500), async (server) => {
    assert.equal((await server.request("tools/list")).vendor, 1);
    await server.notify("end");
    const end = await server.ended;
    assert.equal(end.kind, "lost");
    assert.equal((await failure(server.request("tools/list"))).data?.sent, false);
  }, { to: { transport: "sse" } });
});

Deno.test("a 400 with a modern error is no reason to try HTTP+SSE", async () => {
  await using fixture = serveFixture(({ message }) =>
    json(rpcError(message, -32022, "version", { supported: ["2030-01-01"] }), { status: 400 })
  );
  const error = await failsToConnect(target(fixture.url));
  assert.equal(error.code, "upstream-protocol");
  assert.match(error.message, /2030-01-01/);
  assert.ok(fixture.received.every(({ method }) => method === "POST"));
});

Deno.test("where HTTP+SSE fails too, the first failure is the one told", async () => {
  await using fixture = serveFixture(() => new Response("nothing here", { status: 404 }));
  const error = await failsToConnect(target(fixture.url));
  assert.deepEqual([error.code, error.data?.status], ["upstream-http", 404]);
});

Deno.test("a server silent on the probe is sent initialize too", async () => {
  await withServer(
    serveFixture(({ method, message }) => {
      if (message.method === "server/discover") return openEvents().response;
      if (message.method === "initialize") {
        return json(result(message, { protocolVersion: "2025-03-26", capabilities: {}, serverInfo: {} }));
      }
      return new Response(null, { status: method === "GET" ? 405 : 202 });
    }),
    (server) => Promise.resolve(assert.equal(server.protocolVersion, "2025-03-26")),
    { probeTimeoutMs: 50 },
  );
});

Deno.test("refused, unresolvable, wrong TLS, silent and garbled servers give distinct reasons", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  assert.equal((await failsToConnect(target(`http://127.0.0.1:${port}/mcp`))).code, "upstream-refused");
  assert.equal((await failsToConnect(target("http://no-such-host.invalid/mcp"))).code, "upstream-dns");
  await using fixture = serveFixture(() =>
    new Response("<html><b>hi</b>", { headers: { "content-type": "text/html" } })
  );
  assert.equal((await failsToConnect(target(fixture.url.replace("http:", "https:")))).code, "upstream-tls");
  assert.equal((await failsToConnect(target(fixture.url))).code, "upstream-protocol");
  await using mute = serveFixture(() => openEvents().response);
  const silent = await failsToConnect(target(mute.url), { startTimeoutMs: 200, probeTimeoutMs: 50 });
  assert.equal(silent.code, "upstream-start-timeout");
  assert.equal((await failsToConnect(target("not a url"))).code, "server-config");
});

Deno.test("a redirect inside the origin is followed; one to elsewhere is refused and gets no credentials", async () => {
  await using elsewhere = serveFixture(() => new Response("stolen"));
  await using fixture = serveFixture(() =>
    new Response(null, { status: 307, headers: { location: elsewhere.url } })
  );
  const error = await failsToConnect(
    target(fixture.url, { headers: { authorization: "Bearer secret-token" } }),
  );
  assert.equal(error.code, "upstream-http");
  assert.match(error.message, /307.*not followed/);
  assert.equal(elsewhere.received.length, 0);
  let moved = false;
  await withServer(
    serveModern(() => {
      if (moved) return undefined;
      moved = true;
      return new Response(null, { status: 308, headers: { location: "/elsewhere" } });
    }),
    (server) => Promise.resolve(assert.equal(server.era, "modern")),
  );
});

Deno.test("credentials never come back in an error, even when the server repeats them", async () => {
  await using fixture = serveFixture(({ headers }) =>
    new Response(`bad token ${headers.get("authorization")} ${headers.get("x-key")}`, { status: 403 })
  );
  const error = await failsToConnect(
    target(`${fixture.url}?key=query-secret`, {
      headers: { authorization: "Bearer abc-secret", "x-key": "k-secret" },
    }),
  );
  assert.ok(!JSON.stringify([error.toBody(), String(error.stack)]).includes("secret"));
  const refused = await failsToConnect(target("http://127.0.0.1:9/mcp?key=query-secret"));
  assert.ok(!JSON.stringify([refused.toBody(), String(refused.cause ?? "")]).includes("secret"));
});

Deno.test("a 32 MB result arrives as JSON and as one event", async () => {
  const big = "x".repeat(32 * 1024 * 1024);
  const fixture = serveModern(({ message }) => {
    if (message.method === "as/json") return json(result(message, { big }));
    return message.method === "as/event" ? events(event(result(message, { big }))) : undefined;
  });
  await withServer(fixture, async (server) => {
    for (const method of ["as/json", "as/event"]) {
      assert.equal(((await server.request(method)).big as string).length, big.length);
    }
  });
});

Deno.test("an answer above the limit fails its call alone", async () => {
  const fixture = serveModern(({ message }) => {
    const big = "x".repeat(100_000);
    if (message.method === "as/json") return json(result(message, { big }));
    return message.method === "as/event" ? events(event(result(message, { big }))) : undefined;
  });
  await withServer(fixture, async (server) => {
    for (const method of ["as/json", "as/event"]) {
      const error = await failure(server.request(method));
      assert.deepEqual([error.code, error.data?.method], ["upstream-protocol", method]);
    }
    await server.request("tools/list");
  }, { maxMessageBytes: 50_000 });
});
