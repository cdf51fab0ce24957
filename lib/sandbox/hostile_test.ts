import assert from "node:assert/strict";
import { ScriptRunner } from "./runner.ts";
import { RecordingPort, type RequestChange, runSource, scriptRequest } from "./testing.ts";
import type { ScriptOutcome } from "./types.ts";

/** One attack: what it tries, what stops it, and a control that shows the attack's own means work where they are harmless. */
interface Attack {
  name: string;
  source: string;
  /** The error code that ends it, or the JSON of a result that shows that nothing was reached. */
  ends: { code: string; message?: RegExp } | { result: string };
  control?: { source: string; result: string };
  limits?: RequestChange["limits"];
}

/** Tries every way from `object` to a function that compiles text, and says what that text could see. */
const REACH = `const reach = (o) => { const seen = [];
  for (const path of [(x) => x.constructor, (x) => x.constructor.constructor, (x) => Object.getPrototypeOf(x).constructor.constructor]) {
    try { const f = path(o); seen.push(typeof f("return typeof Deno + typeof process")()); } catch (e) { seen.push(e instanceof Error) }
  } return seen.every((s) => s === true || s !== "string"); };`;

function refusedImport(name: string, expression: string): Attack {
  return {
    name: `import: ${name}`,
    source:
      `try { await (${expression}); return "in" } catch (e) { return [e instanceof Error, typeof e.constructor] }`,
    ends: { result: '[true,"function"]' },
    control: { source: 'import { call } from "mcpx"; return typeof call', result: '"function"' },
  };
}

function noEscape(name: string, source: string): Attack {
  return {
    name: `escape: ${name}`,
    source: `${REACH} ${source}`,
    ends: { result: "true" },
    control: { source: "return ((a) => a.constructor === Object)({})", result: "true" },
  };
}

