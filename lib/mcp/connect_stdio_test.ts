import assert from "node:assert/strict";
import {
  connectOptions,
  isRunning,
  logged,
  rawTarget,
  readLog,
  withRaw,
} from "../../tests/fixtures/servers/raw_server.ts";
import { McpxError } from "../errors/mod.ts";
import type { JsonObject } from "../schema/types.ts";
import { eventually } from "../../tests/support/world.ts";
import { connectUpstream } from "./mod.ts";
import type { ConnectOptions, UpstreamTarget } from "./mod.ts";

const EXTRA = { nested: [1, { deep: true }] };

function text(result: JsonObject): string {
  const [block] = result.content as { text: string }[];
  return block?.text ?? "";
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

function failsToConnect(target: UpstreamTarget, changes: Partial<ConnectOptions> = {}): Promise<McpxError> {
  return failure(connectUpstream(target, connectOptions(changes)));
}

for (const era of ["legacy", "modern"] as const) {
  const mode = era === "modern" ? "modern" : "";

  Deno.test(`${era}: what the server says of itself, its lists and its results arrive with every unknown member`, async () => {
    await withRaw(mode, async (server) => {
      assert.equal(server.era, era);
      assert.equal(server.protocolVersion, era === "modern" ? "2026-07-28" : "2025-11-25");
      assert.deepEqual(server.serverInfo, { name: "raw", version: "1", vendor: EXTRA });
      assert.deepEqual(server.capabilities.vendor, EXTRA);
      assert.equal(server.instructions, "be kind");
      const listing = await server.readListing();
      assert.equal(listing.tools.length, 9);
      assert.deepEqual([listing.prompts.length, listing.resources.length, listing.resourceTemplates.length], [
        3,
        3,
        1,
      ]);
      for (
        const entry of [
          ...listing.tools,
          ...listing.prompts,
          ...listing.resources,
          ...listing.resourceTemplates,
        ]
      ) {
        assert.deepEqual(entry.vendor, EXTRA);
      }
      assert.deepEqual(listing.warnings, []);
      const result = await server.request("tools/call", { name: "echo", arguments: { text: "日本語🧳" } });
      assert.equal(
        JSON.stringify(result),
        '{"content":[{"type":"hologram","x":1},{"type":"text","text":"日本語🧳"}],' +
          '"structuredContent":{"n":9007199254740993},"vendor":{"nested":[1,{"deep":true}]}}',
      );
    });
  });

  Deno.test(`${era}: an error of the server's comes with its own words, code and data`, async () => {
    await withRaw(mode, async (server) => {
      const error = await failure(server.request("tools/call", { name: "nope" }));
      assert.equal(error.code, "upstream-error");
      assert.equal(error.message, "Unknown tool: nope");
      assert.deepEqual(error.data, {
        code: -32602,
        message: "Unknown tool: nope",
        data: { name: "nope", vendor: EXTRA },
        method: "tools/call",
      });
    });
  });

  Deno.test(`${era}: giving a call up tells the server`, async () => {
    const log = await Deno.makeTempFile();
    await withRaw(mode, async (server) => {
      const caller = new AbortController();
      const call = failure(server.request("tools/call", { name: "hang" }, { signal: caller.signal }));
      const { id } = await logged(log, (entry) => entry.method === "tools/call");
      caller.abort();
      assert.equal((await call).code, "cancelled");
      const notice = await logged(log, (entry) => entry.method === "notifications/cancelled");
      assert.equal((notice.params as JsonObject).requestId, id);
    }, { env: { LOG: log } });
    await Deno.remove(log);
  });

  Deno.test(`${era}: progress keeps a call alive beyond its timeout, and the largest total bounds it`, async () => {
    await withRaw(mode, async (server) => {
      const steps: unknown[] = [];
      const slow = (changes: JsonObject): Promise<JsonObject> =>
        server.request("tools/call", { name: "slow", arguments: { steps: 8, every: 150 } }, {
          timeoutMs: 600,
          onProgress: (step) => steps.push(step),
          ...changes,
        });
      assert.equal(text(await slow({})), "done");
      assert.equal(steps.length, 8);
      assert.deepEqual(steps[0], { progress: 1, total: 8, message: "step 1" });
      const error = await failure(
        slow({ maxTotalMs: 450, timeoutName: "--timeout", maxTotalName: "pool.maxTotal" }),
      );
      assert.equal(error.code, "call-timeout");
      assert.deepEqual([error.data?.limit, error.data?.bound], ["pool.maxTotal", "total"]);
    });
  });
}

Deno.test("a modern request carries version, client and capabilities in _meta, and nothing of the handshake is sent", async () => {
  const log = await Deno.makeTempFile();
  await withRaw("modern", async (server) => {
    await server.request("tools/call", { name: "echo" }, { meta: { traceparent: "t" }, onLog: () => {} });
    const { params } = await logged(log, (entry) => entry.method === "tools/call");
    assert.deepEqual((params as JsonObject)._meta, {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "mcpx-test", version: "0" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } },
      "io.modelcontextprotocol/logLevel": "info",
      traceparent: "t",
    });
    const methods = (await readLog(log)).map((entry) => entry.method);
    assert.ok(!methods.includes("initialize") && !methods.includes("notifications/initialized"));
  }, { env: { LOG: log }, handlers: { "elicitation/create": () => Promise.resolve({}) } });
  await Deno.remove(log);
});

