import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SandboxLayer } from "../../../lib/sandbox/mod.ts";
import { fixtureServer, World } from "../../support/world.ts";
import type { Attack, Profile } from "./attacks.ts";

const DAEMON = fileURLToPath(new URL("../../support/sandboxed_daemon.ts", import.meta.url));
const CLI = fileURLToPath(new URL("../../../cli.ts", import.meta.url));
const CONFIG = fileURLToPath(new URL("../../../deno.json", import.meta.url));
/** What stands in every file that no script may read. */
export const CANARY = "CANARY-7f3a9c";

/** How a range's sandboxes are set up. */
export interface RangeOptions {
  /** Layers that are left out. */
  without?: readonly SandboxLayer[];
  /** Whether sandboxes are started as the compiled program starts them: by this program itself, with a hidden word. */
  self?: boolean;
}

/** The document of a run, as far as tests look at it. */
export interface RunAnswer {
  ok: boolean;
  exitCode: number;
  result?: unknown;
  error?: { code: string; message: string };
  permissions?: { clampedBy?: { setting: string } };
}

/** A live daemon, a web server and files around it, and innocent runs that have to come through unharmed. */
export class Range implements AsyncDisposable {
  /** Requests that no script may make. */
  readonly forbidden: string[] = [];
  /** What the innocent runs that have ended gave. */
  readonly innocents: RunAnswer[] = [];
  readonly #world: World;
  readonly #daemon: Deno.ChildProcess;
  readonly #web: Deno.HttpServer<Deno.NetAddr>;
  readonly #client: Deno.HttpClient;
  readonly #args: Record<string, string>;
  #attacking = true;
  #guard: Promise<void[]> = Promise.resolve([]);

