import { McpxError } from "../errors/mod.ts";
import type { SandboxCommand } from "./command.ts";
import { LineSplitter } from "./lines.ts";
import type { InitMessage } from "./protocol.ts";

/** How a sandbox process ended. */
export interface SandboxExit {
  code: number;
  signal: string | null;
  /** The last words on its standard error. */
  stderr: string;
}

/** Who listens to a process while it runs a script. */
export interface SandboxListener {
  /** One whole line. */
  line(line: string): void;
  /** Bytes came, in lines or not yet: `held` belong to a line that is not finished. */
  bytes(count: number, held: number): void;
}

const STDERR_TAIL = 4096;
const START_LINE_LIMIT = 65_536;

/** One sandbox process, used for one script and then killed with everything that it started. */
export class SandboxProcess implements AsyncDisposable {
  readonly pid: number;
  /** Settles when the process is gone and its pipes are drained; never rejects. */
  readonly exited: Promise<SandboxExit>;
  /** Settles when it can take a script. */
  readonly ready: Promise<void>;
  /** What it may do, for whoever looks for one that fits. */
  readonly cpuSeconds: number;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  #listener: SandboxListener;
  #gone = false;

  /**
   * Starts a process.
   *
   * @param command what to run
   * @param options the permissions of its worker, and its limit of CPU time
   * @throws {McpxError} `sandbox-unavailable` when it cannot even be started
   */
  constructor(command: SandboxCommand, options: Omit<InitMessage, "t"> & { cpuSeconds: number }) {
    const { cpuSeconds, ...init } = options;
    this.cpuSeconds = cpuSeconds;
    this.#child = spawn(command);
    this.pid = this.#child.pid;
    this.#writer = this.#child.stdin.getWriter();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ready = promise;
    this.ready.catch(() => {}); // whoever takes the process asks again
    this.#listener = {
      line: (line) => line === '{"t":"ready"}' ? resolve() : this.kill(),
      bytes: (_count, held) => held > START_LINE_LIMIT ? this.kill() : undefined,
    };
    this.exited = this.#watch();
    this.exited.then((exit) => reject(unavailable(exit)));
    this.send(JSON.stringify({ t: "init", ...init }));
  }

  /** Whether it still runs. */
  get alive(): boolean {
    return !this.#gone;
  }

  /** From now on `listener` gets what the process writes. */
  listen(listener: SandboxListener): void {
    this.#listener = listener;
  }

  /** Writes one line; a process that is gone takes none, which its exit tells. */
  send(line: string): void {
    if (this.#gone) return;
    this.#writer.write(this.#encoder.encode(`${line}\n`)).catch(() => {});
  }

  /** Ends it at once, and every process in its group. */
  kill(): void {
    if (this.#gone) return;
    try {
      Deno.kill(-this.pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) && !(error instanceof TypeError)) throw error;
    }
  }

  /** CPU seconds used so far by it and what it started; nothing where the system does not tell. */
  async cpuUsed(): Promise<number | undefined> {
    return Deno.build.os !== "linux" || this.#gone ? undefined : await cpuOf(this.pid);
  }

  /** Kills it and waits until it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.exited;
  }

  async #watch(): Promise<SandboxExit> {
    const [status, , stderr] = await Promise.all([
      this.#child.status.then((status) => {
        this.#sweep();
        return status;
      }),
      this.#read(),
      tail(this.#child.stderr),
    ]);
    return { code: status.code, signal: status.signal, stderr };
  }

  /** The leader is gone: what it started is ended too, before its number can be given to another. */
  #sweep(): void {
    this.kill();
    this.#gone = true;
    this.#writer.abort().catch(() => {});
  }

  async #read(): Promise<void> {
    const splitter = new LineSplitter();
    for await (const chunk of this.#child.stdout) {
      for (const line of splitter.push(chunk)) this.#listener.line(line);
      this.#listener.bytes(chunk.length, splitter.heldBytes);
    }
  }
}

function spawn({ command, args, env, cwd }: SandboxCommand): Deno.ChildProcess {
  try {
    return new Deno.Command(command, {
      args,
      env,
      cwd,
      clearEnv: true,
      detached: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    throw new McpxError("sandbox-unavailable", "Cannot start a sandbox: its process could not be created.", {
      cause: error,
    });
  }
}

/** Sum over a process and its descendants, in seconds: bubblewrap puts itself in front of the one that works. */
async function cpuOf(pid: number): Promise<number | undefined> {
  try {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const own = (Number(fields[11]) + Number(fields[12])) / 100;
    const children = (await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`)).trim();
    if (children === "") return own;
    const used = await Promise.all(children.split(" ").map((child) => cpuOf(Number(child))));
    return used.reduce<number>((sum, seconds) => sum + (seconds ?? 0), own);
  } catch {
    return undefined; // it ended meanwhile
  }
}

function unavailable({ code, signal, stderr }: SandboxExit): McpxError {
  const how = signal === null ? `exit ${code}` : signal;
  return new McpxError("sandbox-unavailable", `Cannot start a sandbox: its process ended at once (${how}).`, {
    data: { stderr },
    hint: "mcpx doctor",
  });
}

/** Reads a stream to its end and keeps its last words. */
async function tail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let kept = "";
  for await (const chunk of stream) {
    kept = (kept + decoder.decode(chunk, { stream: true })).slice(-STDERR_TAIL);
  }
  return kept;
}