const LOOP = { timeoutMs: 300 };
const ATTACKS: Attack[] = [
  refusedImport("node", 'import("node:fs")'),
  refusedImport("npm", 'import("npm:chalk")'),
  refusedImport("jsr", 'import("jsr:@std/path")'),
  refusedImport("data", 'import("data:text/javascript,export default 1")'),
  refusedImport("file", 'import("file:///etc/passwd", { with: { type: "text" } })'),
  refusedImport("a computed name", 'import("no" + "de:os")'),
  refusedImport("by eval in a microtask", `Promise.resolve("import('node:os')").then(eval)`),
  refusedImport("by Function", "Function(\"return import('node:os')\")()"),
  refusedImport(
    "by an async function's constructor",
    "(async () => {}).constructor(\"return import('node:os')\")()",
  ),
  refusedImport("by indirect eval", "(0, eval)(\"import('node:os')\")"),
  {
    name: "import.meta",
    source: "return import.meta.url",
    ends: { code: "script-syntax" },
    control: { source: "return 'import.meta'", result: '"import.meta"' },
  },
  noEscape("a call's promise", "return reach(demo.echo({}))"),
  noEscape("a call's result", "return reach(await demo.echo({ a: {} }))"),
  noEscape(
    "a failed call",
    "try { await demo.fail({}) } catch (e) { return reach(e) && reach(e.data) && reach(e.diagnostics) }",
  ),
  noEscape("a refused import", 'try { await import("node:fs") } catch (e) { return reach(e) }'),
  noEscape(
    "every API object",
    "return [log, console, console.log, crypto, crypto.subtle, performance, setTimeout, URL, tools, args].every(reach)",
  ),
  noEscape("an error of URL", 'try { new URL("nope") } catch (e) { return reach(e) }'),
  noEscape(
    "a digest's refusal",
    'try { await crypto.subtle.digest("NOPE", new Uint8Array()) } catch (e) { return reach(e) }',
  ),
  noEscape(
    "running out of stack inside a host function",
    `let leak; const dig = () => { try { dig() } catch { for (const f of [() => performance.now(), () => console.log("x"), () => crypto.randomUUID(),
       () => new URL("http://a"), () => setTimeout(() => {}, 1), () => { demo.echo({}).catch(() => {}) }]) { try { f() } catch (e) { if (!(e instanceof Error)) leak = e } } } };
     dig(); return leak === undefined || reach(leak)`,
  ),
  noEscape(
    "call sites of a stack",
    `let sites; try { Error.prepareStackTrace = (_e, s) => { sites = s; return "" } } catch {} try { null.x } catch (e) { e.stack }
     return sites === undefined`,
  ),
  noEscape(
    "call sites through a replaced Error",
    `let sites; class Own extends Error { static prepareStackTrace(_e, s) { sites = s; return "" } }
     try { globalThis.Error = Own } catch {} try { Object.defineProperty(globalThis, "Error", { value: Own }) } catch {}
     try { null.x } catch (e) { e.stack } const o = {}; Error.captureStackTrace(o); o.stack; return sites === undefined`,
  ),
  noEscape(
    "patched call, apply and bind",
    `let got = []; for (const k of ["call", "apply", "bind"]) { const old = Function.prototype[k]; Function.prototype[k] = function (...a) {
       got.push(this); return Reflect.apply(old, this, a) } }
     await demo.echo({}); console.log("x"); performance.now(); crypto.randomUUID(); new URL("http://a/b");
     return got.every((f) => f instanceof Function)`,
  ),
  noEscape(
    "getters and setters on Object.prototype",
    `let got = []; for (const k of ["t", "id", "post", "host", "body", "error", "then"]) Object.defineProperty(Object.prototype, k, {
       configurable: true, set(v) { got.push(this, v) }, get() { got.push(this); return undefined } });
     await demo.echo({ a: 1 }); console.log("x"); for (const k of ["t", "id", "post", "host", "body", "error", "then"]) delete Object.prototype[k];
     return got.filter((o) => typeof o === "object" && o !== null).every((o) => o instanceof Object || Object.getPrototypeOf(o) === null)`,
  ),
  noEscape(
    "patched array and map methods",
    `const got = []; for (const P of [Array.prototype, Map.prototype, Set.prototype, WeakSet.prototype, Promise.prototype]) {
       for (const k of Object.getOwnPropertyNames(P)) { const old = Object.getOwnPropertyDescriptor(P, k).value; if (typeof old !== "function" || k === "constructor") continue;
         P[k] = function (...a) { for (let i = 0; i < a.length; i++) got[got.length] = a[i]; return Reflect.apply(old, this, a) } } }
     await demo.echo({ a: 1 }); console.log("x", [1]); let ok = true;
     for (let i = 0; i < got.length; i++) { const o = got[i]; if ((typeof o === "object" || typeof o === "function") && o !== null && !(o instanceof Object) && Object.getPrototypeOf(o) !== null) ok = false }
     return ok`,
  ),
  noEscape(
    "the caller of a callback",
    "const f = function () { return f.caller }; try { return [1].map(f)[0] === null } catch { return true }",
  ),
  noEscape(
    "host globals",
    `return ["Deno", "process", "require", "fetch", "Worker", "BroadcastChannel", "caches", "navigator", "postMessage", "self", "close", "importScripts",
       "WebAssembly", "SharedArrayBuffer", "Atomics", "localStorage", "onmessage", "addEventListener", "reportError", "WebSocket", "EventSource", "prompt", "Buffer"]
       .every((k) => typeof globalThis[k] === "undefined")`,
  ),
  noEscape(
    "the prelude's own functions",
    "return typeof $start === 'undefined' && Object.getOwnPropertyNames(globalThis).every((k) => !/host|post|PRELUDE/.test(k))",
  ),
  {
    name: "an error outside the wrapper",
    source: "await demo.never({}) }); throw new Error('outside'); (() => {",
    ends: { code: "script-unhandled", message: /outside/ },
  },
  {
    name: "code outside the wrapper",
    source: "await null; return globalThis.hacked }); globalThis.hacked = typeof Deno; (() => {",
    ends: { result: '"undefined"' },
  },
  {
    name: "closing the wrapper early",
    source: "return 1 }); globalThis.hacked = typeof Deno; console.log((() => { return typeof Deno",
    ends: { code: "script-syntax" },
    control: { source: "return typeof hacked", result: '"undefined"' },
  },
  {
    name: "loop",
    source: "for (;;);",
    ends: { code: "script-timeout" },
    limits: LOOP,
    control: { source: "for (let i = 0; i < 1e6; i++); return 1", result: "1" },
  },
  {
    name: "loop behind an await",
    source: "await demo.echo({}); for (;;);",
    ends: { code: "script-timeout" },
    limits: LOOP,
  },
  { name: "microtask loop", source: "for (;;) await null", ends: { code: "script-timeout" }, limits: LOOP },
  {
    name: "loop in finally",
    source: "for (;;) { try { throw 1 } finally { continue } }",
    ends: { code: "script-timeout" },
    limits: LOOP,
  },
  {
    name: "regular-expression bomb",
    source: 'return /^(a+)+$/.test("a".repeat(40) + "b")',
    ends: { code: "script-timeout" },
    limits: LOOP,
    control: { source: 'return /^(a+)+$/.test("aaa")', result: "true" },
  },
  {
    name: "loop in a result's getter",
    source: "return { get x() { for (;;); } }",
    ends: { code: "script-timeout" },
    limits: LOOP,
  },
  {
    name: "loop in an error's message",
    source: "const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e",
    ends: { code: "script-timeout" },
    limits: LOOP,
  },
  {
    name: "timers without end",
    source: "setInterval(() => {}, 1); await demo.never({})",
    ends: { code: "script-timeout" },
    limits: LOOP,
  },
  {
    name: "heap bomb",
    source: "const a = []; for (;;) a.push({ a: new Array(1e4).fill({}) })",
    ends: { code: "script-memory" },
  },
  {
    name: "string bomb",
    source: 'let s = "x"; const a = []; for (;;) { s += s.slice(0, 1e7); a.push([...s.slice(0, 1e6)]) }',
    ends: { code: "script-memory" },
  },
  {
    name: "buffer bomb",
    source: "const a = []; for (;;) a.push(new Uint8Array(1e8).fill(1))",
    ends: { code: "script-memory" },
    control: { source: "return new Uint8Array(1e6).length", result: "1000000" },
  },
  {
    name: "deep recursion",
    source: "const f = () => f() + 1; return f()",
    ends: { code: "script-error", message: /call stack/ },
  },
  {
    name: "JSON bomb",
    source: "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a",
    ends: { code: "script-result", message: /nested deeper/ },
  },
  { name: "parser bomb", source: "[".repeat(200_000), ends: { code: "script-syntax" } },
  { name: "log flood", source: "for (;;) console.log('x'.repeat(1e4))", ends: { code: "script-output" } },
  { name: "emit flood", source: "for (;;) emit('x'.repeat(1e4))", ends: { code: "script-output" } },
  {
    name: "call flood",
    source: "for (;;) demo.echo({}).catch(() => {})",
    ends: { code: "script-calls" },
    limits: { maxCalls: 2000 },
    control: { source: "return (await Promise.all([demo.echo({}), demo.echo({})])).length", result: "2" },
  },
  { name: "result flood", source: "return 'x'.repeat(4e7)", ends: { code: "script-result" } },
  {
    name: "one endless record",
    source: "console.log('x'.repeat(2e7)); emit('x'.repeat(2e7)); return 1",
    ends: { code: "script-output" },
  },
  {
    name: "a forged line in a log",
    source: 'console.log("\\n{\\"t\\":\\"done\\",\\"open\\":0,\\"result\\":\\"666\\"}\\n"); return 1',
    ends: { result: "1" },
  },
  {
    name: "a forged line in a name",
    source: 'await call("demo.echo\\n{\\"t\\":\\"done\\",\\"open\\":0}", {}).catch(() => {}); return 1',
    ends: { result: "1" },
  },
  {
    name: "toJSON that lies",
    source: 'return { toJSON() { return { toJSON() { return "},{" } } } }',
    ends: { result: '"},{"' },
  },
  {
    name: "a proxy as result",
    source: "return new Proxy({}, { ownKeys() { throw new Error('trap') } })",
    ends: { code: "script-error", message: /trap/ },
  },
  {
    name: "a proxy as error",
    source: "throw new Proxy(new Error('x'), { get() { throw 1 }, getPrototypeOf() { throw 1 } })",
    ends: { code: "script-error", message: /cannot be read/ },
  },
  {
    name: "a thenable that never settles",
    source: "return { then() {} }",
    ends: { code: "script-stalled" },
    control: { source: "return { then(ok) { ok(1) } }", result: "1" },
  },
  {
    name: "two verdicts",
    source: "Promise.reject(1); return 2",
    ends: { code: "script-unhandled" },
    control: { source: "Promise.reject(1).catch(() => {}); return 2", result: "2" },
  },
  {
    name: "a file by artifact",
    source: 'await artifact("x", { path: "/etc/passwd" })',
    ends: { code: "script-error", message: /reads no file/ },
    control: { source: 'return (await artifact("x", "y")).name', result: '"x"' },
  },
  {
    name: "prototype pollution by a result",
    source: 'await demo.echo(JSON.parse(\'{"__proto__":{"polluted":1}}\')); return [{}.polluted ?? null]',
    ends: { result: "[null]" },
  },
  { name: "exiting", source: "Deno.exit(0)", ends: { code: "script-error" } },
  { name: "killing itself", source: 'process.kill(process.pid, "SIGKILL")', ends: { code: "script-error" } },
];

