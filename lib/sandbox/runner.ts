import { fileURLToPath } from "node:url";
import { McpxError } from "../errors/mod.ts";
import { buildSandboxCommand, type SandboxHost, type SandboxIsolation } from "./command.ts";
import { SandboxProcess } from "./process.ts";
import { runScript } from "./run_script.ts";
import { RunSlots } from "./run_slots.ts";
import type { SandboxLayer, ScriptGrants, ScriptOutcome, ScriptPort, ScriptRequest } from "./types.ts";
import { WarmPool } from "./warm_pool.ts";

/** How a {@link ScriptRunner} is set up: all of it daemon-scoped. */
export interface ScriptRunnerOptions {
  /** A folder of the daemon's own, 0700, for the sandboxes' caches and their empty working folder. */
  stateFolder: string;
  /** `auto` takes bubblewrap where it works. Default `auto`. */
  isolation?: "auto" | SandboxIsolation;
  /** Heap of one sandbox, MB. Default 128. */
  heapMb?: number;
  /** CPU seconds that a prewarmed process may use; a run that asks for more gets a fresh one. Default 120. */
  cpuSeconds?: number;
  /** Processes kept ready. Default 2. */
  prewarmed?: number;
  /** Runs at once, read anew for each. Default 8. */
  maxConcurrent?: () => number;
  /** Runs that may wait. Default 256. */
  maxQueued?: number;
  /** What starts a process; default this program itself where it is compiled, else the host file beside this one. */
  host?: SandboxHost;
  /** How long a process may take to start, ms. Default 20,000. */
  startTimeoutMs?: number;
  /** Layers that are left out, which only tests do: each has to hold while those before it are broken. */
  without?: readonly SandboxLayer[];
}

type Permissions = Omit<ScriptGrants, "env">;
const NONE: Permissions = { read: [], net: [], run: [] };

/**
 * Runs scripts, each in a sandbox process of its own that was started ahead where its profile is `none`.
 *
 * @example
 * ```ts ignore
 * await using runner = new ScriptRunner({ stateFolder: "/run/user/1000/mcpx" });
 * const outcome = await runner.run(request, port, AbortSignal.timeout(60_000));
 * ```
 */
export class ScriptRunner implements AsyncDisposable {
  readonly #options: Required<Omit<ScriptRunnerOptions, "isolation">>;
  readonly #tools: { setpriv?: string; bwrap?: string };
  readonly #isolation: SandboxIsolation;
  readonly #pool: WarmPool;
  readonly #slots: RunSlots;
  readonly #running = new Set<SandboxProcess>();
  #closed = false;

