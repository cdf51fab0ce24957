import { configSetKey, findConfigFiles } from "../config/search.ts";
import { mcpxPaths } from "../config/paths.ts";
import type { CliIo } from "./io.ts";
import { runCli } from "./main.ts";
import { SAMPLE } from "./sample_manifest_test.ts";
import { type DaemonFiles, daemonFiles } from "./socket_path.ts";

/** A world of its own for one test: folders, a configuration file, and what a daemon there would listen on. */
export class TestWorld implements AsyncDisposable {
  readonly home: string = Deno.makeTempDirSync({ prefix: "mcpx-cli-" });
  readonly cwd: string = `${this.home}/project`;
  readonly env: Record<string, string> = { HOME: this.home, XDG_RUNTIME_DIR: `${this.home}/run` };
  readonly #daemons: FakeDaemon[] = [];
  readonly pids = new Set<number>();

  constructor(config = '{"mcpServers":{"demo":{"command":"demo","env":{"A":"${DEMO_KEY}"}}}}') {
    Deno.mkdirSync(this.cwd);
    Deno.writeTextFileSync(`${this.cwd}/.mcpx.json`, config);
  }

  get key(): string {
    return configSetKey(findConfigFiles({ cwd: this.cwd, env: this.env }));
  }

  get files(): DaemonFiles {
    return daemonFiles({ runtime: mcpxPaths(this.env).runtime, key: this.key, uid: Deno.uid() });
  }

  /** Serves a daemon's API on this world's socket. */
  serve(routes: Routes, health: Record<string, unknown> = {}): FakeDaemon {
    const daemon = new FakeDaemon(this.files.socket, routes, {
      key: this.key,
      version: SAMPLE.version,
      ...health,
    });
    this.#daemons.push(daemon);
    return daemon;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const daemon of this.#daemons) await daemon.close();
    for (const pid of this.pids) Deno.kill(pid, "SIGKILL");
    await Deno.remove(this.home, { recursive: true });
  }
}

/** What a fake daemon answers, by `METHOD /path`. */
export type Routes = Record<string, (request: Request) => Response | Promise<Response>>;

/** Speaks a daemon's API on a unix socket, and remembers what it was asked. */
export class FakeDaemon {
  readonly requests: { method: string; url: string; headers: Headers; body: string }[] = [];
  readonly #server: Deno.HttpServer<Deno.Addr>;
  #closed = false;

  constructor(socket: string, routes: Routes, health: Record<string, unknown>) {
    Deno.mkdirSync(socket.slice(0, socket.lastIndexOf("/")), { recursive: true, mode: 0o700 });
    const answer = {
      pid: Deno.pid,
      startedAt: "2026-01-01T00:00:00Z",
      ready: true,
      ...health,
    };
    this.#server = Deno.serve({ transport: "unix", path: socket, onListen: () => {} }, async (request) => {
      const path = new URL(request.url).pathname;
      if (path === "/v1/health") return Response.json(answer);
      const body = await request.text();
      this.requests.push({ method: request.method, url: request.url, headers: request.headers, body });
      const route = routes[`${request.method} ${path}`];
      return route ? await route(request) : Response.json(
        { error: { code: "not-found", message: `no route ${request.method} ${path}` } },
        { status: 404 },
      );
    }) as Deno.HttpServer<Deno.Addr>;
  }

  /** The last request that was no health check. */
  get last(): FakeDaemon["requests"][number] {
    const last = this.requests.at(-1);
    if (!last) throw new Error("nothing was asked");
    return last;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#server.shutdown();
  }
}

/** What a command left behind. */
export interface Outcome {
  status: number;
  stdout: string;
  stderr: string;
}

/** How a test changes the outside of a command. */
export interface RunOptions {
  stdin?: string | Uint8Array;
  terminal?: boolean;
  io?: Partial<CliIo>;
}

/** Runs a command line in a world. */
export async function run(
  world: TestWorld,
  argv: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  const written = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const sink = (name: "stdout" | "stderr"): CliIo["stdout"] => ({
    write(bytes): Promise<number> {
      // Less than was asked for, as a pipe may take.
      const taken = bytes.slice(0, Math.max(1, Math.ceil(bytes.length / 2)));
      written[name].push(taken);
      return Promise.resolve(taken.length);
    },
  });
  const { stdin = "", terminal = false } = options;
  const io: CliIo = {
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    openStdin: () => new Blob([typeof stdin === "string" ? stdin : new Uint8Array(stdin)]).stream(),
    readStdin: () => Promise.resolve(typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin),
    isTerminal: { stdin: terminal, stdout: terminal, stderr: terminal },
    columns: () => 80,
    env: (name) => world.env[name],
    cwd: world.cwd,
    parentPid: 4242,
    onInterrupt: () => () => {},
    exit: (status) => {
      throw new Error(`exit ${status}`);
    },
    ...options.io,
  };
  const status = await runCli(argv, io, {
    manifest: SAMPLE,
    entries: {
      daemon: () => Promise.reject(new Error("no daemon here")),
      inline: () => Promise.reject(new Error("no inline here")),
    },
  });
  const text = (chunks: Uint8Array[]): string =>
    new TextDecoder().decode(Uint8Array.from(chunks.flatMap((c) => [...c])));
  return { status, stdout: text(written.stdout), stderr: text(written.stderr) };
}

/** Server-sent events as a daemon sends them. */
export function events(...list: [string, string][]): Response {
  const text = list.map(([event, data]) => `event: ${event}\ndata: ${data}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}
