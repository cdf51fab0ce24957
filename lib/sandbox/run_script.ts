import { McpxError } from "../errors/mod.ts";
import type { SandboxExit, SandboxProcess } from "./process.ts";
import {
  answerLine,
  failureLine,
  parseSandboxLine,
  ProtocolFault,
  type RunMessage,
  type SandboxMessage,
} from "./protocol.ts";
import { RunClock } from "./run_clock.ts";
import type { SandboxLayer, ScriptOutcome, ScriptPort, ScriptRequest } from "./types.ts";

type Failure = NonNullable<ScriptOutcome["error"]>;
type CallMessage = Extract<SandboxMessage, { t: "call" }>;

/** How bubblewrap, which stands in front, passes on the signal that ended a process. */
const SIGNAL_BY_EXIT: Readonly<Record<number, string>> = {
  132: "SIGILL",
  133: "SIGTRAP",
  134: "SIGABRT",
  152: "SIGXCPU",
};

/** How much longer bytes are as base64. */
const BASE64_GROWTH = 4 / 3;

/** How many bytes of arguments the calls of one script may hold while they are open; it could not have more itself. */
const MOST_OPEN_BYTES = 64 * 1024 ** 2;

/** Bytes around a payload on its line. */
const LINE_SLACK = 4096;

/**
 * Runs one script on one process and keeps every limit that is the daemon's: the clock, calls, output, result, one verdict. The process is
 * killed when the run ends, however it ends.
 *
 * @param process a process that is ready and was never used
 * @param run the request, what the script can reach, the caller's signal, and the layers that a test leaves out
 * @returns how it ended; a script's failure is an outcome, not a throw
 */
export function runScript(
  process: SandboxProcess,
  run: {
    request: ScriptRequest;
    port: ScriptPort;
    signal: AbortSignal;
    without?: readonly SandboxLayer[];
  },
): Promise<ScriptOutcome> {
  const bounded = run.without?.includes("daemon") !== true;
  return new ScriptRun(process, { ...run, bounded }).start(run.signal);
}

class ScriptRun {
  readonly #process: SandboxProcess;
  readonly #request: ScriptRequest;
  readonly #port: ScriptPort;
  readonly #clock: RunClock;
  /** Whether the daemon's own limits hold. */
  readonly #bounded: boolean;
  readonly #calls = new AbortController();
  readonly #notes: string[] = [];
  readonly #open = new Set<number>();
  readonly #startedAt = performance.now();
  readonly #outcome = Promise.withResolvers<ScriptOutcome>();
  #ended = false;
  #parsed = false;
  #callCount = 0;
  #requestCount = 0;
  #outputBytes = 0;
  #artifactBytes = 0;
  /** Bytes of the calls that are open. */
  #openBytes = 0;

