import { McpxError } from "../errors/mod.ts";

/** How a command's output is got. */
export interface CommandOptions {
  /** Where the command is written, for messages. */
  place: string;
  /** The folder that it runs in. */
  folder: string;
  /** The most it may take, ms; default 60,000: a keychain waits for a person. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

const MAX_OUTPUT_BYTES = 1024 * 1024;

/**
 * Runs a command of the user's own configuration through `sh -c` and gives its output without the space around it.
 *
 * @param command as written between `${cmd:` and `}`
 * @param options its place, folder and bounds
 * @returns the trimmed output
 * @throws {McpxError} `server-config` when it fails, prints nothing, too much, or takes too long; `cancelled`
 */
export async function commandOutput(command: string, options: CommandOptions): Promise<string> {
  const { place, timeoutMs = 60_000 } = options;
  if (options.signal?.aborted) {
    throw new McpxError("cancelled", `Cancelled before the command of ${place} ran.`);
  }
  const child = start(command, options);
  let stopped: "timeout" | "output" | "cancelled" | undefined;
  const stop = (why: typeof stopped): void => {
    stopped ??= why;
    try {
      // The command is the leader of its own process group: what it started ends with it.
      Deno.kill(-child.pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) && !(error instanceof TypeError)) throw error;
      killOne(child);
    }
  };
  const cancel = (): void => stop("cancelled");
  options.signal?.addEventListener("abort", cancel, { once: true });
  const limit = setTimeout(() => stop("timeout"), timeoutMs);
  try {
    const [out, err, status] = await Promise.all([
      readBounded(child.stdout, () => stop("output")),
      readBounded(child.stderr, () => stop("output")),
      child.status,
    ]);
    const failure = failureOf(stopped, { status, err, out, timeoutMs });
    if (failure === undefined) return out.trim();
    throw stopped === "cancelled"
      ? new McpxError("cancelled", `Cancelled while the command of ${place} ran.`)
      : commandError(place, failure);
  } finally {
    clearTimeout(limit);
    options.signal?.removeEventListener("abort", cancel);
  }
}

function start(command: string, { place, folder }: CommandOptions): Deno.ChildProcess {
  try {
    return new Deno.Command("sh", {
      args: ["-c", command],
      cwd: folder,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
  } catch (error) {
    throw commandError(place, error instanceof Error ? error.message : String(error));
  }
}

function killOne(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof TypeError)) throw error;
  }
}

function failureOf(
  stopped: string | undefined,
  { status, err, out, timeoutMs }: {
    status: Deno.CommandStatus;
    err: string;
    out: string;
    timeoutMs: number;
  },
): string | undefined {
  if (stopped === "timeout") return `it took longer than ${timeoutMs} ms`;
  if (stopped === "output") return `it printed more than ${MAX_OUTPUT_BYTES} bytes`;
  if (stopped) return stopped;
  const last = err.trim().split("\n").at(-1)?.slice(0, 200);
  if (!status.success) {
    return `it ended with ${status.signal ?? `exit status ${status.code}`}${last ? `: ${last}` : ""}`;
  }
  return out.trim() === "" ? "it printed nothing" : undefined;
}

function commandError(place: string, reason: string): McpxError {
  return new McpxError("server-config", `Cannot run the command of ${place}: ${reason}.`, {
    hint: "Run the command between ${cmd: and } in a shell to see what it does.",
  });
}

async function readBounded(stream: ReadableStream<Uint8Array>, tooMuch: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes <= MAX_OUTPUT_BYTES) text += decoder.decode(chunk, { stream: true });
    else tooMuch();
  }
  return text + decoder.decode();
}
