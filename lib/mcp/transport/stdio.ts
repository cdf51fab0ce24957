import { McpxError } from "../../errors/mod.ts";
import { parseJson } from "../../json/mod.ts";
import { settlesWithin } from "../delay.ts";
import type { OutgoingMessage } from "../json_rpc.ts";
import type { ConnectionEnd, UpstreamTarget } from "../types.ts";
import { ByteTail } from "./byte_tail.ts";
import { findCommand } from "./find_command.ts";
import { type DroppedLine, LineSplitter } from "./line_splitter.ts";
import { signalGroup, stopGroup } from "./process_group.ts";
import type { Transport, TransportEvents } from "./transport.ts";

/** The limits of one child's streams. */
export interface StdioOptions {
  stderrTailBytes: number;
  maxMessageBytes: number;
}

/** How long a child's pipes may outlive the child, and a child its standard output. */
const DRAIN_MS = 500;
const SAMPLE_CHARS = 120;
const CHUNK_BYTES = 64 * 1024;

/**
 * Starts a server's process in a group of its own and speaks JSON lines with it.
 *
 * @param target command, arguments, the child's whole environment, working folder
 * @param options limits
 * @param events where messages and notes go
 * @throws {McpxError} `upstream-command-missing`, `upstream-cwd-missing`
 */
export async function openStdio(
  target: UpstreamTarget & { kind: "stdio" },
  options: StdioOptions,
  events: TransportEvents,
): Promise<Transport> {
  const file = await findCommand(target.command, target);
  return new StdioTransport(spawn(file, target), options, events);
}

function spawn(file: string, target: UpstreamTarget & { kind: "stdio" }): Deno.ChildProcess {
  try {
    return new Deno.Command(file, {
      args: target.args,
      env: target.env,
      clearEnv: true,
      detached: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      ...(target.cwd === undefined ? {} : { cwd: target.cwd }),
    }).spawn();
  } catch (cause) {
    const state = cause instanceof Deno.errors.PermissionDenied
      ? `${file} may not be executed`
      : cause instanceof Deno.errors.NotFound
      ? `${file} is there, but the system cannot run it (is the interpreter of its first line installed?)`
      : `${file} is there, but the system cannot run it (${cause instanceof Error ? cause.message : cause})`;
    throw new McpxError("upstream-command-missing", `Cannot start ${target.command}: ${state}.`, {
      hint: `head -1 ${file}; ls -l ${file}`,
      data: { command: target.command, path: file },
      cause,
    });
  }
}

type PipeReader = ReadableStreamBYOBReader;

class StdioTransport implements Transport {
  readonly streamPerRequest = false;
  readonly pid: number;
  readonly ended: Promise<ConnectionEnd>;
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #pipes: [PipeReader, PipeReader];
  readonly #stderr: ByteTail;
  readonly #events: TransportEvents;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  #outgoing = "";
  #writing: Promise<void> | undefined;
  #junkNoted = false;
  #stopping: Promise<void> | undefined;
  #closed = false;

  constructor(child: Deno.ChildProcess, options: StdioOptions, events: TransportEvents) {
    this.#child = child;
    this.pid = child.pid;
    this.#events = events;
    this.#stderr = new ByteTail(options.stderrTailBytes);
    this.#stdin = child.stdin.getWriter();
    const splitter = new LineSplitter(
      options.maxMessageBytes,
      (line) => this.#take(line),
      (line) => events.tooLarge(line.bytes, answeredId(line)),
    );
    this.#pipes = [child.stdout.getReader({ mode: "byob" }), child.stderr.getReader({ mode: "byob" })];
    const stdout = drain(this.#pipes[0], (chunk) => splitter.push(chunk)).then(() => splitter.end());
    const stderr = drain(this.#pipes[1], (chunk) => this.#stderr.push(chunk));
    this.ended = this.#watch(stdout, stderr);
  }

  stderrTail(): string {
    return this.#stderr.text();
  }

  /** What comes while a write is under way goes out together in the next one. */
  async send(message: OutgoingMessage): Promise<void> {
    this.#outgoing += JSON.stringify(message) + "\n";
    this.#writing ??= this.#write();
    await this.#writing;
  }

  setHeaders(): void {}

  openStandingStream(): void {}

  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    await this.#stop(graceMs);
    await this.ended;
  }

  async #write(): Promise<void> {
    try {
      while (this.#outgoing !== "") {
        const bytes = this.#encoder.encode(this.#outgoing);
        this.#outgoing = "";
        await this.#stdin.write(bytes);
      }
    } finally {
      this.#writing = undefined;
    }
  }

