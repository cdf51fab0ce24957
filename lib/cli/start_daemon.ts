import { McpxError } from "../errors/mod.ts";
import { openPrivateFile } from "../store/open_private_file.ts";
import { ensurePrivateFolder } from "../store/private_folder.ts";
import { SEALED_FLAGS } from "./sealed_flags.ts";

/** How a daemon is started. */
export interface StartOptions {
  /** The program and its arguments. */
  command: readonly string[];
  cwd: string;
  /** Where its stderr goes: appended, 0600. */
  logFile: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Starts a daemon in a session of its own, so that neither Ctrl-C nor the end of the terminal reaches it, and waits for the line that
 * it prints on stdout once its socket accepts.
 *
 * @throws {McpxError} `daemon-start` when it ends first or takes too long, with the end of its log; `cancelled` when aborted
 */
export async function startDaemon(options: StartOptions): Promise<void> {
  const logStart = await openLog(options.logFile);
  const child = new Deno.Command("/bin/sh", {
    // The shell leaves at once, so that the daemon is nobody's child. Its log is the shell's redirection: a pipe of the runtime's own
    // would break when this command ends.
    args: ["-c", 'log=$1; shift; "$@" 2>>"$log" &', "mcpx", options.logFile, ...options.command],
    cwd: options.cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
  let timedOut = false;
  const giveUp = (): void => killGroup(child.pid);
  const timer = setTimeout(() => {
    timedOut = true;
    giveUp();
  }, options.timeoutMs);
  options.signal.addEventListener("abort", giveUp, { once: true });
  const reader = child.stdout.getReader();
  try {
    await child.status;
    const { done } = await reader.read();
    if (!done) return;
    if (options.signal.aborted) {
      throw new McpxError("cancelled", "Interrupted while the daemon was starting.");
    }
    throw await startFailure(options, logStart, timedOut);
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", giveUp);
    await reader.cancel();
  }
}

/** A daemon idles most of its life: it keeps its young heap small, and gives memory back after a burst. */
const MEMORY_FLAGS = "--v8-flags=--expose-gc,--max-semi-space-size=4";

/** The command that starts this very program as a daemon, from source, bundled or compiled. */
export function daemonCommand(args: readonly string[]): string[] {
  if (Deno.build.standalone) return [Deno.execPath(), "daemon", ...args];
  const entry = Deno.mainModule.startsWith("file:")
    ? decodeURIComponent(new URL(Deno.mainModule).pathname)
    : Deno.mainModule;
  const sealed = /\.m?js$/.test(entry) ? SEALED_FLAGS : [];
  return [Deno.execPath(), "run", "-A", "--quiet", MEMORY_FLAGS, ...sealed, entry, "daemon", ...args];
}

/** Makes the log file where there is none; gives its size. */
async function openLog(path: string): Promise<number> {
  await ensurePrivateFolder(path.slice(0, path.lastIndexOf("/")));
  using file = await openPrivateFile(path, { append: true });
  return (await file.stat()).size;
}

function killGroup(pid: number): void {
  try {
    Deno.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function startFailure(options: StartOptions, logStart: number, timedOut: boolean): Promise<McpxError> {
  const log = (await Deno.readFile(options.logFile)).subarray(logStart);
  const said = new TextDecoder().decode(log).trim().split("\n");
  const tail = said.slice(-5).join("\n");
  const data = { log: options.logFile, stderr: tail };
  const own = timedOut ? undefined : lastError(said);
  if (own) {
    return new McpxError("daemon-start", `Cannot start the daemon: ${own.message}`, {
      hint: own.hint ?? `cat ${options.logFile}`,
      data,
    });
  }
  const what = timedOut
    ? `it was not ready within ${options.timeoutMs / 1000} s (daemon.startTimeout)`
    : "it ended before it was ready";
  return new McpxError(
    "daemon-start",
    `Cannot start the daemon: ${what}.${tail === "" ? "" : `\n${tail}`}`,
    { hint: `cat ${options.logFile}`, data },
  );
}

/** The error that a daemon ended with, as it showed it: `error: …`, then `hint: …`. */
function lastError(lines: readonly string[]): { message: string; hint?: string } | undefined {
  const start = lines.findLastIndex((line) => line.startsWith("error: "));
  if (start < 0) return undefined;
  const rest = lines.slice(start);
  const hints = rest.findIndex((line) => line.startsWith("hint: "));
  const message = rest.slice(0, hints < 0 ? rest.length : hints).join("\n").slice("error: ".length);
  return { message, ...(hints < 0 ? {} : { hint: rest.slice(hints).join("\n").slice("hint: ".length) }) };
}
