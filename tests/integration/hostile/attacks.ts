/** The profiles that every attack is tried in. */
export const PROFILES = ["none", "read", "net", "write"] as const;

/** One of them. */
export type Profile = (typeof PROFILES)[number];

/** One attack: what it tries, what stops it, and a control that shows the attack's own means work where they are harmless. */
export interface Attack {
  name: string;
  source: string;
  /** The error code that ends it, or the JSON of a result that shows that nothing was reached. */
  ends: { code: string; message?: RegExp } | { result: string };
  control?: { source: string; result: string };
  /** The profile of the control, where it needs one. */
  controlIn?: Profile;
  /** Settings of the run. */
  settings?: Record<string, unknown>;
  /** The profiles that it is tried in; default all. */
  profiles?: readonly Profile[];
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

/** Something that only a profile allows: refused everywhere else, and beyond what it grants. */
function refused(name: string, act: string, control?: Attack["control"] & { in: Profile }): Attack {
  return {
    name: `reach: ${name}`,
    source: `try { return ["done", await (async () => { ${act} })()] } catch { return "refused" }`,
    ends: { result: '"refused"' },
    ...(control === undefined ? {} : { control, controlIn: control.in }),
  };
}

const LOOP = { "exec.timeout": "200ms" };

/** Everything that is tried. */
export const ATTACKS: readonly Attack[] = [
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
    `return ["process", "require", "Worker", "BroadcastChannel", "caches", "navigator", "postMessage", "self", "close", "importScripts",
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
    profiles: ["none"],
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
    settings: LOOP,
    control: { source: "for (let i = 0; i < 1e6; i++); return 1", result: "1" },
  },
  {
    name: "loop behind an await",
    source: "await demo.echo({}); for (;;);",
    ends: { code: "script-timeout" },
    settings: LOOP,
  },
  { name: "microtask loop", source: "for (;;) await null", ends: { code: "script-timeout" }, settings: LOOP },
  {
    name: "loop in finally",
    source: "for (;;) { try { throw 1 } finally { continue } }",
    ends: { code: "script-timeout" },
    settings: LOOP,
  },
  {
    name: "regular-expression bomb",
    source: 'return /^(a+)+$/.test("a".repeat(40) + "b")',
    ends: { code: "script-timeout" },
    settings: LOOP,
    control: { source: 'return /^(a+)+$/.test("aaa")', result: "true" },
  },
  {
    name: "loop in a result's getter",
    source: "return { get x() { for (;;); } }",
    ends: { code: "script-timeout" },
    settings: LOOP,
  },
  {
    name: "loop in an error's message",
    source: "const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e",
    ends: { code: "script-timeout" },
    settings: LOOP,
  },
  {
    name: "timers without end",
    source: "setInterval(() => {}, 1); await demo.never({})",
    ends: { code: "script-timeout" },
    settings: LOOP,
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
  {
    name: "log flood",
    source: "for (;;) console.log('x'.repeat(1e4))",
    ends: { code: "script-output" },
    settings: { "exec.maxOutput": "1MB" },
  },
  {
    name: "emit flood",
    source: "for (;;) emit('x'.repeat(1e4))",
    ends: { code: "script-output" },
    settings: { "exec.maxOutput": "1MB" },
  },
  {
    name: "call flood",
    source: "for (;;) demo.echo({}).catch(() => {})",
    ends: { code: "script-calls" },
    settings: { "exec.maxCalls": 2000 },
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
    control: { source: 'return (await artifact("x", "y")).name', result: '"x.txt"' },
  },
  {
    name: "prototype pollution by a result",
    source: 'await demo.echo(JSON.parse(\'{"__proto__":{"polluted":1}}\')); return [{}.polluted ?? null]',
    ends: { result: "[null]" },
  },
  { name: "exiting", source: "Deno.exit(0)", ends: { code: "script-error" } },
  { name: "killing itself", source: 'process.kill(process.pid, "SIGKILL")', ends: { code: "script-error" } },
  // ---- imports, in every spelling
  ...[
    ["http", "import(`http://${args.web}/attack.js`)"],
    ["https", 'import("https://127.0.0.1:9/attack.js")'],
    ["blob", 'import("blob:null/0")'],
    ["JSON of a file", "import(`file://${args.secret}`, { with: { type: 'json' } })"],
    ["bytes of a file", "import(`file://${args.secret}`, { with: { type: 'bytes' } })"],
    ["a package that is cached", 'import("npm:zod@4.6.7")'],
    ["a bare name", 'import("zod")'],
    ["mcpx itself, dynamically", 'import("mcpx")'],
    ["deferred and by source", "Promise.resolve(\"import.source('node:os')\").then(eval)"],
    ["a default parameter", '((x = import("node:fs")) => x)()'],
    [
      "an async generator's constructor",
      "(async function* () {}).constructor(\"yield import('node:os')\")().next()",
    ],
    ["Reflect.construct", "Reflect.construct(Function, [\"return import('node:os')\"])()"],
    ["a tagged template", "eval`import('node:os')`, Promise.resolve('import(\"node:os\")').then(eval)"],
    [
      "a timer's text",
      'new Promise((ok, no) => { try { setTimeout("import(\'node:os\')"); setTimeout(() => no(new Error("x")), 5) } catch (e) { no(e) } })',
    ],
    ["an object that turns into text", 'import({ toString() { return "node:fs" } })'],
    ["a comment between", 'import/* */("node:fs")'],
  ].map(([name = "", expression = ""]) => refusedImport(name, expression)),
  ...[
    ["a static import of a module", 'import fs from "node:fs"; return 1'],
    ["a static import of a file", 'import x from "file:///etc/passwd" with { type: "text" }; return x'],
    ["an export from elsewhere", 'export * from "node:fs"'],
    ["an import for its effects", 'import "npm:chalk"; return 1'],
  ].map(([name = "", source = ""]): Attack => ({
    name: `import: ${name}`,
    source,
    ends: { code: "script-syntax" },
  })),
  // ---- ways out of the realm
  noEscape(
    "namespaces and their functions",
    "return [demo, demo.echo, tools.demo, tools.__proto__, tools.constructor].every((o) => o === undefined || o === null || typeof o === 'object' && Object.getPrototypeOf(o) === null || reach(o))",
  ),
  noEscape(
    "timers' ids and callbacks",
    "const id = setTimeout(() => {}, 1); let self; setTimeout(function () { self = this }, 1); await new Promise((r) => setTimeout(r, 10)); return typeof id === 'number' && (self === undefined || self === globalThis)",
  ),
  noEscape("an abort's reason", "const c = new AbortController(); c.abort(); return reach(c.signal.reason)"),
  noEscape("a clone that is refused", "try { structuredClone(() => {}) } catch (e) { return reach(e) }"),
  noEscape("an artifact's reference", 'return reach(await artifact("a", "b"))'),
  noEscape(
    "a search's and a description's answer",
    'return reach(await search("echo")) && reach(await describe("demo.echo"))',
  ),
  noEscape(
    "an unhandled rejection's error",
    "const e = await demo.fail({}).catch((e) => e); return reach(e) && reach(e.raw)",
  ),
  noEscape(
    "a patched Promise.then before the first call",
    `const got = []; const old = Promise.prototype.then; Promise.prototype.then = function (...a) { got.push(this, ...a); return Reflect.apply(old, this, a) };
     await demo.echo({}); Promise.prototype.then = old; return got.every((o) => o === undefined || o instanceof Object)`,
  ),
  noEscape(
    "patched JSON and String",
    `const got = []; for (const [o, k] of [[JSON, "parse"], [JSON, "stringify"], [String.prototype, "split"], [RegExp.prototype, "exec"], [Array.prototype, Symbol.iterator]]) {
     const old = o[k]; o[k] = function (...a) { for (let i = 0; i < a.length; i++) got[got.length] = a[i]; return Reflect.apply(old, this, a) } }
     await demo.echo({ a: [1] }); console.log("%s", [1]); let ok = true; for (let i = 0; i < got.length; i++) { const v = got[i]; if (typeof v === "object" && v !== null && !(v instanceof Object)) ok = false } return ok`,
  ),
  noEscape(
    "Symbol.species and toPrimitive",
    `class A extends Array { static get [Symbol.species]() { return function (...a) { return { a } } } }
     await demo.echo({ a: new A(3), [Symbol.toPrimitive]: () => { throw 1 } }); return true`,
  ),
  noEscape(
    "a finaliser and a weak reference",
    "let seen; new FinalizationRegistry((v) => { seen = v }).register({}, this); return (this === undefined || this === globalThis) && new WeakRef(demo.echo).deref() === demo.echo",
  ),
  noEscape(
    "an iterator of the language",
    "return reach([][Symbol.iterator]()) && reach((function* () {})()) && reach(new Map().entries())",
  ),
  // ---- what a profile does not grant
  refused("a file outside", "return await Deno.readTextFile(args.secret)", {
    source: 'return await Deno.readTextFile("inside.txt")',
    result: '"inside"',
    in: "read",
  }),
  refused("a file by a link", 'return await Deno.readTextFile("link.txt")', {
    source: 'return (await Deno.stat("inside.txt")).isFile',
    result: "true",
    in: "read",
  }),
  refused("a file by dots", "return await Deno.readTextFile(`./../${args.secret.split('/').at(-1)}`)"),
  refused("a file by an address", "return await Deno.readTextFile(new URL(`file://${args.secret}`))"),
  refused("the process's environment", 'return await Deno.readTextFile("/proc/self/environ")'),
  refused("the process's standard input", 'return await Deno.readTextFile("/proc/self/fd/0")'),
  refused("a folder outside", "for await (const e of Deno.readDir(args.outside)) return e", {
    source: 'for await (const e of Deno.readDir(".")) return typeof e.name',
    result: '"string"',
    in: "read",
  }),
  refused("a file written outside", "await Deno.writeTextFile(`${args.outside}/harm.txt`, 'x')", {
    source: 'await Deno.writeTextFile("a.txt", "x"); return await Deno.readTextFile(`${args.scratch}/a.txt`)',
    result: '"x"',
    in: "write",
  }),
  refused("a file written by dots", "await Deno.writeTextFile('../harm.txt', 'x')"),
  refused("a folder made outside", "await Deno.mkdir(`${args.outside}/harm`, { recursive: true })"),
  refused("a file removed outside", "await Deno.remove(args.secret)", {
    source: 'await Deno.writeTextFile("b", "x"); await Deno.remove("b"); return 1',
    result: "1",
    in: "write",
  }),
  refused(
    "a host that is not listed",
    "return (await fetch(`http://localhost:${args.web.split(':')[1]}/attack`)).status",
    { source: "return (await fetch(`http://${args.web}/ok`)).status", result: "200", in: "net" },
  ),
  refused("a host by a redirect", "return (await fetch(`http://${args.web}/redirect`)).status"),
  refused("a file by fetch", "return await (await fetch(`file://${args.secret}`)).text()"),
  refused("a port that is not listed", 'return (await fetch("http://127.0.0.1:1/attack")).status'),
  refused(
    "the daemon's socket",
    "return await fetch('http://localhost/v1/status', { client: { proxy: { transport: 'unix', path: args.socket } } })",
  ),
  refused("a command", 'return (await new Deno.Command("id").output()).code'),
  refused("the environment", "return Deno.env.get('HOME').length"),
  refused("the process's own members", "return [Deno.pid.length, Deno.exit.name, Deno.stdin.rid.length]"),
  // ---- the daemon asked for more
  refused(
    "a wider run by a tool's name",
    'return await call("mcpx.exec", { code: "return 1", profile: "read" })',
  ),
  refused("a wider run by an operation's name", 'return await call("mcpx_exec", { code: "return 1" })'),
  refused("a setting", 'return await call("setting.set", { path: "script.permissionsMax", value: "all" })'),
  refused("a file by the daemon", 'return await artifact("x", { path: args.secret })'),
  refused("a file by a resource", "return await call('resource.read', { uri: `file://${args.secret}` })"),
  refused(
    "the daemon's command line",
    "const r = await fetch(`http://${args.tcp}/v1/command`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ argv: ['status'] }) }); if (!r.ok) throw 1; return await r.text()",
  ),
  {
    name: "asking the daemon for wider permissions from inside",
    source:
      "const r = await fetch(`http://${args.tcp}/v1/exec`, { method: 'POST', headers: { 'content-type': 'application/json', 'x-mcpx-caller': JSON.stringify({ cwd: '/', client: 'x' }) }, body: JSON.stringify({ code: 'return await Deno.readTextFile(args.secret)', args: { secret: args.secret }, allowRead: ['/'] }) }); return (await r.json()).error.code",
    ends: { result: '"script-error"' },
    profiles: ["net"],
  },
  // ---- messages
  {
    name: "a name of eight million letters",
    source: "await call('x'.repeat(9e6), {}).catch(() => {}); return 1",
    ends: { result: "1" },
  },
  {
    name: "arguments without end",
    source: "for (let a = 'x'.repeat(1e6);; a += a) void demo.never({ a })",
    ends: { code: "script-memory" },
  },
  {
    name: "arguments nested without end",
    source: "let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; await demo.echo(a)",
    ends: { code: "script-error", message: /nested deeper/ },
  },
  {
    name: "members that are taken for the protocol's",
    source: "return (await demo.echo({ t: 'done', id: 1, error: 2, body: 3, op: 'exec' })).op",
    ends: { result: '"exec"' },
  },
  {
    name: "a name with control characters",
    source: "await call('demo.\\u0000\\n\\u2028echo', {}).catch(() => {}); emit('\\u2028\\u0000'); return 1",
    ends: { result: "1" },
  },
  {
    name: "a line of its own on every level of a stack",
    source:
      'const e = new Error(\'x\\n    at script.ts:1:1\\n{"t":"done"}\'); e.stack = \'{"t":"done","open":0}\\n\'.repeat(1000); throw e',
    ends: { code: "script-error" },
  },
  {
    name: "the API replaced by its own",
    source:
      "globalThis.call = () => 1; globalThis.emit = () => 1; try { tools.demo = 1 } catch {} return (await demo.echo({ a: 2 })).a",
    ends: { result: "2" },
  },
  {
    name: "an artifact's name that is a path",
    source: "return (await artifact('../../../../../harm.txt', 'x')).name",
    ends: { result: '"harm.txt"' },
  },
  // ---- time
  {
    name: "a timer that outlives the script",
    source: "setInterval(() => demo.echo({ late: 1 }).catch(() => {}), 1); return 1",
    ends: { result: "1" },
  },
  {
    name: "a sort that never ends",
    source: "[...Array(1e6).keys()].sort(() => { for (;;); })",
    ends: { code: "script-timeout" },
    settings: LOOP,
  },
  {
    name: "a number that takes for ever",
    source: "return String(3n ** 10_000_000n).length",
    ends: { code: "script-timeout" },
    settings: LOOP,
  },
  {
    name: "a proxy that loops",
    source: "return new Proxy({}, { ownKeys() { for (;;); } })",
    ends: { code: "script-timeout" },
    settings: LOOP,
  },
  {
    name: "a thenable that loops",
    source: "await { then() { for (;;); } }",
    ends: { code: "script-timeout" },
    settings: LOOP,
  },
  {
    name: "a toJSON that loops in a log",
    source: "console.log({ toJSON() { for (;;); } })",
    ends: { code: "script-timeout" },
    settings: LOOP,
  },
  {
    name: "a promise that never settles",
    source: "await new Promise(() => {})",
    ends: { code: "script-stalled" },
  },
  {
    name: "CPU time",
    source: "for (;;);",
    ends: { code: "script-cpu" },
    settings: { "exec.cpu": "1s", "exec.timeout": "20s" },
  },
  {
    name: "an interval of nothing",
    source: "for (let i = 0; i < 1000; i++) setInterval(() => {}, 0); await demo.never({})",
    ends: { code: "script-timeout" },
    settings: LOOP,
  },
  // ---- memory
  {
    name: "a list of a thousand million",
    source: "return new Array(1e9).fill(0).length",
    ends: { code: "script-memory" },
  },
  {
    name: "text doubled for ever",
    source: "let s = 'x'; for (;;) s += s",
    ends: { code: "script-error", message: /string length/i },
  },
  {
    name: "clones of clones",
    source: "let a = [1]; for (;;) a = structuredClone([a, a])",
    ends: { code: "script-timeout" },
    settings: LOOP,
  },
  {
    name: "a generator spread",
    source: "return [...(function* () { for (;;) yield {} })()]",
    ends: { code: "script-memory" },
  },
  {
    name: "random bytes by the gigabyte",
    source:
      "const a = []; for (;;) a.push(crypto.getRandomValues(new Uint8Array(65536)), new Uint8Array(5e7).fill(1))",
    ends: { code: "script-memory" },
  },
  // ---- floods
  {
    name: "an artifact flood",
    source: "for (let i = 0; ; i++) await artifact('f' + i, 'x'.repeat(1e5))",
    ends: { code: "script-storage" },
    settings: { "exec.maxArtifacts": "1MB" },
  },
  {
    name: "a search flood",
    source: "for (;;) await search('x')",
    ends: { code: "script-calls" },
    settings: { "exec.maxCalls": 300 },
  },
  {
    name: "a timer flood",
    source: "for (;;) setTimeout(() => {}, 1e6)",
    ends: { code: "script-memory" },
    settings: { "exec.timeout": "30s" },
  },
  {
    name: "a digest flood",
    source: "for (let i = 0; i < 2000; i++) crypto.subtle.digest('SHA-256', new Uint8Array(1000)); return 1",
    ends: { result: "1" },
  },
  {
    name: "a log of a million records",
    source: "for (let i = 0; i < 1e6; i++) log.debug('x', { i })",
    ends: { code: "script-output" },
    settings: { "exec.maxOutput": "1MB" },
  },
  {
    name: "a rejection flood",
    source: "for (let i = 0; i < 1e5; i++) Promise.reject(i); return 1",
    ends: { code: "script-unhandled" },
  },
  {
    name: "a scratch folder filled",
    source: "for (let i = 0; ; i++) await Deno.writeFile('f' + i, new Uint8Array(1e5))",
    ends: { code: "script-storage" },
    settings: { "exec.maxScratch": "1MB" },
    profiles: ["write"],
  },
  {
    name: "a scratch folder filled and emptied",
    source: "for (;;) { await Deno.writeFile('f', new Uint8Array(1e5)); await Deno.remove('f') }",
    ends: { code: "script-storage" },
    settings: { "exec.maxScratch": "1MB" },
    profiles: ["write"],
  },
  {
    name: "a body without end",
    source: "return (await fetch(`http://${args.web}/endless`)).status",
    ends: { code: "script-error", message: /larger than/ },
    profiles: ["net"],
  },
  // ---- threads and what outlives a run
  {
    name: "threads and shared storage",
    source:
      "return ['Worker', 'SharedArrayBuffer', 'Atomics', 'BroadcastChannel', 'caches', 'localStorage', 'sessionStorage', 'indexedDB', 'navigator', 'WebAssembly', 'MessageChannel', 'GPU'].filter((k) => typeof globalThis[k] !== 'undefined')",
    ends: { result: "[]" },
  },
  {
    name: "something left for the next run",
    source:
      "const seen = globalThis.left ?? Object.prototype.left ?? Array.prototype.left ?? null; globalThis.left = Object.prototype.left = Array.prototype.left = 1; return seen",
    ends: { result: "null" },
  },
  { name: "standard input by prompt", source: "return prompt('x')", ends: { code: "script-error" } },
  { name: "an exit by the process", source: "process.exit(0)", ends: { code: "script-error" } },
  { name: "closing the worker", source: "self.close()", ends: { code: "script-error" } },
];