Deno.test("a modern server's list changes are subscribed to and told", async () => {
  const told = Promise.withResolvers<void>();
  const seen: string[] = [];
  await withRaw("modern", async () => {
    await told.promise;
    assert.ok(seen.includes("notifications/tools/list_changed"));
  }, {
    onNotification: (method) => {
      seen.push(method);
      if (method === "notifications/tools/list_changed") told.resolve();
    },
  });
});

const PROBES: [mode: string, era: string, why: string][] = [
  ["", "legacy", "refuses server/discover"],
  ["garble", "legacy", "answers server/discover with nothing usable"],
  ["deaf", "legacy", "leaves server/discover unanswered"],
  ["fragile", "legacy", "exits on server/discover"],
  ["refuse", "modern", "refuses the version first and offers it"],
  ["dual", "modern", "speaks both"],
];
for (const [mode, era, why] of PROBES) {
  Deno.test(`a server that ${why} is spoken to in the ${era} era`, async () => {
    await withRaw(mode, async (server) => {
      assert.equal(server.era, era);
      assert.equal((await server.readListing()).tools.length, 9);
    }, { probeTimeoutMs: mode === "deaf" ? 100 : 10_000 });
  });
}

Deno.test("a modern server without server/discover works when it is called modern", async () => {
  await withRaw("nodiscover", async (server) => {
    assert.equal(server.era, "modern");
    const listing = await server.readListing();
    assert.deepEqual([listing.tools.length, listing.prompts.length], [9, 3]);
  }, { protocol: "modern" });
});

Deno.test("a remembered era saves the probe, and a wrong memory is corrected", async () => {
  const log = await Deno.makeTempFile();
  await withRaw("", async (server) => {
    assert.equal(server.era, "legacy");
    assert.equal((await readLog(log))[0]?.method, "initialize");
  }, { remembered: "legacy", env: { LOG: log } });
  await withRaw("modern", (server) => Promise.resolve(assert.equal(server.era, "modern")), {
    remembered: "legacy",
  });
  await withRaw("", (server) => Promise.resolve(assert.equal(server.era, "legacy")), {
    remembered: "modern",
  });
  await Deno.remove(log);
});

for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
  Deno.test(`the revision ${version} is accepted`, async () => {
    await withRaw("", async (server) => {
      assert.equal(server.protocolVersion, version);
      assert.equal((await server.readListing()).tools.length, 9);
    }, { env: { VERSION: version } });
  });
}

Deno.test("a revision that mcpx does not speak is refused, naming it", async () => {
  const error = await failsToConnect(rawTarget("", { VERSION: "1999-01-01" }));
  assert.equal(error.code, "upstream-protocol");
  assert.match(error.message, /1999-01-01/);
});

Deno.test("text on standard output is skipped, with one note that shows a sample", async () => {
  const notes: string[] = [];
  await withRaw("noise", async (server) => {
    assert.equal((await server.readListing()).tools.length, 9);
  }, { onNote: (note) => notes.push(note) });
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? "", /Server starting v1/);
});

Deno.test("characters split over chunks arrive whole", async () => {
  await withRaw("split", async (server) => {
    const result = await server.request("tools/call", { name: "say" });
    assert.equal(text(result), "said");
    const echoed = await server.request("tools/call", {
      name: "echo",
      arguments: { text: "日本語🧳".repeat(50) },
    });
    assert.match(JSON.stringify(echoed), new RegExp(`"${"日本語🧳".repeat(50)}"`));
  });
});