const INNOCENT =
  `let sum = 0; for (let i = 0; i < 400; i++) { sum += (await demo.echo({ i })).i; await new Promise((r) => setTimeout(r, 1)) } return sum`;

async function withRunner(fn: (runner: ScriptRunner, stateFolder: string) => Promise<void>): Promise<void> {
  const stateFolder = await Deno.makeTempDir();
  try {
    await using runner = new ScriptRunner({ stateFolder, prewarmed: 2, maxConcurrent: () => 5 });
    await fn(runner, stateFolder);
  } finally {
    await Deno.remove(stateFolder, { recursive: true });
  }
}

function check(attack: Pick<Attack, "ends">, outcome: ScriptOutcome): void {
  const { ends } = attack;
  if ("result" in ends) {
    assert.deepEqual([outcome.error, outcome.result], [undefined, ends.result]);
    return;
  }
  assert.equal(outcome.error?.code, ends.code, JSON.stringify(outcome.error) ?? `it gave ${outcome.result}`);
  if (ends.message !== undefined) assert.match(outcome.error?.message ?? "", ends.message);
}

Deno.test("attacks end alone, their controls work, and innocent runs beside them finish unharmed", async (t) => {
  await withRunner(async (runner) => {
    let attacking = true;
    const innocents = Array.from({ length: 2 }, async () => {
      const outcomes: ScriptOutcome[] = [];
      while (attacking) outcomes.push((await runSource(runner, INNOCENT)).outcome);
      return outcomes;
    });
    for (const attack of ATTACKS) {
      await t.step(attack.name, async () => {
        const { limits, control } = attack;
        const [{ outcome }, controlled] = await Promise.all([
          runSource(runner, attack.source, limits === undefined ? {} : { limits }),
          control === undefined ? undefined : runSource(runner, control.source),
        ]);
        check(attack, outcome);
        if (control !== undefined) {
          assert.equal(controlled?.outcome.result, control.result, controlled?.outcome.error?.message);
        }
      });
    }
    attacking = false;
    const finished = (await Promise.all(innocents)).flat();
    assert.ok(finished.length >= 2);
    for (const outcome of finished) assert.equal(outcome.result, "79800", outcome.error?.message);
  });
});

