import assert from "node:assert/strict";
import { ScriptRunner } from "./runner.ts";
import { NO_GRANTS, RecordingPort, type RequestChange, runSource, scriptRequest } from "./testing.ts";
import type { ScriptOutcome } from "./types.ts";

const stateFolder = await Deno.makeTempDir();
const runner = new ScriptRunner({ stateFolder, prewarmed: 2, maxConcurrent: () => 4 });
Deno.test.afterAll(async () => {
  await runner.close();
  await Deno.remove(stateFolder, { recursive: true });
});
// The pool starts processes while a test ends: leaks are looked for on the runner as a whole, in its last test.
const shared = { sanitizeOps: false, sanitizeResources: false };

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, ...shared });
}

async function result(source: string, change?: RequestChange): Promise<unknown> {
  const { outcome } = await runSource(runner, source, change);
  assert.equal(outcome.error, undefined, JSON.stringify(outcome.error));
  return outcome.result === undefined ? undefined : JSON.parse(outcome.result);
}

async function error(source: string, change?: RequestChange): Promise<NonNullable<ScriptOutcome["error"]>> {
  const { outcome } = await runSource(runner, source, change);
  assert.ok(outcome.error !== undefined, `${source} should fail, gave ${outcome.result}`);
  return outcome.error;
}

test("a script sees its namespaces, tools, call, args and the unwrapped result with its envelope", async () => {
  const change = { args: '{"n":1}' };
  assert.deepEqual(
    await result(
      `const a = await demo.echo({ x: 1 });
       const b = await demo["get-user"]({ x: 2 });
       const c = await tools.demo.get_user({ x: 3 });
       const d = await call("demo.echo", { x: 4 });
       return [a, b, c, d, a.raw, Object.keys(a), args, await search("q", { limit: 3 }), await describe("demo.echo")];`,
      change,
    ),
    [
      { x: 1 },
      { x: 2 },
      { x: 3 },
      { x: 4 },
      { structuredContent: { x: 1 } },
      ["x"],
      { n: 1 },
      [{ query: "q", limit: 3 }],
      { name: "demo.echo" },
    ],
  );
});

test("awaiting a namespace does nothing, and a tool called then is then_", async () => {
  const { port } = await runSource(
    runner,
    "await files; await tools; await files.then_({}); await call('files.then', {});",
  );
  assert.deepEqual(port.calls, ["files.then {}", "files.then {}"]);
});

test("an unknown function rejects with what the port says, an unknown name lists the namespaces", async () => {
  assert.match((await error("await demo.nope({})")).message, /demo has echo and fail/);
  const unknown = await error("await dmo.echo({})");
  assert.match(unknown.message, /^dmo is not defined\. Namespaces: demo, files\.$/);
  assert.equal(unknown.hint, "Did you mean demo?");
});

test("a failed call rejects with a ToolError that knows what the port knows", async () => {
  assert.deepEqual(
    await result(
      `try { await demo.fail({}) } catch (e) {
         return [e instanceof ToolError, e instanceof Error, e.name, e.code, e.message, e.hint, e.data.id, e.diagnostics, e.raw];
       }`,
    ),
    [true, true, "ToolError", "tool-error", "No such user: 7.", "demo.get_user({ id: 8 })", 7, [{
      rule: "x",
    }], { isError: true }],
  );
  const left = await error("const a = 1;\n  await demo.fail({});");
  assert.equal(left.code, "tool-error");
  assert.match(left.stack ?? "", /script\.ts:2:3/);
});

test("a default export is called with args, and another export where it is asked for", async () => {
  assert.deepEqual(await result("export default function (a) { return [a, args] }", { args: "[1]" }), [[1], [
    1,
  ]]);
  assert.equal(await result("export const two = () => 2; export default () => 1;", { exportName: "two" }), 2);
  assert.equal(await result('import { call } from "mcpx"; return typeof call;'), "function");
  assert.match((await error('import { nope } from "mcpx"; nope();')).message, /has no export nope/);
});