Deno.test("a server that floods stderr is answered, and the tail is kept within its bound", async () => {
  await withRaw("flood", async (server) => {
    assert.equal((await server.readListing()).tools.length, 9);
    assert.equal(server.stderrTail().length, 4096);
    assert.match(server.stderrTail(), /^[ef\n]+$/);
  });
});

Deno.test("replies in JSON-RPC batches are understood", async () => {
  await withRaw("batch", async (server) => {
    assert.equal(text(await server.request("tools/call", { name: "say" })), "said");
  });
});

Deno.test("replies with foreign ids are noted and change nothing", async () => {
  const notes: string[] = [];
  await withRaw("foreign", async (server) => {
    assert.equal(text(await server.request("tools/call", { name: "say" })), "said");
  }, { onNote: (note) => notes.push(note) });
  assert.ok(notes.length > 0 && notes.every((note) => /answer/.test(note)), notes.join("\n"));
});

Deno.test("a result of 50 MB on one line arrives, in time linear in its size", async () => {
  await withRaw("", async (server) => {
    const time = async (mb: number): Promise<number> => {
      const since = performance.now();
      assert.equal(
        text(await server.request("tools/call", { name: "big", arguments: { mb } })).length,
        mb * 1024 * 1024,
      );
      return performance.now() - since;
    };
    await time(5);
    const small = await time(5);
    const large = await time(50);
    assert.ok(large < small * 60 + 2000, `${small} ms for 5 MB, ${large} ms for 50 MB`);
  });
});

Deno.test("a message above the limit fails the call that it answers, and the next call works", async () => {
  await withRaw("", async (server) => {
    const hanging = failure(server.request("tools/call", { name: "hang" }, { timeoutMs: 60_000 }));
    const error = await failure(server.request("tools/call", { name: "big", arguments: { mb: 2 } }));
    assert.equal(error.code, "upstream-protocol");
    assert.match(error.message, /larger than the limit/);
    assert.equal(text(await server.request("tools/call", { name: "say" })), "said");
    await server.close({ graceMs: 500 });
    await hanging;
  }, { maxMessageBytes: 1024 * 1024 });
});

Deno.test("lists are read to the last page, over an empty page and an empty cursor", async () => {
  await withRaw("page", async (server) => {
    const listing = await server.readListing();
    assert.equal(listing.tools.length, 9);
    assert.deepEqual([listing.prompts.length, listing.resources.length, listing.resourceTemplates.length], [
      3,
      3,
      1,
    ]);
    assert.deepEqual(listing.warnings, []);
  });
});

Deno.test("a cursor that repeats ends the reading, keeps what came and is reported", async () => {
  await withRaw("loop", async (server) => {
    const listing = await server.readListing();
    assert.equal(new Set(listing.tools.map((tool) => tool.name)).size, 9);
    assert.ok(listing.warnings.some((warning) => /tools\/list gives the cursor .* again/.test(warning)));
  });
});

Deno.test("one bad entry never hides the rest", async () => {
  await withRaw("odd,noprompts", async (server) => {
    const listing = await server.readListing();
    assert.deepEqual(listing.tools.map((tool) => [tool.name, tool.description]), [["first", "d"], [
      "last",
      "d",
    ]]);
    assert.deepEqual(listing.prompts, []);
    const warnings = listing.warnings.join("\n");
    for (const part of [/no object/, /no name/, /tool first more than once/, /prompts are broken/]) {
      assert.match(warnings, part);
    }
  });
});

Deno.test("a silent call fails by its timeout, which names the limit that fired, and the server is told", async () => {
  const log = await Deno.makeTempFile();
  await withRaw("", async (server) => {
    const error = await failure(
      server.request("tools/call", { name: "hang" }, { timeoutMs: 50, timeoutName: "pool.callTimeout" }),
    );
    assert.equal(error.code, "call-timeout");
    assert.match(error.message, /tools\/call hang.*pool\.callTimeout/);
    assert.equal(error.data?.limit, "pool.callTimeout");
    await logged(log, (entry) => entry.method === "notifications/cancelled");
  }, { env: { LOG: log } });
  await Deno.remove(log);
});