  #stop(graceMs: number): Promise<void> {
    this.#stopping ??= (async () => {
      this.#stdin.close().catch(() => {});
      await stopGroup(this.#child, graceMs);
    })();
    return this.#stopping;
  }

  #take(line: Uint8Array): void {
    const first = line.find((byte) => byte > 32);
    if (first === undefined) return;
    const text = this.#decoder.decode(line);
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      return this.#junk(text);
    }
    if (typeof value !== "object" || value === null) return this.#junk(text);
    this.#events.message(value);
  }

  #junk(text: string): void {
    if (this.#junkNoted) return;
    this.#junkNoted = true;
    this.#events.note(
      `The server prints text on its standard output that is no message; it is skipped. First such line: ` +
        JSON.stringify(text.length > SAMPLE_CHARS ? text.slice(0, SAMPLE_CHARS) + "…" : text),
    );
  }

  /** Waits for the end of the child or of its output, ends what is left of the group, and says how it went. */
  async #watch(stdout: Promise<void>, stderr: Promise<void>): Promise<ConnectionEnd> {
    const pipeEnded = Promise.race([stdout, this.#stdin.closed.catch(() => {})]);
    await Promise.race([this.#child.status, pipeEnded]);
    // A pipe that ends mostly means that the child is about to; one that lives on cannot be spoken with.
    const inTime = this.#closed || await settlesWithin(this.#child.status, DRAIN_MS);
    if (!inTime) await this.#stop(DRAIN_MS);
    const status = await this.#child.status;
    if (!this.#stopping) {
      this.#stdin.close().catch(() => {});
      signalGroup(this.pid, "SIGKILL");
    }
    await this.#stopping;
    await this.#letGo(Promise.all([stdout, stderr]));
    const stderrTail = this.stderrTail();
    const how = status.signal ? `signal ${status.signal}` : `exit status ${status.code}`;
    return {
      kind: this.#closed ? "closed" : inTime ? "exited" : "lost",
      ...(status.signal ? { signal: status.signal } : { code: status.code }),
      ...(stderrTail === "" ? {} : { stderrTail }),
      message: this.#closed
        ? `stopped by mcpx (${how})`
        : inTime
        ? `the server's process ended (${how})`
        : "the server closed its standard input or output",
    };
  }

  /** Waits for what is still in the pipes; a process that left the group could hold them open for ever. */
  async #letGo(drained: Promise<unknown>): Promise<void> {
    if (await settlesWithin(drained, DRAIN_MS)) return;
    this.#events.note("A process that the server started in a group of its own still holds its output open.");
    for (const pipe of this.#pipes) await pipe.cancel();
  }
}

/** Reads a pipe to its end into one buffer, used again and again: half the time per message of a default reader. */
async function drain(pipe: PipeReader, take: (chunk: Uint8Array) => void): Promise<void> {
  let buffer: Uint8Array<ArrayBuffer> = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    const { value, done } = await pipe.read(buffer);
    if (value) take(value);
    if (done || !value) return;
    buffer = new Uint8Array(value.buffer);
  }
}

/** The id of the request that a dropped line answered, where its first or last bytes show it. */
function answeredId(line: DroppedLine): number | undefined {
  const decoder = new TextDecoder();
  const match =
    /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+)\s*,/.exec(decoder.decode(line.head)) ??
      /"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(decoder.decode(line.tail));
  return match ? Number(match[1]) : undefined;
}