test("results that JSON does not know are carried, or refused with their path", async () => {
  assert.deepEqual(
    await result(
      'return { d: new Date(0), m: new Map([["a", 1]]), p: new Map([[1, 2]]), s: new Set([1]), u: undefined }',
    ),
    { d: "1970-01-01T00:00:00.000Z", m: { a: 1 }, p: [[1, 2]], s: [1] },
  );
  const { outcome } = await runSource(
    runner,
    "return (await demo.echo({ id: 123456789012345678901n })).id + 1n",
  );
  assert.equal(outcome.result, "123456789012345678902");
  const cases: [string, RegExp][] = [
    ["return { a: [1, { f() {} }] }", /result\.a\[1\]\.f is a function/],
    ["const a = {}; a.b = { a }; return a", /result\.b\.a contains itself/],
    ["return { p: Promise.resolve() }", /result\.p is a promise: await it first/],
    ["return { b: new Uint8Array(3) }", /result\.b is binary data.*artifact/],
  ];
  for (const [source, expected] of cases) {
    const refused = await error(source);
    assert.equal(refused.code, "script-result");
    assert.match(refused.message, expected);
  }
  assert.equal((await runSource(runner, "")).outcome.result, undefined);
});

test("logs carry level, text and attributes, console.* too", async () => {
  const { port } = await runSource(
    runner,
    `log.info("a", { n: 1 }); log.with({ base: true }).warn("b", { n: 2 }); console.log("%s=%d", "x", 3, { y: [1n] });
     console.error(new Error("seen"));`,
  );
  assert.deepEqual(port.logs.slice(0, 2), [
    { level: "info", text: "a", attributes: '{"n":1}' },
    { level: "warn", text: "b", attributes: '{"base":true,"n":2}' },
  ]);
  assert.match(port.logs[2]?.text ?? "", /^x=3 \{/);
  assert.equal(port.logs[3]?.level, "error");
  assert.match(port.logs[3]?.text ?? "", /^Error: seen\n\s+at script\.ts:2:20$/);
});

test("artifacts take text, bytes and JSON values, and refuse the rest with a sentence", async () => {
  const { port, outcome } = await runSource(
    runner,
    `await artifact("a.md", "hä"); await artifact("b.bin", new Uint8Array([1, 255])); return await artifact("c", { x: [1] });`,
  );
  assert.equal(outcome.error, undefined);
  assert.deepEqual(port.artifacts.map(({ name, bytes, mimeType }) => [name, [...bytes], mimeType]), [
    ["a.md", [...new TextEncoder().encode("hä")], "text/markdown; charset=utf-8"],
    ["b.bin", [1, 255], "application/octet-stream"],
    ["c", [...new TextEncoder().encode('{"x":[1]}')], "application/json"],
  ]);
  for (const data of ['{ path: "/etc/passwd" }', "undefined", "() => 1", "Promise.resolve(1)"]) {
    assert.match((await error(`await artifact("x", ${data})`)).message, /^Cannot store the artifact: /, data);
  }
});

test("the web's own globals work without authority", async () => {
  assert.deepEqual(
    await result(
      `const u = new URL("../x?a=1#h", "https://user@example.org:8080/p/q"); u.searchParams.append("b", "ä b"); u.pathname = "/y";
       const c = new AbortController(); let why; c.signal.addEventListener("abort", () => { why = c.signal.reason.name }); c.abort();
       const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc")));
       await new Promise((r) => setTimeout(r, 1)); let ticks = 0;
       await new Promise((r) => { const i = setInterval(() => { if (++ticks === 3) { clearInterval(i); r() } }, 1) });
       const clone = structuredClone({ d: new Date(0), m: new Map([[1, new Set([2])]]) });
       return [u.href, why, digest.toHex().slice(0, 8), new TextDecoder().decode(new Uint8Array([0xe2, 0x82, 0xac, 0xff])),
         atob(btoa("x\\u00ff")).length, /^[0-9a-f-]{36}$/.test(crypto.randomUUID()), clone.m.get(1).has(2), ticks,
         new Intl.NumberFormat("de").format(1234.5), typeof performance.now(), typeof fetch, typeof Deno, typeof process];`,
    ),
    [
      "https://user@example.org:8080/y?a=1&b=%C3%A4+b#h",
      "AbortError",
      "ba7816bf",
      "€\ufffd",
      2,
      true,
      true,
      3,
      "1.234,5",
      "number",
      "undefined",
      "undefined",
      "undefined",
    ],
  );
});

test("an error carries the script's own frames with the user's line and column, printed anew or not", async () => {
  const plain = await error("function boom(x: number) {\n  throw new Error('at ' + x);\n}\n\nboom(1);");
  assert.equal(plain.stack, "    at boom (script.ts:2:9)\n    at script.ts:5:1");
  const printed = await error(
    "enum E { A }\nfunction boom(x: number) {\n  throw new Error('at ' + x);\n}\n\n  boom(E.A);",
  );
  assert.equal(printed.stack, "    at boom (script.ts:3:9)\n    at script.ts:6:3");
  const late = await error("let a = 1;\nlet b = 1;   let a = 2;");
  assert.equal(late.code, "script-syntax");
  assert.deepEqual(late.data, { line: 2, column: 18 });
});

test("what goes wrong has its own code and sentence", async () => {
  const cases: [string, string, RegExp][] = [
    ["const a = (1 + ;", "script-syntax", /script\.ts:1:16/],
    ["throw 5", "script-error", /threw 5, which is no Error/],
    ["throw { toString() { throw 1 } }", "script-error", /which is no Error/],
    ["Promise.reject(new Error('lost')); await demo.never({});", "script-unhandled", /lost/],
    ["setTimeout(() => { throw new Error('late') }, 1); await demo.never({});", "script-unhandled", /late/],
    ["await new Promise(() => {})", "script-stalled", /never happen/],
    ["Deno.exit(3)", "script-error", /Deno is not defined/],
    ["await demo.echo('x')", "script-error", /arguments are one object.*not a string/],
    ["await demo.echo({ f() {} })", "script-error", /Cannot call demo\.echo: arguments\.f is a function/],
    ["(".repeat(100_000), "script-syntax", /nested too deeply/],
  ];
  for (const [source, code, message] of cases) {
    const failure = await error(source);
    assert.equal(failure.code, code, `${source.slice(0, 60)}: ${failure.message}`);
    assert.match(failure.message, message);
  }
});

test("every limit ends the run with its own sentence", async () => {
  const cases: [string, RequestChange["limits"] & object, string, RegExp][] = [
    ["for (;;);", { timeoutMs: 300 }, "script-timeout", /longer than 300 ms \(exec\.timeout\)/],
    ["await demo.never({})", { timeoutMs: 300 }, "script-timeout", /exec\.timeout/],
    ["for (;;);", { cpuSeconds: 0.5 }, "script-cpu", /0\.5 s of CPU time \(exec\.cpu\)/],
    [
      "for (let i = 0; i < 50; i++) await demo.echo({})",
      { maxCalls: 20 },
      "script-calls",
      /more than 20 calls/,
    ],
    ["for (;;) console.log('x'.repeat(1000))", { maxOutputBytes: 100_000 }, "script-output", /100000 bytes/],
    [
      "const x = 'x'.repeat(2e6); for (let i = 0; i < 40; i++) void demo.never({ x }); await demo.never({})",
      {},
      "script-calls",
      /open hold more than 64 MiB of arguments/,
    ],
    ["return 'x'.repeat(5000)", { maxResultBytes: 1000 }, "script-result", /exec\.maxResult/],
    ["const a = []; for (;;) a.push(new Array(1e5).fill(1.5))", {}, "script-memory", /exec\.heap/],
    ["const a = []; for (;;) a.push(new Uint8Array(5e7).fill(1))", {}, "script-memory", /./],
  ];
  for (const [source, limits, code, message] of cases) {
    const failure = await error(source, { limits });
    assert.equal(failure.code, code, `${source}: ${failure.message}`);
    assert.match(failure.message, message);
  }
});

test("an open question stops the clock of the script, but not the longest wait", async () => {
  const port = new RecordingPort();
  port.isPaused = true;
  const request = scriptRequest("await demo.never({})", { limits: { timeoutMs: 100, maxWaitMs: 500 } });
  const outcome = await runner.run(request, port, new AbortController().signal);
  assert.match(outcome.error?.message ?? "", /500 ms \(exec\.maxWait\)/);
  assert.equal(port.aborted, 1);
});

test("calls wait for their turn, none beyond the limit at once", async () => {
  const { port, outcome } = await runSource(
    runner,
    "return (await Promise.all(Array.from({ length: 300 }, (_, i) => demo.echo({ i })))).length",
    { limits: { maxConcurrentCalls: 8 } },
  );
  assert.equal(outcome.result, "300");
  assert.equal(port.mostOpen, 8);
  assert.equal(outcome.calls, 300);
});

test("what a script passes to its tools is not what it prints", async () => {
  const limits = { maxOutputBytes: 100_000 };
  const many = "for (let i = 0; i < 1000; i++) await demo.echo({ x: 'x'.repeat(1000) }); return 'ok'";
  assert.equal(await result(many, { limits }), "ok");
  assert.equal(await result("return (await demo.echo({ x: 'x'.repeat(9e6) })).x.length", { limits }), 9e6);
});

test("a caller who goes away ends the run and its calls", async () => {
  const port = new RecordingPort();
  const controller = new AbortController();
  const asked = Promise.withResolvers<void>();
  port.answer = (): Promise<string> => {
    asked.resolve();
    return new Promise(() => {});
  };
  const running = runner.run(scriptRequest("await demo.echo({})"), port, controller.signal);
  await asked.promise;
  controller.abort();
  assert.equal((await running).error?.code, "cancelled");
});

test("calls still open at the end are noted", async () => {
  const { outcome } = await runSource(runner, "demo.never({}); await demo.echo({}); return 1");
  assert.equal(outcome.result, "1");
  assert.deepEqual(outcome.notes, ["1 call was still open when the script ended."]);
});

test("read grants exactly its folder, by real path", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${folder}/in`);
    await Deno.writeTextFile(`${folder}/in/a.txt`, "inside");
    await Deno.writeTextFile(`${folder}/out.txt`, "outside");
    await Deno.symlink(`${folder}/out.txt`, `${folder}/in/link`);
    const grants = { ...NO_GRANTS, read: [`${folder}/in`] };
    const source = `const found = []; for await (const e of Deno.readDir(".")) found.push(e.name);
      const tries = [];
      for (const p of ["a.txt", "link", "../out.txt", "${folder}/out.txt", "/etc/passwd", "/proc/self/environ"]) {
        try { tries.push(await Deno.readTextFile(p)) } catch (e) { tries.push(e.name) }
      }
      return [found.sort(), tries, (await Deno.stat("a.txt")).size, Object.keys(Deno), typeof fetch];`;
    assert.deepEqual(await result(source, { grants }), [
      ["a.txt", "link"],
      ["inside", "NotCapable", "NotCapable", "NotCapable", "NotCapable", "NotCapable"],
      6,
      ["readFile", "readTextFile", "readDir", "stat"],
      "undefined",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

test("write grants the scratch folder only", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${folder}/scratch`);
    await Deno.symlink(folder, `${folder}/scratch/up`);
    const grants = { ...NO_GRANTS, write: `${folder}/scratch` };
    const source = `await Deno.mkdir("a/b", { recursive: true }); await Deno.writeTextFile("a/b/c", "x");
      await Deno.writeTextFile("gone", "y"); await Deno.remove("gone");
      const tries = [];
      for (const p of ["up/x", "../x", "/tmp/x-mcpx"]) {
        try { await Deno.writeTextFile(p, "z"); tries.push(p) } catch (e) { tries.push(e.name) }
      }
      return [await Deno.readTextFile("a/b/c"), tries];`;
    assert.deepEqual(await result(source, { grants }), ["x", ["NotCapable", "NotCapable", "NotCapable"]]);
    assert.deepEqual([...Deno.readDirSync(folder)].map((entry) => entry.name), ["scratch"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

test("net reaches the granted host and no other, env and run give what they name", async () => {
  const seen: string[] = [];
  const handler = (request: Request): Response => {
    seen.push(new URL(request.url).pathname);
    return request.url.endsWith("/big")
      ? new Response(new Uint8Array(17 * 2 ** 20))
      : Response.json({ method: request.method });
  };
  await using allowed = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handler);
  await using other = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handler);
  const host = (server: Deno.HttpServer<Deno.NetAddr>): string => `127.0.0.1:${server.addr.port}`;
  const grants = { ...NO_GRANTS, net: [host(allowed)], env: { NAME: "value" }, run: ["/bin/echo"] };
  const source = `const tries = [];
    for (const u of ["http://${host(other)}/secret", "http://${host(allowed)}/big", "file:///etc/passwd"]) {
      try { await fetch(u); tries.push(u) } catch (e) { tries.push(e.name) }
    }
    const r = await fetch("http://${host(allowed)}/ok", { method: "POST", body: "x" });
    let refused; try { await new Deno.Command("/bin/cat", { args: ["/etc/passwd"] }).output() } catch (e) { refused = e.name }
    const said = await new Deno.Command("/bin/echo", { args: ["hi"] }).output();
    return [tries, r.status, r.headers.get("content-type"), (await r.json()).method, Deno.env.get("NAME"), Deno.env.get("PATH"),
      new TextDecoder().decode(said.stdout), refused];`;
  assert.deepEqual(await result(source, { grants }), [
    ["NotCapable", "Error", "NotCapable"],
    200,
    "application/json",
    "POST",
    "value",
    null,
    "hi\n",
    "NotCapable",
  ]);
  assert.deepEqual(seen, ["/big", "/ok"]);
});

test("the self-start path runs scripts as the host file does", async () => {
  const entry = new URL("./host_entry.ts", import.meta.url).pathname;
  const command: [string, ...string[]] = [
    Deno.execPath(),
    "run",
    "-A",
    "--no-config",
    "--unstable-worker-options",
    entry,
    "__sandbox",
  ];
  const folder = await Deno.makeTempDir();
  try {
    await using self = new ScriptRunner({
      stateFolder: folder,
      prewarmed: 0,
      host: { kind: "self", command },
    });
    const { outcome } = await runSource(
      self,
      "enum A { B = 2 }; return [await demo.echo({ a: A.B }), typeof Deno];",
    );
    assert.equal(outcome.result, '[{"a":2},"undefined"]');
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a closed runner leaves no process, and queues before it closes", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const small = new ScriptRunner({
      stateFolder: folder,
      prewarmed: 1,
      maxConcurrent: () => 1,
      maxQueued: 1,
    });
    const signal = new AbortController().signal;
    const first = small.run(scriptRequest("return 1"), new RecordingPort(), signal);
    const second = small.run(scriptRequest("return 2"), new RecordingPort(), signal);
    await assert.rejects(small.run(scriptRequest("return 3"), new RecordingPort(), signal), {
      code: "queue-full",
    });
    assert.deepEqual([(await first).result, (await second).result], ["1", "2"]);
    await small.close();
    assert.equal(small.status.idle, 0);
    await assert.rejects(small.run(scriptRequest("return 4"), new RecordingPort(), signal), {
      code: "daemon-stopping",
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