Deno.test("a question to a person stops the clock and is answered by the handler", async () => {
  let open = false;
  await withRaw("", async (server) => {
    const result = await server.request("tools/call", { name: "ask" }, {
      timeoutMs: 150,
      paused: () => open,
    });
    assert.equal(text(result), '{"action":"accept"}');
  }, {
    handlers: {
      "elicitation/create": (params) => {
        assert.deepEqual(params.vendor, EXTRA);
        open = true;
        return new Promise((resolve) =>
          setTimeout(() => {
            open = false;
            resolve({ action: "accept" });
          }, 500)
        );
      },
    },
  });
});

Deno.test("a request of the server's that nothing handles is answered with -32601, a failing handler with its error", async () => {
  await withRaw("", async (server) => {
    const ask = async (method: string): Promise<JsonObject> =>
      JSON.parse(text(await server.request("tools/call", { name: "ask", arguments: { method } })));
    assert.equal((await ask("sampling/createMessage")).code, -32601);
    assert.equal((await ask("toString")).code, -32601);
    assert.deepEqual(await ask("ping"), {});
    assert.deepEqual(await ask("roots/list"), { code: -1, message: "no roots" });
  }, {
    handlers: {
      "roots/list": () =>
        Promise.reject(
          new McpxError("upstream-error", "no roots", { data: { code: -1, message: "no roots" } }),
        ),
    },
  });
});

Deno.test("log entries reach the call that runs, and otherwise the connection", async () => {
  const loose: unknown[] = [];
  await withRaw("", async (server) => {
    const own: JsonObject[] = [];
    await server.request("tools/call", { name: "say" }, { onLog: (entry) => own.push(entry) });
    assert.deepEqual(own, [{ level: "info", data: "hello", vendor: EXTRA }]);
    assert.equal(loose.length, 0);
    await server.request("tools/call", { name: "say" });
    assert.equal(loose.length, 1);
  }, { onNotification: (_method, params) => loose.push(params) });
});

Deno.test("many concurrent calls each get their own answer", async () => {
  await withRaw("split", async (server) => {
    const texts = Array.from({ length: 200 }, (_, index) => `call ${index}`);
    const results = await Promise.all(
      texts.map((one) => server.request("tools/call", { name: "echo", arguments: { text: one } })),
    );
    assert.deepEqual(results.map((result) => (result.content as { text: string }[])[1]?.text), texts);
  });
});

Deno.test("a process killed during a call fails it with signal and stderr tail, and says that the outcome is unknown", async () => {
  await withRaw("", async (server) => {
    const error = await failure(server.request("tools/call", { name: "crash" }));
    assert.equal(error.code, "upstream-exited");
    assert.equal(error.data?.signal, "SIGKILL");
    assert.match(String(error.data?.stderrTail), /about to fall over/);
    assert.match(error.message, /outcome is unknown/);
    const end = await server.ended;
    assert.deepEqual([end.kind, end.signal], ["exited", "SIGKILL"]);
    const later = await failure(server.request("tools/call", { name: "say" }));
    assert.deepEqual([later.code, later.data?.sent], ["upstream-exited", false]);
  });
});

Deno.test("a call whose server dies of it is never sent again", async () => {
  const log = await Deno.makeTempFile();
  await withRaw("", async (server) => {
    const error = await failure(server.request("tools/call", { name: "count" }, { idempotent: true }));
    assert.deepEqual([error.code, error.data?.code], ["upstream-exited", 3]);
  }, { env: { LOG: log } });
  assert.equal((await readLog(log)).filter((entry) => entry.effect === "count").length, 1);
  await Deno.remove(log);
});

Deno.test("the child sees exactly the environment it was given", async () => {
  Deno.env.set("MCPX_TEST_SECRET", "s3cret");
  await withRaw("", async (server) => {
    const env = JSON.parse(text(await server.request("tools/call", { name: "env" })));
    assert.deepEqual(Object.keys(env).sort(), ["MODE", "OWN", "PATH"]);
  }, { env: { OWN: "1" } });
  Deno.env.delete("MCPX_TEST_SECRET");
});

Deno.test("closing ends a grandchild that ignores TERM", async () => {
  const PIDFILE = await Deno.makeTempFile();
  await withRaw("family", async () => {}, { env: { PIDFILE } });
  assert.equal(await isRunning(Number(await Deno.readTextFile(PIDFILE))), false);
  await Deno.remove(PIDFILE);
});

