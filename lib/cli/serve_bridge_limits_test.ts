import assert from "node:assert/strict";
import type { Api, ApiRequest, ApiResponse } from "./api.ts";
import { type BridgeOptions, bridgeStdio } from "./serve_bridge.ts";

interface Line {
  id?: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

const encoder = new TextEncoder();
const PING = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping","x-unknown":1}`;
const CALL = (id: number): string => PING(id).replace("ping", "tools/call");

function answer(text: string, { status = 200, headers = {} }: Partial<ResponseHead> = {}): ApiResponse {
  return {
    status,
    headers: new Map(Object.entries({ "content-type": "application/json", ...headers })),
    body: (async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(encoder.encode(text));
    })(),
  };
}

interface ResponseHead {
  status: number;
  headers: Record<string, string>;
}

/** A daemon in this process that says what it was sent. */
class Daemon {
  readonly sent: string[] = [];
  readonly open = new Set<object>();
  most = 0;
  answer: (request: ApiRequest, message: { id?: unknown; method?: string }) => Promise<ApiResponse> = (
    _request,
    { id },
  ) => Promise.resolve(answer(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}`));

  connect(): Promise<Api> {
    return Promise.resolve({
      request: async (request, signal): Promise<ApiResponse> => {
        if (request.body !== undefined) this.sent.push(request.body);
        const message = JSON.parse(request.body ?? "{}") as { id?: unknown; method?: string };
        const mark = {};
        this.open.add(mark);
        this.most = Math.max(this.most, this.open.size);
        const { promise, reject } = Promise.withResolvers<never>();
        const abort = (): void => reject(new Error("aborted"));
        promise.catch(() => {}); // told by the race
        signal.addEventListener("abort", abort, { once: true });
        try {
          return await Promise.race([this.answer(request, message), promise]);
        } finally {
          signal.removeEventListener("abort", abort);
          this.open.delete(mark);
        }
      },
      close: (): void => {},
    });
  }
}

/** Runs a bridge over these chunks and gives the lines that the host got. */
async function bridge(
  daemon: Daemon,
  chunks: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>,
  options: Partial<BridgeOptions> = {},
): Promise<Line[]> {
  const lines: string[] = [];
  await bridgeStdio({
    input: ReadableStream.from((async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) yield typeof chunk === "string" ? encoder.encode(chunk) : chunk;
    })()),
    write: (line) => {
      lines.push(line);
      return Promise.resolve();
    },
    connect: () => daemon.connect(),
    headers: {},
    maxLine: () => Promise.resolve(2 * 1024 * 1024),
    signal: new AbortController().signal,
    note: () => {},
    ...options,
  });
  for (const line of lines) assert.equal(line.indexOf("\n"), line.length - 1);
  return lines.map((line) => JSON.parse(line) as Line);
}

Deno.test("many messages in one chunk, one in many, and lines that end in CRLF are all the same to a bridge", async () => {
  const daemon = new Daemon();
  const text = `{"jsonrpc":"2.0","id":3,"method":"ping","x":"é😀"}`;
  const bytes = encoder.encode(text + "\r\n\r\n");
  const lines = await bridge(daemon, [
    `${PING(1)}\n${PING(2)}\r\n`,
    ...[...bytes].map((byte) => new Uint8Array([byte])),
    PING(4),
  ]);
  assert.deepEqual(lines.map(({ id }) => id).sort(), [1, 2, 3, 4]);
  assert.ok(daemon.sent.includes(text));
});

Deno.test("a line that is too long is refused with its id, its bytes are not kept, and the next line is served", async () => {
  const daemon = new Daemon();
  let asked = 0;
  const filler = new Uint8Array(1024 * 1024).fill(120);
  const maxLine = (): Promise<number> => {
    asked++;
    return Promise.resolve(2 * 1024 * 1024);
  };
  const before = Deno.memoryUsage().rss;
  const lines = await bridge(
    daemon,
    (function* (): Generator<string | Uint8Array> {
      yield '{"jsonrpc":"2.0","id":"first","method":"tools/call","params":{"a":"';
      for (let mb = 0; mb < 200; mb++) yield filler;
      yield '"}}\n';
      yield '{"method":"tools/call","params":{"a":"';
      for (let mb = 0; mb < 3; mb++) yield filler;
      yield `"},"id":7,"jsonrpc":"2.0"}\n{"a":{"id":5,"b":"`;
      for (let mb = 0; mb < 3; mb++) yield filler;
      yield `"}}\n${PING(8)}\n`;
    })(),
    { maxLine },
  );
  assert.ok(Deno.memoryUsage().rss - before < 150 * 1024 * 1024);
  assert.deepEqual(
    lines.map(({ id, error }) => [id, error?.code]),
    [["first", -32600], [7, -32600], [null, -32600], [8, undefined]],
  );
  assert.match(lines[0]?.error?.message ?? "", /http\.maxBody \(2097152 bytes\)/);
  assert.deepEqual([asked, daemon.sent.length], [1, 1]);
});