Deno.test("no import and no escape gets further under a profile that grants everything in part", async () => {
  await withRunner(async (runner, stateFolder) => {
    const folder = await Deno.realPath(stateFolder);
    const scratch = `${folder}/scratch`;
    await Deno.mkdir(scratch);
    const grants = {
      read: [folder],
      write: scratch,
      net: ["127.0.0.1:9"],
      run: ["/bin/echo"],
      env: { A: "b" },
    };
    const attacks = ATTACKS.filter(({ name }) =>
      /^(import|escape):/.test(name) && name !== "escape: host globals"
    );
    attacks.push(
      noEscape(
        "granted objects",
        "return [Deno, Deno.env, Deno.Command, Deno.readTextFile, fetch, Response, Headers].every(reach)",
      ),
      noEscape(
        "a refused file",
        'try { await Deno.readTextFile("/etc/shadow") } catch (e) { return reach(e) }',
      ),
      noEscape(
        "a refused command",
        'try { await new Deno.Command("/bin/cat").output() } catch (e) { return reach(e) }',
      ),
      noEscape("a failed fetch", 'try { await fetch("http://127.0.0.1:9/") } catch (e) { return reach(e) }'),
      noEscape(
        "what stays away",
        'return ["exit", "kill", "pid", "stdin", "stdout", "permissions"].every((k) => !(k in Deno))',
      ),
    );
    await Promise.all(attacks.map(async (attack) => {
      const { outcome } = await runSource(runner, attack.source, { grants });
      check(attack, outcome);
    }));
  });
});

