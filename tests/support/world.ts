import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { upstreamEntry, type UPSTREAMS } from "../../tools/upstreams.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));

/** What one command line gave. */
export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** How a command is run. */
export interface CliOptions {
  stdin?: string | Uint8Array;
  env?: Record<string, string>;
  cwd?: string;
}

/** A machine of a test's own: an empty HOME, a project folder, and the daemon that its commands start. */
export class World implements AsyncDisposable {
  readonly root: string;
  readonly project: string;
  readonly env: Record<string, string>;
  /** What `mcpx` is: from source, or a form that it is given away in. */
  program: readonly [string, ...string[]] = [Deno.execPath(), "run", "-A", "--quiet", CLI];

  private constructor(root: string) {
    this.root = root;
    this.project = join(root, "project");
    this.env = {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: join(root, "home"),
      XDG_RUNTIME_DIR: join(root, "run"),
      TMPDIR: join(root, "tmp"),
      NO_COLOR: "1",
      LANG: "C.UTF-8",
      // The command line's own modules come from the cache of whoever runs the tests.
      DENO_DIR: Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? "/", ".cache", "deno"),
      DENO_NO_UPDATE_CHECK: "1",
    };
  }

  /** A world with this configuration as the project's. */
  static async open(config: object): Promise<World> {
    const world = new World(await Deno.makeTempDir({ prefix: "mcpx-test-" }));
    for (const folder of ["project", "home", "run", "tmp"]) {
      await Deno.mkdir(join(world.root, folder), { mode: 0o700 });
    }
    await world.configure(config);
    return world;
  }

  /** Writes the project's configuration. */
  async configure(config: object): Promise<void> {
    await Deno.writeTextFile(join(this.project, ".mcpx.json"), JSON.stringify(config));
  }

  /** Writes the user's own configuration. */
  async configureUser(config: object): Promise<void> {
    const folder = join(this.env.HOME ?? "", ".config", "mcpx");
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "config.json"), JSON.stringify(config));
  }

  /** Starts a command. */
  spawn(words: readonly string[], options: CliOptions = {}): Deno.ChildProcess {
    const [command, ...args] = this.program;
    return new Deno.Command(command, {
      args: [...args, ...words],
      cwd: options.cwd ?? this.project,
      clearEnv: true,
      env: { ...this.env, ...options.env },
      stdin: options.stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  /** Runs a command to its end. */
  async run(words: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    const child = this.spawn(words, options);
    if (options.stdin !== undefined) {
      const writer = child.stdin.getWriter();
      await writer.write(
        typeof options.stdin === "string" ? new TextEncoder().encode(options.stdin) : options.stdin,
      );
      await writer.close();
    }
    const { code, stdout, stderr } = await child.output();
    return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
  }

  /** Runs a command with `--json` and parses what it prints, which must be one document. */
  async json(
    words: readonly string[],
    options: CliOptions = {},
  ): Promise<{ code: number; value: Record<string, unknown> }> {
    const { code, stdout, stderr } = await this.run([...words, "--json"], options);
    try {
      return { code, value: JSON.parse(stdout) as Record<string, unknown> };
    } catch {
      throw new Error(
        `${words.join(" ")} printed no single document: ${JSON.stringify(stdout.slice(0, 500))} ${stderr}`,
      );
    }
  }

  /** One request to the daemon's API over its socket. */
  async http(path: string, init: RequestInit = {}): Promise<Response> {
    const { socket } = await this.daemon();
    using client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
    const response = await fetch(`http://localhost${path}`, {
      ...init,
      headers: {
        ...(init.body === undefined ? {} : { "content-type": "application/json" }),
        ...init.headers,
      },
      client,
    });
    const body = await response.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, {
      status: response.status,
      headers: response.headers,
    });
  }

  /** The record of the running daemon. */
  async daemon(): Promise<{ pid: number; socket: string; url?: string; token?: string }> {
    const folder = join(this.env.HOME ?? "", ".local/state/mcpx/daemons");
    for await (const { name } of Deno.readDir(folder)) {
      if (name.endsWith(".json")) return JSON.parse(await Deno.readTextFile(join(folder, name)));
    }
    throw new Error("no daemon has left a record");
  }

  /** The ids of the processes that still carry this world's HOME in their environment. */
  async processes(): Promise<number[]> {
    const found: number[] = [];
    for await (const { name } of Deno.readDir("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      const environment = await Deno.readTextFile(`/proc/${name}/environ`).catch(() => "");
      if (environment.includes(this.root)) found.push(Number(name));
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run(["stop", "--all"]); // other folders may have had daemons of their own
    // A daemon stops listening first, and writes down how its calls ended after that.
    await eventually(async () => {
      try {
        await Deno.remove(this.root, { recursive: true });
        return true;
      } catch (error) {
        if (error instanceof Error && /not empty/i.test(error.message)) return false;
        throw error;
      }
    }, `${this.root} can be removed`);
  }
}

/** Waits until `check` gives something, looking again at short intervals; fails after ten seconds. */
export async function eventually<T>(check: () => Promise<T | undefined | false>, what: string): Promise<T> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, 20);
    await promise;
  }
  throw new Error(`it did not happen within ten seconds: ${what}`);
}

/** A configuration entry of a real server from the tests' own installation. */
export function realServer(
  name: keyof typeof UPSTREAMS,
  ...args: string[]
): { command: string; args: string[] } {
  return { command: "node", args: [upstreamEntry(name), ...args] };
}

/** A configuration entry of a fixture server: a script beside the tests that `node` runs. */
export function fixtureServer(file: string, env: Record<string, string> = {}): object {
  return {
    command: "node",
    args: [fileURLToPath(new URL(`../fixtures/servers/${file}`, import.meta.url))],
    env,
  };
}