  /**
   * Starts the first processes ahead.
   *
   * @param options see {@link ScriptRunnerOptions}
   * @throws {McpxError} `sandbox-unavailable` when `isolation` is `bwrap` and there is none
   */
  constructor(options: ScriptRunnerOptions) {
    this.#options = {
      heapMb: 128,
      cpuSeconds: 120,
      prewarmed: 2,
      maxConcurrent: () => 8,
      maxQueued: 256,
      startTimeoutMs: 20_000,
      host: ownHost(),
      without: [],
      ...options,
    };
    this.#tools = findTools();
    this.#isolation = chooseIsolation(options.isolation ?? "auto", this.#tools.bwrap);
    for (const folder of [this.#denoDir, this.#emptyFolder]) {
      Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    this.#slots = new RunSlots(this.#options.maxConcurrent, this.#options.maxQueued);
    this.#pool = new WarmPool(this.#options.prewarmed, () => this.#start(NONE, this.#options.cpuSeconds));
    this.#pool.fill();
  }

  /** How the processes are walled in, for `doctor`. */
  get isolation(): SandboxIsolation {
    return this.#isolation;
  }

  /** Runs at the moment, runs that wait, processes that stand ready. */
  get status(): { running: number; queued: number; idle: number } {
    return { running: this.#slots.used, queued: this.#slots.queued, idle: this.#pool.idle };
  }

  /** Lets in runs that wait, after `maxConcurrent` gives more. */
  reconsider(): void {
    this.#slots.reconsider();
  }

  /** Waits until the prewarmed processes can take a script. */
  async ready(): Promise<void> {
    await this.#pool.ready();
  }

  /**
   * Runs one script to its end.
   *
   * @param request the script, its grants and limits, after every ceiling
   * @param port what the script can reach
   * @param signal the caller's; aborting it kills the process
   * @returns how it ended: what a script did wrong is in `error`
   * @throws {McpxError} `queue-full`, `sandbox-unavailable`, `cancelled` before it started, `daemon-stopping`
   */
  async run(request: ScriptRequest, port: ScriptPort, signal: AbortSignal): Promise<ScriptOutcome> {
    using _slot = await this.#slots.take(signal);
    if (this.#closed) {
      throw new McpxError("daemon-stopping", "Cannot run the script: the daemon is shutting down.");
    }
    const process = this.#processFor(request);
    this.#running.add(process);
    process.exited.then(() => this.#running.delete(process));
    try {
      await this.#whenReady(process, signal);
      return await runScript(process, { request, port, signal, without: this.#options.without });
    } finally {
      process.kill();
      this.#pool.fill();
      // Nothing may still write into a folder that is about to be removed.
      if (request.grants.write !== undefined) await process.exited;
    }
  }

  /** Ends every process and waits until all are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#slots.close();
    await Promise.all([
      this.#pool[Symbol.asyncDispose](),
      ...[...this.#running].map((process) => process[Symbol.asyncDispose]()),
    ]);
  }

  /** {@link close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #denoDir(): string {
    return `${this.#options.stateFolder}/deno`;
  }

  get #emptyFolder(): string {
    return `${this.#options.stateFolder}/empty`;
  }

  #processFor({ grants, limits }: ScriptRequest): SandboxProcess {
    const { read, net, run, write } = grants;
    const none = read.length + net.length + run.length === 0 && write === undefined;
    if (none && limits.cpuSeconds <= this.#options.cpuSeconds) return this.#pool.take();
    const permissions = { read, net, run, ...(write === undefined ? {} : { write }) };
    return this.#start(permissions, limits.cpuSeconds);
  }

  #start(grants: Permissions, cpuSeconds: number): SandboxProcess {
    const { heapMb, host, without } = this.#options;
    const timeZone = Deno.env.get("TZ");
    const command = buildSandboxCommand({
      isolation: this.#isolation,
      host,
      denoPath: Deno.execPath(),
      heapMb,
      cpuSeconds,
      grants,
      cwd: grants.write ?? this.#emptyFolder,
      denoDir: this.#denoDir,
      os: Deno.build.os === "linux" || Deno.build.os === "darwin" ? Deno.build.os : "other",
      without,
      ...this.#tools,
      ...(timeZone === undefined ? {} : { timeZone }),
    });
    return new SandboxProcess(command, { grants, cpuSeconds, ...(without.length > 0 ? { without } : {}) });
  }

  async #whenReady(process: SandboxProcess, signal: AbortSignal): Promise<void> {
    const { startTimeoutMs } = this.#options;
    const stopped = Promise.withResolvers<never>();
    const cancel = (): void =>
      stopped.reject(new McpxError("cancelled", "The run was cancelled by its caller."));
    const late = setTimeout(() => {
      const message = `Cannot start a sandbox: it was not ready within ${startTimeoutMs} ms.`;
      stopped.reject(new McpxError("sandbox-unavailable", message));
    }, startTimeoutMs);
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      await Promise.race([process.ready, stopped.promise]);
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", cancel);
    }
  }
}

/** A compiled program starts itself; from source the host has a file of its own, which a process without any permission may load. */
function ownHost(): SandboxHost {
  return Deno.build.standalone
    ? { kind: "self", command: [Deno.execPath(), "__sandbox"] }
    : { kind: "file", path: fileURLToPath(new URL("./host_entry.ts", import.meta.url)) };
}

function findTools(): { setpriv?: string; bwrap?: string } {
  if (Deno.build.os !== "linux") return {};
  const found: { setpriv?: string; bwrap?: string } = {};
  for (const name of ["setpriv", "bwrap"] as const) {
    const path = ["/usr/bin", "/bin", "/usr/local/bin"].map((folder) => `${folder}/${name}`).find(isFile);
    if (path !== undefined) found[name] = path;
  }
  return found;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** `auto` asks once whether bubblewrap may make its namespaces here: in many containers it may not. */
function chooseIsolation(wanted: "auto" | SandboxIsolation, bwrap: string | undefined): SandboxIsolation {
  if (wanted === "process") return "process";
  const works = bwrap !== undefined && new Deno.Command(bwrap, {
    args: ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "/bin/true"],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).outputSync().success;
  if (works) return "bwrap";
  if (wanted === "auto") return "process";
  throw new McpxError(
    "sandbox-unavailable",
    "Cannot isolate with bubblewrap: bwrap is missing or may not run here.",
    {
      hint: "mcpx settings set script.isolation process",
    },
  );
}