Deno.test("nothing is asked of the network by any import, and the same address answers under net", async () => {
  const seen: string[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    seen.push(new URL(request.url).pathname);
    return new Response("export default 1", { headers: { "content-type": "text/javascript" } });
  });
  const host = `127.0.0.1:${server.addr.port}`;
  await withRunner(async (runner) => {
    for (
      const source of [
        `await import("http://${host}/a.js")`,
        `import x from "http://${host}/b.js"; return x`,
        `export * from "http://${host}/c.js"`,
        `await Promise.resolve("import('http://${host}/d.js')").then(eval)`,
        `/// <reference path="http://${host}/e.d.ts" />\nnew Function("x")`,
        `await fetch("http://${host}/f")`,
      ]
    ) {
      assert.equal((await runSource(runner, source)).outcome.ok, false, source);
    }
    assert.deepEqual(seen, []);
    const grants = { read: [], env: {}, run: [], net: [host] };
    const { outcome } = await runSource(runner, `return (await fetch("http://${host}/ok")).status`, {
      grants,
    });
    assert.equal(outcome.result, "200");
    const still = await runSource(runner, `await import("http://${host}/g.js")`, { grants });
    assert.equal(still.outcome.ok, false);
    assert.deepEqual(seen, ["/ok"]);
  });
});

/** A process that speaks as a broken-out sandbox might: `lines` after it was given a script. */
function liar(lines: string): [string, ...string[]] {
  return ["/bin/sh", "-c", `read init; echo '{"t":"ready"}'; read run; ${lines}; read more`];
}