  constructor(
    process: SandboxProcess,
    { request, port, bounded }: { request: ScriptRequest; port: ScriptPort; bounded: boolean },
  ) {
    this.#process = process;
    this.#bounded = bounded;
    this.#request = request;
    this.#port = port;
    this.#clock = new RunClock(request.limits, {
      paused: () => port.paused(),
      cpuUsed: () => process.cpuUsed(),
      over: (code, message) => this.#fail({ code, message }),
    });
  }

  async start(signal: AbortSignal): Promise<ScriptOutcome> {
    const cancel = (): void =>
      this.#fail({ code: "cancelled", message: "The run was cancelled by its caller." });
    if (signal.aborted) cancel();
    else {
      signal.addEventListener("abort", cancel, { once: true });
      this.#process.exited.then((exit) => this.#fail(this.#exitFailure(exit)));
      this.#process.listen({
        line: (line) => this.#line(line),
        bytes: (_count, held) => this.#held(held),
      });
      if (this.#bounded) this.#clock.start();
      this.#process.send(this.#runLine());
    }
    try {
      return await this.#outcome.promise;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  #runLine(): string {
    const { source, filename, args, exportName = "default", namespaces, grants, limits } = this.#request;
    const { env, ...rest } = grants;
    const { timeoutMs: _timeout, maxWaitMs: _wait, cpuSeconds: _cpu, ...counted } = limits;
    const message: RunMessage = {
      t: "run",
      source,
      filename,
      args,
      exportName,
      namespaces,
      grants: rest,
      env,
      ...counted,
      hooks: this.#request.hooks ?? {},
    };
    return JSON.stringify(message);
  }

  /** An unfinished line that is longer than any line may be is output without end. */
  #held(held: number): void {
    const { maxOutputBytes, maxResultBytes, maxArtifactBytes } = this.#request.limits;
    // A result is JSON text inside a JSON string: quoting can double it.
    const longest = Math.max(
      maxOutputBytes,
      maxResultBytes * 2,
      maxArtifactBytes * BASE64_GROWTH,
      MOST_OPEN_BYTES,
    );
    if (this.#bounded && held > longest + LINE_SLACK) this.#tooMuchOutput();
  }

  #line(line: string): void {
    if (this.#ended) return;
    try {
      this.#message(parseSandboxLine(line), line.length);
    } catch (error) {
      if (!(error instanceof ProtocolFault)) throw error;
      this.#fail({
        code: "script-protocol",
        message: `The sandbox was ended: it sent a line that is not its protocol (${error.message}).`,
      });
    }
  }

  #message(message: SandboxMessage, bytes: number): void {
    if (message.t === "parsed") {
      if (this.#parsed) throw new ProtocolFault("it says twice that it parsed");
      this.#parsed = true;
      return;
    }
    if (message.t === "fail") return this.#fail(message.error);
    if (!this.#parsed) throw new ProtocolFault(`a ${message.t} line comes before the script`);
    if (message.t === "done") return this.#done(message);
    if (message.t === "call" && message.op === "artifact") this.#artifactBytes += bytes;
    else if (message.t !== "call") this.#outputBytes += bytes;
    if (this.#bounded && this.#outputBytes > this.#request.limits.maxOutputBytes) {
      return this.#tooMuchOutput();
    }
    if (this.#artifactBytes > this.#request.limits.maxArtifactBytes * BASE64_GROWTH + LINE_SLACK) {
      return this.#tooManyArtifacts();
    }
    if (message.t === "emit") this.#port.emit(message.json);
    else if (message.t === "log") this.#port.log(message.record);
    else if (message.t === "call") this.#call(message, bytes);
    else throw new ProtocolFault("it says again that it is ready");
  }

  #call(message: CallMessage, bytes: number): void {
    const { maxCalls, maxConcurrentCalls } = this.#request.limits;
    if (this.#open.has(message.id)) throw new ProtocolFault("it uses an id twice");
    if (this.#open.size >= maxConcurrentCalls) throw new ProtocolFault("it has too many calls open");
    if (++this.#requestCount > maxCalls && this.#bounded) {
      return this.#fail({
        code: "script-calls",
        message: `The script made more than ${maxCalls} calls and look-ups (exec.maxCalls).`,
      });
    }
    if (message.op === "call") this.#callCount++;
    const held = message.op === "artifact" ? 0 : bytes;
    this.#openBytes += held;
    if (this.#openBytes > MOST_OPEN_BYTES && this.#bounded) {
      const mebibytes = MOST_OPEN_BYTES / 1024 ** 2;
      return this.#fail({
        code: "script-calls",
        message: `The calls that the script has open hold more than ${mebibytes} MiB of arguments.`,
      });
    }
    this.#open.add(message.id);
    this.#answer(message).then((line) => {
      this.#open.delete(message.id);
      this.#openBytes -= held;
      if (!this.#ended) this.#process.send(line);
    });
  }

  async #answer(message: CallMessage): Promise<string> {
    try {
      return answerLine(message.id, await this.#ask(message));
    } catch (thrown) {
      const error = McpxError.from(thrown);
      return failureLine(message.id, {
        ...error.toBody(),
        ...(error.diagnostics === undefined ? {} : { diagnostics: error.diagnostics }),
      });
    }
  }

  async #ask({ op, name, body, mime }: CallMessage): Promise<string> {
    switch (op) {
      case "call":
        return await this.#port.call({ name, arguments: body }, this.#calls.signal);
      case "search":
        return await this.#port.search(name, Math.min(1000, Math.max(1, Math.trunc(Number(body)) || 10)));
      case "describe":
        return await this.#port.describe(name);
      case "artifact":
        return await this.#port.artifact(name, decodeBase64(body), mime ?? "application/octet-stream");
    }
  }

  #done({ result, open }: Extract<SandboxMessage, { t: "done" }>): void {
    const { maxResultBytes } = this.#request.limits;
    if (result !== undefined && byteLength(result, maxResultBytes) > maxResultBytes) {
      return this.#fail({
        code: "script-result",
        message: `Cannot return the result: it is larger than ${maxResultBytes} bytes (exec.maxResult).`,
      });
    }
    if (open > 0) {
      this.#notes.push(`${open} ${open === 1 ? "call was" : "calls were"} still open when the script ended.`);
    }
    this.#end({ ok: true, ...(result === undefined ? {} : { result }) });
  }

  #tooMuchOutput(): void {
    const { maxOutputBytes } = this.#request.limits;
    this.#notes.push("What the script printed after its limit is lost.");
    this.#fail({
      code: "script-output",
      message: `The script printed more than ${maxOutputBytes} bytes (exec.maxOutput).`,
    });
  }

  #tooManyArtifacts(): void {
    const { maxArtifactBytes } = this.#request.limits;
    this.#fail({
      code: "script-storage",
      message: `The script stored more than ${maxArtifactBytes} bytes as artifacts (exec.maxArtifacts).`,
    });
  }

  #fail(error: Failure): void {
    this.#end({ ok: false, error });
  }

  /** The one verdict: whatever comes later is not heard. */
  #end(verdict: Pick<ScriptOutcome, "ok" | "result" | "error">): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#clock.stop();
    this.#process.kill();
    this.#calls.abort(new McpxError("cancelled", "The script that made the call has ended."));
    this.#outcome.resolve({
      ...verdict,
      durationMs: performance.now() - this.#startedAt,
      calls: this.#callCount,
      outputBytes: this.#outputBytes + this.#artifactBytes,
      notes: this.#notes,
    });
  }

  /** What it means that the process ended by itself before a verdict. */
  #exitFailure({ code, signal: own, stderr }: SandboxExit): Failure {
    const signal = own ?? SIGNAL_BY_EXIT[code] ?? null;
    if (signal === "SIGXCPU") return this.#clock.cpuFailure();
    const died = signal === "SIGTRAP" || signal === "SIGABRT" || signal === "SIGILL";
    if (died && !this.#parsed) {
      return {
        code: "script-syntax",
        message: `Cannot parse ${this.#request.filename}: it is nested too deeply.`,
      };
    }
    // Deno exits with 1 when it gets no more memory for a thread; the host itself never does.
    if (died || (signal === null && code === 1 && this.#parsed)) {
      return {
        code: "script-memory",
        message: "The script used more memory than its limit (exec.heap).",
      };
    }
    return {
      code: "script-exited",
      message: `The sandbox ended before the script did (${signal ?? `exit ${code}`}).`,
      data: { stderr },
    };
  }
}

/** Length as UTF-8; counting stops where it is clear. */
function byteLength(text: string, limit: number): number {
  if (text.length > limit || text.length * 3 <= limit) return text.length;
  return new TextEncoder().encode(text).length;
}

function decodeBase64(text: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    throw new McpxError("invalid-input", "Cannot store the artifact: its bytes are not base64.");
  }
}
