import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { McpxError } from "../../errors/mod.ts";
import { LineSplitter } from "../lines.ts";
import { RunSlots } from "../run_slots.ts";
import type { CheckAnswer, TypeProblem } from "./messages.ts";

/** How a {@link TypeChecker} is set up. */
export interface TypeCheckerOptions {
  /** How long the process lives without work, ms. Default 60,000. */
  idleMs?: number;
  /** How long one check may take, ms. Default 30,000. */
  timeoutMs?: number;
}

/** Checks at once; each has a process of its own meanwhile, so that no script's check can disturb another's. */
const AT_ONCE = 2;
const MOST_WAITING = 256;

/** Checks scripts against types, in processes that are started when they are needed; the last one stays for a while. */
export class TypeChecker implements AsyncDisposable {
  readonly #idleMs: number;
  readonly #timeoutMs: number;
  readonly #slots = new RunSlots(() => AT_ONCE, MOST_WAITING);
  readonly #live = new Set<CheckProcess>();
  #idle: CheckProcess | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: TypeCheckerOptions = {}) {
    this.#idleMs = options.idleMs ?? 60_000;
    this.#timeoutMs = options.timeoutMs ?? 30_000;
  }

  /** The processes that there are. */
  get pids(): number[] {
    return [...this.#live].map(({ pid }) => pid);
  }

  /**
   * Checks one script.
   *
   * @param source the script as written: top-level `await`, `return`, and imports from `mcpx` are what they are in a run
   * @param types the declarations of its globals
   * @param signal the caller's
   * @returns what does not fit, in the order of the script
   * @throws {McpxError} `unsupported` where the compiler is not at hand, `script-types` for a script that cannot be checked,
   * `cancelled`, `queue-full`
   */
  async check(source: string, types: string, signal: AbortSignal): Promise<TypeProblem[]> {
    using _slot = await this.#slots.take(signal);
    const process = this.#take();
    const stopped = Promise.withResolvers<never>();
    const cancel = (): void =>
      stopped.reject(new McpxError("cancelled", "The check was cancelled by its caller."));
    const late = setTimeout(() => {
      const message = `Cannot check the script's types: it took longer than ${this.#timeoutMs / 1000} s.`;
      stopped.reject(new McpxError("script-types", message));
    }, this.#timeoutMs);
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const problems = await Promise.race([process.check(source, types), stopped.promise]);
      this.#keep(process);
      return problems;
    } catch (error) {
      process.kill();
      throw error;
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Ends the processes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#slots.close();
    clearTimeout(this.#idleTimer);
    const live = [...this.#live];
    for (const process of live) process.kill();
    await Promise.all(live.map(({ gone }) => gone));
  }

  #take(): CheckProcess {
    clearTimeout(this.#idleTimer);
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle?.alive) return idle;
    const started = new CheckProcess();
    this.#live.add(started);
    void started.gone.then(() => this.#live.delete(started));
    return started;
  }

  #keep(process: CheckProcess): void {
    if (this.#idle?.alive) return process.kill();
    this.#idle = process;
    this.#idleTimer = setTimeout(() => process.kill(), this.#idleMs);
  }
}

interface Waiting {
  resolve(problems: TypeProblem[]): void;
  reject(error: McpxError): void;
}

class CheckProcess {
  readonly pid: number;
  /** Settles when it has ended; never rejects. */
  readonly gone: Promise<void>;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #ended = false;

  constructor() {
    this.#child = spawn();
    this.pid = this.#child.pid;
    this.#writer = this.#child.stdin.getWriter();
    this.gone = this.#watch();
  }

  /** Whether it can take a check. */
  get alive(): boolean {
    return !this.#ended;
  }

  async check(source: string, types: string): Promise<TypeProblem[]> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<TypeProblem[]>();
    this.#waiting.set(id, { resolve, reject });
    const line = this.#encoder.encode(`${JSON.stringify({ id, source, types })}\n`);
    this.#writer.write(line).catch(() => {}); // its end tells
    return await promise;
  }

  kill(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#child.kill("SIGKILL");
  }

  async #watch(): Promise<void> {
    const lines = new LineSplitter();
    for await (const chunk of this.#child.stdout) {
      for (const line of lines.push(chunk)) {
        const { id, problems }: CheckAnswer = JSON.parse(line);
        this.#waiting.get(id)?.resolve(problems);
        this.#waiting.delete(id);
      }
    }
    const { code, signal } = await this.#child.status;
    this.#ended = true;
    this.#writer.abort().catch(() => {});
    const how = signal ?? `exit ${code}`;
    for (const { reject } of this.#waiting.values()) {
      reject(new McpxError("script-types", `Cannot check the script's types: the compiler ended (${how}).`));
    }
  }
}

/** The compiler runs with the right to read its own folder, and nothing else of the machine. */
function spawn(): Deno.ChildProcess {
  const own = Deno.build.standalone;
  const args = own ? ["__typecheck"] : [
    "run",
    "--quiet",
    "--no-prompt",
    "--no-remote",
    "--cached-only",
    "--no-check",
    "--no-lock",
    "--v8-flags=--max-old-space-size=512",
    "--allow-env",
    `--allow-read=${compilerFolder()}`,
    fileURLToPath(new URL("./checker_entry.ts", import.meta.url)),
  ];
  const home = Deno.env.get("HOME");
  const denoDir = Deno.env.get("DENO_DIR");
  return new Deno.Command(Deno.execPath(), {
    args,
    clearEnv: true,
    env: {
      PATH: "/usr/bin:/bin",
      NO_COLOR: "1",
      DENO_NO_UPDATE_CHECK: "1",
      ...(home === undefined ? {} : { HOME: home }),
      ...(denoDir === undefined ? {} : { DENO_DIR: denoDir }),
    },
    cwd: "/",
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
}

function compilerFolder(): string {
  try {
    const path = createRequire(import.meta.url).resolve("typescript");
    return path.slice(0, path.lastIndexOf("/"));
  } catch (cause) {
    throw new McpxError("unsupported", "Cannot check types: the TypeScript compiler is not installed.", {
      hint: "deno install",
      cause,
    });
  }
}