Deno.test("what is no message is told so: no UTF-8, no JSON, no object, an id that is null", async () => {
  const daemon = new Daemon();
  daemon.answer = () =>
    Promise.resolve(
      answer('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`id` is null."}}', {
        status: 400,
      }),
    );
  const lines = await bridge(daemon, [
    new Uint8Array([0x22, 0xff, 0x22, 10]),
    '{nope\n5\n"text"\n{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
  ]);
  assert.deepEqual(lines.map(({ error }) => error?.code), [-32700, -32700, -32600, -32600, -32600]);
  assert.equal(daemon.sent.length, 1);
});

Deno.test("an answer that does not name its request gets the id of the one that it answers", async () => {
  const daemon = new Daemon();
  daemon.answer = () =>
    Promise.resolve(
      answer('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too large"}}', { status: 413 }),
    );
  assert.deepEqual(await bridge(daemon, [PING(1)]), [
    { jsonrpc: "2.0", id: 1, error: { code: -32600, message: "too large" } },
  ]);
});

Deno.test("a request that is cancelled before its connection is there never reaches the daemon, in both eras", async () => {
  const daemon = new Daemon();
  const connecting = Promise.withResolvers<void>();
  const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';
  const initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}';
  daemon.answer = async (_request, { id, method }) => {
    // Keeps the only free connection.
    if (id === 4) await connecting.promise;
    return method === "initialize"
      ? answer('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}', {
        headers: { "mcp-session-id": "s" },
      })
      : id === undefined
      ? answer("", { status: 202 })
      : answer(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  };
  let count = 0;
  const lines = await bridge(
    daemon,
    (async function* (): AsyncGenerator<string> {
      yield `${initialize}\n${PING(4)}\n`;
      yield '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}\n';
      yield `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b",${meta}}}\n`;
      for (const id of [1, 2]) {
        yield `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}\n`;
      }
      connecting.resolve();
      yield await Promise.resolve(`${PING(3)}\n`);
    })(),
    {
      connect: async () => {
        if (count++ > 0) await connecting.promise;
        return await daemon.connect();
      },
    },
  );
  assert.deepEqual(lines.map(({ id }) => id).sort(), [0, 3, 4]);
  assert.equal(daemon.sent.some((line) => line.includes("tools/call") || line.includes("cancelled")), false);
});