Deno.test("a child that exits by itself takes its grandchildren along", async () => {
  const PIDFILE = await Deno.makeTempFile();
  await withRaw("orphan", async (server) => {
    assert.equal((await server.ended).kind, "exited");
    const grandchild = Number(await Deno.readTextFile(PIDFILE));
    await eventually(async () => !await isRunning(grandchild), "the grandchild, which was killed, is gone");
  }, { env: { PIDFILE }, protocol: "legacy" });
  await Deno.remove(PIDFILE);
});

Deno.test("a wrapper shell's server ends with the shell", async () => {
  const log = await Deno.makeTempFile();
  const raw = rawTarget("", { LOG: log });
  const server = await connectUpstream(
    { ...raw, command: "sh", args: ["-c", `exec 3<&0; node ${raw.args[0]} <&3 & echo $! >&2; wait`] },
    connectOptions(),
  );
  const node = Number(server.stderrTail());
  assert.ok(await isRunning(node));
  await server.close({ graceMs: 500 });
  assert.equal(await isRunning(node), false);
  await Deno.remove(log);
});

Deno.test("a missing command names the PATH that was looked up and what to do", async () => {
  const error = await failsToConnect({
    ...rawTarget(),
    command: "no-such-npx",
    env: { PATH: "/opt/none:/usr/bin" },
  });
  assert.equal(error.code, "upstream-command-missing");
  assert.match(error.message, /no-such-npx.*\/opt\/none:\/usr\/bin/);
  assert.match(error.hint ?? "", /command -v no-such-npx/);
});

Deno.test("a missing working folder is said to be what is missing", async () => {
  const error = await failsToConnect({ ...rawTarget(), cwd: "/no/such/folder" });
  assert.equal(error.code, "upstream-cwd-missing");
  assert.match(error.message, /\/no\/such\/folder does not exist/);
});

Deno.test("a script without its interpreter is told apart from a missing one", async () => {
  const script = await Deno.makeTempFile();
  await Deno.writeTextFile(script, "#!/no/such/interpreter\n");
  await Deno.chmod(script, 0o755);
  const error = await failsToConnect({ ...rawTarget(), command: script });
  assert.equal(error.code, "upstream-command-missing");
  assert.match(error.message, /interpreter/);
  await Deno.remove(script);
});

Deno.test("a command that cannot be one is no unexpected failure, and what the system refused is told in its words", async () => {
  const rows: [Partial<UpstreamTarget & { kind: "stdio" }>, RegExp][] = [
    [{ command: "no\0de" }, /is not on PATH/],
    [{ command: "n".repeat(5000) }, /is not on PATH/],
    [{ command: "/tmp" }, /: \/tmp is no file\./],
    [{ args: ["x".repeat(200_000)] }, /Argument list too long/],
  ];
  for (const [target, message] of rows) {
    const error = await failsToConnect({ ...rawTarget(), ...target });
    assert.equal(error.code, "upstream-command-missing");
    assert.match(error.message, message);
  }
});

Deno.test("a process that ends before it answers gives status and last words", async () => {
  const error = await failsToConnect(rawTarget("die"));
  assert.equal(error.code, "upstream-start-exited");
  assert.equal(error.data?.code, 7);
  assert.match(error.message, /exit status 7.*no licence found/);
  assert.match(String(error.data?.stderrTail), /warming up/);
});

Deno.test("a process that stays silent fails by the start timeout and is gone", async () => {
  const log = await Deno.makeTempFile();
  const error = await failsToConnect(rawTarget("mute", { LOG: log }), {
    startTimeoutMs: 1500,
    probeTimeoutMs: 100,
  });
  assert.equal(error.code, "upstream-start-timeout");
  assert.match(error.message, /node.*1500 ms \(pool\.startTimeout\)/);
  const methods = (await readLog(log)).map((entry) => entry.method);
  assert.deepEqual(methods.slice(0, 2), ["server/discover", "initialize"]);
  await Deno.remove(log);
});

Deno.test("an opening that is given up ends the process", async () => {
  const caller = new AbortController();
  const log = await Deno.makeTempFile();
  const opening = failsToConnect(rawTarget("mute", { LOG: log }), { signal: caller.signal });
  await logged(log, (entry) => entry.method === "server/discover");
  caller.abort();
  assert.equal((await opening).code, "cancelled");
  await logged(log, (entry) => entry.end === true);
  await Deno.remove(log);
});

Deno.test("a start timeout longer than a system timer takes does not run out at once", async () => {
  const server = await connectUpstream(rawTarget(), connectOptions({ startTimeoutMs: 3_600_000_000 }));
  await server.close();
});