  private constructor(parts: {
    world: World;
    daemon: Deno.ChildProcess;
    web: (onForbidden: (path: string) => void) => Deno.HttpServer<Deno.NetAddr>;
    socket: string;
    tcp: string;
  }) {
    const { world, daemon, web, socket, tcp } = parts;
    this.#world = world;
    this.#daemon = daemon;
    this.#web = web((path) => this.forbidden.push(path));
    this.#client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
    this.#args = {
      web: `127.0.0.1:${this.#web.addr.port}`,
      tcp,
      socket,
      secret: join(world.root, "secret.txt"),
      outside: join(world.root, "outside"),
    };
  }

  static async open(options: RangeOptions = {}): Promise<Range> {
    const world = await World.open({ mcpServers: { demo: fixtureServer("plain_tools.mjs") } });
    await Deno.mkdir(join(world.root, "outside"));
    await Deno.writeTextFile(join(world.root, "secret.txt"), CANARY);
    await Deno.writeTextFile(join(world.project, "inside.txt"), "inside");
    await Deno.symlink(join(world.root, "secret.txt"), join(world.project, "link.txt"));
    const self = [Deno.execPath(), "run", "-A", "--quiet", "--no-lock", "--config", CONFIG, CLI, "__sandbox"];
    const setup = {
      sandbox: {
        without: options.without ?? [],
        // Without the daemon's clocks, the system's limit of CPU time has to be as low as the run's own.
        ...(options.without?.includes("daemon") ? { cpuSeconds: 1 } : {}),
        ...(options.self ? { host: { kind: "self", command: self } } : {}),
      },
      settings: {
        "http.listen": "127.0.0.1:0",
        "http.auth": "none",
        "exec.maxRuns": 6,
        "exec.heap": "44MiB",
        ...(options.without?.includes("daemon") ? { "exec.cpu": "1s" } : {}),
      },
    };
    const daemon = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-lock", DAEMON, JSON.stringify(setup)],
      cwd: world.project,
      clearEnv: true,
      env: { ...world.env, MCPX_DIAGNOSE_PREFLIGHT: "false" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = daemon.stdout.getReader();
    const { value } = await reader.read();
    assert.ok(value, "the daemon of a range did not start: run tests/support/sandboxed_daemon.ts by hand");
    const { url } = JSON.parse(new TextDecoder().decode(value));
    await reader.cancel();
    const { socket } = await world.daemon();
    const range = new Range({ world, daemon, socket, tcp: new URL(url).host, web: serveWeb });
    const { web = "", tcp = "" } = range.#args;
    const before = [
      await range.#request("/v1/settings/script.hosts", { value: `${web},${tcp}` }),
      await range.#request("/v1/call", { tool: "demo.echo", arguments: {} }),
    ];
    for (const response of before) await response.body?.cancel();
    return range;
  }

  /** The daemon's process. */
  get pid(): number {
    return this.#daemon.pid;
  }

  /** Runs source under a profile. */
  async run(source: string, profile: Profile, settings: Record<string, unknown> = {}): Promise<RunAnswer> {
    const response = await this.#request("/v1/exec", { code: source, profile, args: this.#args }, settings);
    const text = await response.text();
    assert.ok(!text.includes(CANARY), `the secret came out: ${text}`);
    const answer = JSON.parse(text);
    return answer.exitCode === undefined ? { ok: false, exitCode: 1, ...answer } : answer;
  }

  /** Reads source without running it, as it is read before every run. */
  async diagnose(source: string): Promise<number> {
    const response = await this.#request("/v1/diagnose", { code: source });
    await response.body?.cancel();
    return response.status;
  }

  /** Makes the attack and checks how it ends, with its control beside it. */
  async attack(attack: Attack, profile: Profile): Promise<void> {
    const { control, controlIn, ends, settings } = attack;
    const [answer, controlled] = await Promise.all([
      this.run(attack.source, profile, settings),
      control && (controlIn ?? profile) === profile ? this.run(control.source, profile) : undefined,
    ]);
    if ("result" in ends) {
      assert.equal(answer.error, undefined, JSON.stringify(answer.error));
      assert.equal(JSON.stringify(answer.result), ends.result);
    } else {
      assert.equal(
        answer.error?.code,
        ends.code,
        JSON.stringify(answer.error ?? answer.result)?.slice(0, 500),
      );
      if (ends.message !== undefined) assert.match(answer.error?.message ?? "", ends.message);
    }
    if (controlled) {
      assert.equal(JSON.stringify(controlled.result), control?.result, controlled.error?.message);
    }
  }

  /** Keeps innocent runs in flight until {@link unharmed}. */
  startInnocents(): void {
    const source =
      "let sum = 0; for (let i = 0; i < 40; i++) { sum += (await demo.echo({ i })).i; await new Promise((r) => setTimeout(r, 2)) } return sum";
    this.#guard = Promise.all([1, 2].map(async () => {
      while (this.#attacking) this.innocents.push(await this.run(source, "none"));
    }));
  }

  /** Checks that innocent runs, the daemon, the files and the network are as they should be. */
  async unharmed(): Promise<void> {
    this.#attacking = false;
    await this.#guard;
    for (const answer of this.innocents) assert.equal(answer.result, 780, JSON.stringify(answer.error));
    assert.deepEqual(this.forbidden, []);
    const { secret = "", outside = "" } = this.#args;
    assert.equal(await Deno.readTextFile(secret), CANARY);
    assert.deepEqual([...Deno.readDirSync(outside)], []);
    for (const folder of [this.#world.root, this.#world.project]) {
      assert.ok(![...Deno.readDirSync(folder)].some(({ name }) => name.includes("harm")));
    }
    const scratch = join(this.#world.env.HOME ?? "", ".cache/mcpx/sandbox/scratch");
    assert.deepEqual(await names(scratch), []);
    assert.equal((await (await this.#request("/v1/exec", { code: "return 1" })).json()).result, 1);
  }

  /** What the daemon holds: open files, processes that it started, resident memory in MB. */
  async holdings(): Promise<{ files: number; children: number; megabytes: number }> {
    const status = await Deno.readTextFile(`/proc/${this.pid}/status`);
    return {
      files: (await names(`/proc/${this.pid}/fd`)).length,
      children: (await childrenOf(this.pid)).length,
      megabytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    };
  }

  async #request(path: string, body: object, settings: Record<string, unknown> = {}): Promise<Response> {
    return await fetch(`http://localhost${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-mcpx-caller": JSON.stringify({ cwd: this.#world.project }),
        "x-mcpx-settings": JSON.stringify(settings),
      },
      body: JSON.stringify(body),
      client: this.#client,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#attacking = false;
    await this.#guard.catch(() => {});
    this.#client.close();
    this.#daemon.kill("SIGTERM");
    await this.#daemon.status;
    await this.#web.shutdown();
    await this.#world[Symbol.asyncDispose]();
  }
}

function serveWeb(onForbidden: (path: string) => void): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { pathname, port } = new URL(request.url);
    if (pathname.startsWith("/attack")) onForbidden(pathname);
    if (pathname === "/redirect") {
      return new Response(null, { status: 302, headers: { location: `http://localhost:${port}/attack` } });
    }
    if (pathname !== "/endless") return new Response("ok");
    const chunk = new Uint8Array(1 << 20);
    return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
  });
}

async function names(folder: string): Promise<string[]> {
  return await Array.fromAsync(Deno.readDir(folder), ({ name }) => name).catch(() => []);
}

/** The processes that another one started. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
  return text.split(" ").filter((part) => part !== "").map(Number);
}

/** Does something for each of a list, a number of them at once. */
export async function eachOf<T>(
  list: readonly T[],
  atOnce: number,
  act: (one: T) => Promise<void>,
): Promise<void> {
  const left = [...list];
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await act(one);
  }));
}