Deno.test("a second initialize that is refused does not lose the session", async () => {
  const daemon = new Daemon();
  const sessions: (string | undefined)[] = [];
  daemon.answer = (request, { id, method }) => {
    if (request.method === "POST") sessions.push(request.headers["mcp-session-id"]);
    if (request.method !== "POST" || method !== "initialize") return Promise.resolve(answer("{}"));
    return Promise.resolve(
      sessions.length === 1
        ? answer(`{"jsonrpc":"2.0","id":${id},"result":{}}`, { headers: { "mcp-session-id": "one" } })
        : answer(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"again"}}`, { status: 400 }),
    );
  };
  const initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n';
  await bridge(daemon, [initialize, initialize, `${PING(1)}\n`]);
  assert.deepEqual(sessions, [undefined, "one", "one"]);
});

Deno.test("a host that does not read is not read from for ever, and gets everything once it reads", async () => {
  const daemon = new Daemon();
  let taken = 0;
  let made = 0;
  const reading = Promise.withResolvers<void>();
  const stalled = Promise.withResolvers<void>();
  daemon.answer = (_request, { id }) => {
    made++;
    return Promise.resolve(answer(`{"jsonrpc":"2.0","id":${id},"result":{}}`));
  };
  const filler = "x".repeat(1024 * 1024);
  const lines: string[] = [];
  const running = bridge(
    daemon,
    (async function* (): AsyncGenerator<string> {
      for (let id = 1; id <= 400; id++) {
        taken = id;
        // The bridge has stopped asking for more when nothing comes between two turns of the event loop.
        if (id === 300) setTimeout(() => stalled.resolve(), 200);
        yield await Promise.resolve(
          `{"jsonrpc":"2.0","id":${id},"method":"tools/call","x":"${id > 256 ? filler : ""}"}\n`,
        );
      }
    })(),
    {
      write: async (line) => {
        await reading.promise;
        lines.push(line);
      },
    },
  );
  await stalled.promise;
  // 256 at once, and 64 MiB of lines that wait.
  assert.ok(taken < 340, String(taken));
  assert.ok(made <= 256, String(made));
  reading.resolve();
  await running;
  assert.equal(lines.length, 400);
});

Deno.test("no more than 256 requests are at the daemon at once, and a waiting one can be cancelled", async () => {
  const daemon = new Daemon();
  const go = Promise.withResolvers<void>();
  daemon.answer = async (_request, { id }) => {
    if (daemon.open.size === 256) setTimeout(go.resolve, 20);
    await go.promise;
    return answer(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  };
  const calls = Array.from({ length: 600 }, (_, id) => CALL(id));
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":599}}';
  const lines = await bridge(daemon, [[...calls, cancel].join("\n")]);
  assert.deepEqual([daemon.most, lines.length], [256, 599]);
});

Deno.test("what is answered at once waits for no request that takes its time, and neither do answers nor cancellations", async () => {
  const daemon = new Daemon();
  const go = Promise.withResolvers<void>();
  const full = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  daemon.answer = async (_request, { id, method }) => {
    if (method === "notifications/cancelled") told.resolve();
    if (method === "initialize") {
      return answer('{"jsonrpc":"2.0","id":"i","result":{}}', { headers: { "mcp-session-id": "s" } });
    }
    if (method === "tools/call") {
      if (daemon.sent.length === 257) full.resolve();
      await go.promise;
    }
    if (id === undefined || method === undefined) return answer("", { status: 202 });
    return answer(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}`);
  };
  const calls = Array.from({ length: 300 }, (_, id) => CALL(id));
  const quick = new Set<unknown>();
  const answered = Promise.withResolvers<void>();
  const lines: Line[] = [];
  await bridge(
    daemon,
    (async function* (): AsyncGenerator<string> {
      yield '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{}}\n';
      yield calls.join("\n") + "\n";
      await full.promise;
      yield `${PING(1000)}\n{"jsonrpc":"2.0","id":1001,"method":"server/discover"}\n`;
      yield '{"jsonrpc":"2.0","id":"q","result":{}}\n';
      yield '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}\n';
      await Promise.all([answered.promise, told.promise]);
      assert.ok(daemon.sent.some((line) => line.includes('"id":"q"')));
      go.resolve();
    })(),
    {
      write: (text) => {
        const line: Line = JSON.parse(text);
        lines.push(line);
        if (Number(line.id) >= 1000) quick.add(line.id);
        if (quick.size === 2) answered.resolve();
        return Promise.resolve();
      },
    },
  );
  assert.deepEqual(lines.slice(0, 3).map(({ id }) => id).sort(), [1000, 1001, "i"]);
  assert.equal(lines.length, 303);
});

Deno.test("no more than 32 pings are at the daemon at once", async () => {
  const daemon = new Daemon();
  const go = Promise.withResolvers<void>();
  daemon.answer = async (_request, { id }) => {
    if (daemon.open.size === 32) go.resolve();
    await go.promise;
    return answer(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  };
  const pings = Array.from({ length: 100 }, (_, id) => PING(id));
  const lines = await bridge(daemon, [pings.join("\n")]);
  assert.deepEqual([daemon.most, lines.length], [32, 100]);
});

const MODERN = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';

Deno.test("of two ids that are one double the right one is cancelled, and a refusal carries every digit", async () => {
  const daemon = new Daemon();
  const [one, other] = ["9007199254740992", "9007199254740993"];
  const both = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  daemon.answer = async (request) => {
    if (daemon.sent.length === 2) both.resolve();
    await free.promise;
    const isOne = request.body?.includes(one) ?? false;
    return isOne ? answer(`{"jsonrpc":"2.0","id":${one},"result":{}}`) : answer("oops", { status: 500 });
  };
  const written: string[] = [];
  const call = (id: string): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{${MODERN}}}\n`;
  await bridge(
    daemon,
    (async function* (): AsyncGenerator<string> {
      yield call(one) + call(other);
      await both.promise;
      yield `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${other}}}\n`;
      yield call(other);
      free.resolve();
    })(),
    {
      write: (line) => {
        written.push(line);
        return Promise.resolve();
      },
    },
  );
  assert.equal(written.length, 2);
  assert.ok(written.includes(`{"jsonrpc":"2.0","id":${one},"result":{}}\n`), written.join(""));
  assert.ok(
    written.some((line) => line.startsWith(`{"jsonrpc":"2.0","id":${other},"error":{"code":-32603,`)),
  );
});

const stream = (...messages: string[]): ApiResponse =>
  answer(messages.map((one) => `data: ${one}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });

Deno.test("a request whose stream ends without its answer is answered with an error, and one that was answered is not", async () => {
  const daemon = new Daemon();
  daemon.answer = (_request, { id }) =>
    Promise.resolve(
      id === 1
        ? stream()
        : id === 2
        ? stream('{"jsonrpc":"2.0","id":1,"result":{}}', '{"jsonrpc":"2.0","id":2,"method":"roots/list"}')
        : stream(`{"jsonrpc":"2.0","id":${id},"result":{"x-unknown":1}}`),
    );
  const lines = await bridge(daemon, [CALL(1) + "\n", CALL(2) + "\n", CALL(9007199254740991) + "\n"]);
  const errors = lines.filter(({ error }) => error !== undefined);
  assert.deepEqual(errors.map(({ id, error }) => [id, error?.code]).sort(), [[1, -32603], [2, -32603]]);
  assert.match(errors[0]?.error?.message ?? "", /ended the stream without an answer.*outcome is unknown/);
  assert.equal(lines.length, 5);
});

Deno.test("a stream that breaks behind the answer does not answer twice", async () => {
  const daemon = new Daemon();
  daemon.answer = () =>
    Promise.resolve({
      ...stream(),
      body: (async function* (): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(encoder.encode('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'));
        throw new Error("broken");
      })(),
    });
  assert.deepEqual(await bridge(daemon, [CALL(1)]), [{ jsonrpc: "2.0", id: 1, result: {} }]);
});

Deno.test("of a batch each request is answered, in whatever way the daemon leaves it", async () => {
  const daemon = new Daemon();
  const batch = `[${CALL(1)},${CALL(2)},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":7,"result":{}}]`;
  const one = '{"jsonrpc":"2.0","id":1,"result":{}}';
  const refused = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}';
  const rows: [ApiResponse, unknown[]][] = [
    [stream(one), [1, 2]],
    [answer(`[${one}]`), [undefined, 2]],
    [answer("", { status: 202 }), [1, 2]],
    [answer(refused, { status: 400 }), [null]],
  ];
  for (const [response, ids] of rows) {
    daemon.answer = () => Promise.resolve(response);
    assert.deepEqual((await bridge(daemon, [batch])).map(({ id }) => id), ids);
  }
  daemon.answer = () => Promise.resolve(answer("", { status: 202 }));
  assert.deepEqual(await bridge(daemon, ['[{"jsonrpc":"2.0","method":"n"}]']), []);
});

Deno.test("a request that the host has cancelled is not answered when its stream ends or its daemon says nothing", async () => {
  for (const ending of [stream(), answer("", { status: 202 })]) {
    const daemon = new Daemon();
    const asked = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    daemon.answer = async (_request, { id, method }) => {
      if (method === "initialize") {
        return answer('{"jsonrpc":"2.0","id":0,"result":{}}', { headers: { "mcp-session-id": "s" } });
      }
      if (method === "notifications/cancelled") cancelled.resolve();
      if (id === undefined) return answer("", { status: 202 });
      asked.resolve();
      await cancelled.promise;
      return ending;
    };
    const lines = await bridge(
      daemon,
      (async function* (): AsyncGenerator<string> {
        yield `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n${CALL(1)}\n`;
        await asked.promise;
        yield '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n';
      })(),
    );
    assert.deepEqual(lines.map(({ id }) => id), [0]);
  }
});

Deno.test("when nobody reads any more the bridge ends at once with what writing threw", async () => {
  const daemon = new Daemon();
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`${PING(1)}\n`)),
  });
  await assert.rejects(
    bridge(daemon, [], { input: endless, write: () => Promise.reject(new Error("gone")) }),
    /gone/,
  );
});

Deno.test("after the host has closed its side, an answer that takes too long is not waited for", async () => {
  const daemon = new Daemon();
  daemon.answer = () => Promise.withResolvers<ApiResponse>().promise;
  assert.deepEqual(await bridge(daemon, [PING(1)], { settleMs: 20 }), []);
});

Deno.test("at the end every open request is waited for, also two of one id", async () => {
  const daemon = new Daemon();
  let count = 0;
  const second = Promise.withResolvers<void>();
  daemon.answer = async (_request, { id }) => {
    const n = ++count;
    if (n === 1) await second.promise;
    return answer(`{"jsonrpc":"2.0","id":${id},"result":{"n":${n}}}`);
  };
  const numbers: unknown[] = [];
  await bridge(daemon, [`${PING(1)}\n${PING(1)}\n`], {
    write: (line) => {
      numbers.push((JSON.parse(line) as Line).result?.n);
      second.resolve();
      return Promise.resolve();
    },
  });
  assert.deepEqual(numbers, [2, 1]);
});