Deno.test("a sandbox that does not keep to the protocol is ended", async (t) => {
  const say = (line: string): string => `echo '{"t":"parsed"}'; echo '${line}'`;
  const call = '{"t":"call","id":1,"op":"call","name":"demo.never","body":"{}"}';
  const cases: [name: string, lines: string, code: string][] = [
    ["the truth, as a control", say('{"t":"done","open":0,"result":"1"}'), "ok"],
    ["no JSON", say("hello"), "script-protocol"],
    ["an unknown kind", say('{"t":"exec","code":"1"}'), "script-protocol"],
    [
      "a request for more rights",
      say('{"t":"call","id":1,"op":"exec","name":"x","body":"{}"}'),
      "script-protocol",
    ],
    ["a result that is no JSON", say('{"t":"done","open":0,"result":"{"}'), "script-protocol"],
    [
      "arguments that are no object",
      say('{"t":"call","id":1,"op":"call","name":"x","body":"[]"}'),
      "script-protocol",
    ],
    [
      "an id that is no count",
      say('{"t":"call","id":-1,"op":"call","name":"x","body":"{}"}'),
      "script-protocol",
    ],
    ["an id used twice", say(`${call}'; echo '${call}`), "script-protocol"],
    ["a verdict before the script", `echo '{"t":"done","open":0}'`, "script-protocol"],
    ["ready twice", say('{"t":"ready"}'), "script-protocol"],
    ["an unknown error code", say('{"t":"fail","error":{"code":"root","message":"x"}}'), "script-protocol"],
    [
      "more calls open than allowed",
      `${say(call)}; ${say(call.replace('"id":1', '"id":2')).slice(23)}`,
      "script-protocol",
    ],
    ["a line without end", `echo '{"t":"parsed"}'; tr '\\0' x < /dev/zero`, "script-output"],
    ["an end without a word", `echo '{"t":"parsed"}'; exit 3`, "script-exited"],
  ];
  const stateFolder = await Deno.makeTempDir();
  try {
    for (const [name, lines, code] of cases) {
      await t.step(name, async () => {
        await using runner = new ScriptRunner({
          stateFolder,
          prewarmed: 0,
          isolation: "process",
          host: { kind: "self", command: liar(lines) },
        });
        const limits = {
          maxConcurrentCalls: 1,
          timeoutMs: 5000,
          maxResultBytes: 1000,
          maxOutputBytes: 100_000,
        };
        const { outcome } = await runSource(runner, "return 1", { limits });
        assert.equal(outcome.error?.code ?? "ok", code, outcome.error?.message);
      });
    }
  } finally {
    await Deno.remove(stateFolder, { recursive: true });
  }
});

Deno.test("a run cancelled again and again leaves no process behind", async () => {
  await withRunner(async (runner) => {
    for (let i = 0; i < 6; i++) {
      const controller = new AbortController();
      const running = runner.run(scriptRequest("for (;;);"), new RecordingPort(), controller.signal);
      controller.abort();
      await running.then(
        (outcome) => assert.equal(outcome.error?.code, "cancelled"),
        (error) => assert.equal(error.code, "cancelled"),
      );
    }
    assert.equal(runner.status.running, 0);
  });
  assert.deepEqual(await children(Deno.pid), []);
});

Deno.test({
  name: "a sandbox dies with the daemon, in a loop too",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const stateFolder = await Deno.makeTempDir();
    const here = new URL(".", import.meta.url);
    const program =
      `import { ScriptRunner } from "${here}runner.ts"; import { RecordingPort, scriptRequest } from "${here}testing.ts";
      const runner = new ScriptRunner({ stateFolder: "${stateFolder}", prewarmed: 0 });
      const port = new RecordingPort(); port.log = () => console.log("looping");
      await runner.run(scriptRequest("console.log(1); for (;;);"), port, new AbortController().signal);`;
    try {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-lock", "-"],
        stdin: "piped",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(program));
      await writer.close();
      const reader = child.stdout.getReader();
      assert.match(new TextDecoder().decode((await reader.read()).value), /looping/);
      const sandboxes = await children(child.pid);
      assert.equal(sandboxes.length, 1);
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
      const deadline = Date.now() + 5000;
      while (await alive(sandboxes[0] ?? 0)) {
        assert.ok(Date.now() < deadline, "the sandbox outlives its daemon");
      }
    } finally {
      await Deno.remove(stateFolder, { recursive: true });
    }
  },
});

async function children(pid: number): Promise<number[]> {
  const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
  return text.split(" ").filter((part) => part !== "").map(Number);
}

async function alive(pid: number): Promise<boolean> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
  return stat !== "" && !/\) [ZX] /.test(stat);
}
