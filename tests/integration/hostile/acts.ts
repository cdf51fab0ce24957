import type { SandboxLayer } from "../../../lib/sandbox/mod.ts";

/** Which layers are left out, innermost first: what gets through there has to be caught by the next. */
export interface Peeling {
  /** The column's head. */
  title: string;
  without: readonly SandboxLayer[];
}

/** Each column of the table of what caught what. */
export const PEELINGS: readonly Peeling[] = [
  { title: "all layers", without: [] },
  { title: "without 1", without: ["realm"] },
  { title: "without 1, 2", without: ["realm", "worker-lock"] },
  { title: "without 1, 2, 3", without: ["realm", "worker-lock", "worker"] },
  { title: "without 5", without: ["system"] },
  { title: "without 6", without: ["daemon"] },
];

/** Something that a script must not be able to do, tried with whatever is within its reach. */
export interface Act {
  name: string;
  /** Gives `"done"` where it could; `leaked` is the worker's global object where layer 1 is left out. */
  source: string;
  /** Settings of the run. */
  settings?: Record<string, unknown>;
  /** The columns that say something about it; default those of the layers 1 to 3. */
  columns?: readonly string[];
}

const LOOSE = ["all layers", "without 1", "without 1, 2", "without 1, 2, 3"];
const BOUNDED = ["all layers", "without 5", "without 6"];

/**
 * Finds the host's objects where some are in reach. Text is made code by a promise, so that no script stands behind it: then not the
 * compiler of scripts, but whoever loads modules, has to refuse an import in it.
 */
const HOST = `const G = typeof leaked === "undefined" ? globalThis : leaked; const D = G.Deno;
  const run = (text) => Promise.resolve(text).then(eval).catch((e) => { throw new Error(String(e.message)) });`;

function act(name: string, source: string, rest: Omit<Act, "name" | "source"> = {}): Act {
  return { name, source: `${HOST} ${source}; return "done"`, columns: LOOSE, ...rest };
}

function bound(name: string, source: string, settings: Record<string, unknown>): Act {
  return { name, source, settings, columns: BOUNDED };
}

/** Everything that is tried in each column. */
export const ACTS: readonly Act[] = [
  act("reads a file", "await D.readTextFile(args.secret)"),
  act(
    "reads a file by a module of Node's",
    "await run('import(\"node:fs\").then((fs) => fs.readFileSync(' + JSON.stringify(args.secret) + '))')",
  ),
  act(
    "imports a file as text",
    "await run('import(' + JSON.stringify('file://' + args.secret) + ', { with: { type: \"text\" } })')",
  ),
  act("writes a file", "await D.writeTextFile(args.outside + '/harm.txt', 'x')"),
  act("asks a host", "await G.fetch('http://' + args.web + '/attack')"),
  act(
    "opens a connection",
    "await D.connect({ hostname: '127.0.0.1', port: Number(args.web.split(':')[1]) })",
  ),
  act("opens the daemon's socket", "await D.connect({ transport: 'unix', path: args.socket })"),
  act(
    "imports from a host",
    "await run('import(' + JSON.stringify('http://' + args.web + '/attack.js') + ')')",
  ),
  act("imports a package", "await run('import(\"npm:left-pad@1.3.0\")')"),
  act("runs a command", "await new D.Command('id').output()"),
  act("reads the environment", "D.env.get('HOME').length"),
  act("loads a native library", "D.dlopen('/lib/x86_64-linux-gnu/libc.so.6', {})"),
  act("ends another process", "D.kill(D.ppid, 'SIGKILL')"),
  act(
    "asks for more permissions",
    "if ((await D.permissions.request({ name: 'read' })).state !== 'granted') throw new Error('denied')",
  ),
  act(
    "starts a worker with more permissions",
    "new G.Worker('data:text/javascript,1', { type: 'module', deno: { permissions: { read: true } } })",
  ),
  bound("loops", "for (;;);", { "exec.timeout": "500ms" }),
  bound("fills its heap", "const a = []; for (;;) a.push(new Array(1e4).fill({}))", {
    "exec.timeout": "30s",
  }),
  bound("fills memory with buffers", "const a = []; for (;;) a.push(new Uint8Array(5e7).fill(1))", {
    "exec.timeout": "30s",
  }),
  bound("prints without end", "for (;;) console.log('x'.repeat(1e4))", {}),
  bound("calls without end", "for (;;) demo.echo({}).catch(() => {})", { "exec.maxCalls": 500 }),
  bound("returns too much", "return 'x'.repeat(4e7)", {}),
];
