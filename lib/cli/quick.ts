import { VERSION } from "../version.ts";
import { type ClientConfig, clientConfig } from "./client_config.ts";
import { FIXED_ANSWERS } from "./fixed_answers.ts";
import { FrameReader } from "./frames.ts";
import { recordedSocket } from "./recorded_socket.ts";
import { daemonFiles } from "./socket_path.ts";
import { HttpConnection } from "./transport.ts";

/** What a command sends to have itself run by the daemon: `POST /v1/command`. */
export interface CommandRequest {
  argv: string[];
  cwd: string;
  parentPid: number;
  /** The variables that the configuration names, mcpx's own, and those that say how to print. */
  env: Record<string, string>;
  isTerminal: { stdout: boolean; stderr: boolean };
  version: string;
  /** The key of the configuration set. */
  key: string;
}

/** Words that only the process at hand can follow: standard input, a file beside it, where the daemon is. */
const HERE = /^-$|^@|=@|=-$|^--(config|daemon|inline|http|args|allow-env)/;
/** Commands about the daemon itself, which must not depend on it. */
const ABOUT_DAEMONS = new Set(["daemons", "doctor", "paths", "stop"]);
/** Client settings in a file decide which daemon is asked. */
const CLIENT_SETTINGS = /"(daemon\.)?(endpoint|inline|token)"/;
/** How long a daemon may take to begin an answer, ms: it is stopped or stuck then. */
const PATIENCE_MS = 20_000;
const PRINTING = ["NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM", "CI", "COLUMNS"];
const FOLDERS = /^(HOME|XDG_[A-Z_]+)$/;

/**
 * Answers what is always answered the same, and lets a daemon that already runs do all the work of other commands: parsing, asking,
 * rendering. It does so with warm code, where this process would spend most of its life loading and interpreting its own.
 *
 * Only for commands that nobody sits in front of and that need nothing of this process.
 *
 * @param argv the words after the program's name
 * @returns the exit status; nothing where the command has to be run here, and then nothing was done
 */
export async function runQuick(argv: readonly string[]): Promise<number | undefined> {
  const fixed = argv.length === 1 ? FIXED_ANSWERS[argv[0] ?? ""] : undefined;
  if (fixed !== undefined && !Deno.stdout.isTerminal()) {
    writeAll(Deno.stdout, new TextEncoder().encode(fixed));
    return 0;
  }
  if (ABOUT_DAEMONS.has(argv[0] ?? "")) return undefined;
  if (argv.length === 0 || argv.some((word) => HERE.test(word)) || Deno.stdin.isTerminal()) return undefined;
  const env = Deno.env.toObject();
  if (Object.keys(env).some((name) => name.startsWith("MCPX_DAEMON_"))) return undefined;
  const loading = import("./signals.ts" as string) as Promise<typeof import("./signals.ts")>;
  const connection = await connect(env);
  if (!connection) return undefined;
  const { api, config } = connection;
  const body: CommandRequest = {
    argv: [...argv],
    cwd: Deno.cwd(),
    parentPid: Deno.ppid,
    env: sentVariables(env, config),
    isTerminal: { stdout: Deno.stdout.isTerminal(), stderr: Deno.stderr.isTerminal() },
    version: VERSION,
    key: config.key,
  };
  // Not a timer of the usual kind: the first one of a process costs a third of what an empty program takes.
  const limit = AbortSignal.timeout(PATIENCE_MS);
  const patience = new AbortController();
  const giveUp = (): void => patience.abort();
  limit.addEventListener("abort", giveUp);
  let interruptedWith: number | undefined;
  let stopListening = (): void => undefined;
  const shown = { any: false };
  try {
    // Before anything is sent: from then on an interruption is the daemon's to know.
    stopListening = (await loading).onSignals((status) => {
      if (interruptedWith !== undefined) Deno.exit(status);
      interruptedWith = status;
      api.close(); // by which the daemon learns that nobody waits any more
    });
    const request = { method: "POST", path: "/v1/command", headers: {}, body: JSON.stringify(body) };
    const response = await api.request(request, patience.signal);
    limit.removeEventListener("abort", giveUp); // it begins its answer at once, and may then take as long as the work takes
    if (response.status !== 200) return undefined;
    return await show(response.body, shown);
  } catch (error) {
    const json = argv.includes("--json");
    if (interruptedWith === undefined) return fail(error, { json, silent: patience.signal.aborted });
    // What has begun to be printed is no document any more, whatever comes after it.
    tellInterrupted(json && !shown.any);
    return interruptedWith;
  } finally {
    stopListening();
    api.close();
  }
}

async function connect(
  env: Record<string, string>,
): Promise<{ api: HttpConnection; config: ClientConfig } | undefined> {
  try {
    const config = clientConfig({ cwd: Deno.cwd(), env: (name) => env[name] });
    if (config.texts.some(({ text }) => CLIENT_SETTINGS.test(text))) return undefined;
    const { paths, key } = config;
    const { socket } = daemonFiles({ runtime: paths.runtime, key, uid: Deno.uid() });
    const api = await openOwn(socket) ?? await openOwn(recordedSocket(paths.state, key) ?? socket);
    return api && { api, config };
  } catch {
    return undefined; // a configuration that cannot be used: the whole command line says so
  }
}

/** Connects to a socket in a folder of this user's; nothing where nobody listens there. */
async function openOwn(socket: string): Promise<HttpConnection | undefined> {
  try {
    if (Deno.lstatSync(socket.slice(0, socket.lastIndexOf("/"))).uid !== Deno.uid()) return undefined;
    return await HttpConnection.open({ kind: "unix", path: socket });
  } catch {
    return undefined;
  }
}

function sentVariables(env: Record<string, string>, config: ClientConfig): Record<string, string> {
  const sent: Record<string, string> = {};
  const named = new Set([...config.variables, ...PRINTING]);
  for (const [name, value] of Object.entries(env)) {
    if (named.has(name) || name.startsWith("MCPX_") || FOLDERS.test(name)) sent[name] = value;
  }
  return sent;
}

/** Writes what the daemon sends to the streams that it is for; gives the exit status that ends it. */
async function show(body: AsyncIterable<Uint8Array>, shown: { any: boolean }): Promise<number> {
  const reader = new FrameReader();
  for await (const bytes of body) {
    for (const { tag, payload } of reader.push(bytes)) {
      if (tag === "exit") return payload[0] ?? 1;
      if (tag === "stdout") shown.any = true;
      if (!writeAll(tag === "stdout" ? Deno.stdout : Deno.stderr, payload)) return 0;
    }
  }
  throw new Error("the connection ended before the answer did");
}

/** Says that the command was interrupted, to whoever can still read it. */
function tellInterrupted(asDocument: boolean): void {
  const message = "Interrupted: the request was cancelled.";
  const text = asDocument ? JSON.stringify({ error: { code: "cancelled", message } }) : `error: ${message}`;
  try {
    writeAll(asDocument ? Deno.stdout : Deno.stderr, new TextEncoder().encode(`${text}\n`));
  } catch (error) {
    if (!(error instanceof WriteError)) throw error; // a terminal that is closed takes nothing
  }
}

/** Tells what ended the command half-way: the daemon may have done its work already. */
function fail(error: unknown, { json, silent }: { json: boolean; silent: boolean }): number {
  const unwritable = error instanceof WriteError;
  const [message, hint] = unwritable
    ? [`Cannot write the answer: ${error.message}.`, "Look at the space and the permissions there."]
    : silent
    ? [
      `Cannot use the daemon: it has not answered for ${PATIENCE_MS / 1000} s.`,
      "mcpx daemons shows its process: kill -9 that, and the next command starts another.",
    ]
    : [
      "Cannot finish the command, the daemon went away: the outcome is unknown, it may have taken effect.",
      "Look whether it took effect before running it again.",
    ];
  const document = json && !unwritable;
  const text = document
    ? JSON.stringify({ error: { code: "daemon-unreachable", message, hint } })
    : `error: ${message}\nhint: ${hint}`;
  writeAll(document ? Deno.stdout : Deno.stderr, new TextEncoder().encode(`${text}\n`));
  return 1;
}

/** A stream that takes no more, though somebody is still there to read it. */
class WriteError extends Error {}

/** Whether somebody still reads. */
function writeAll(sink: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): boolean {
  try {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(sink.writeSync(rest));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return false;
    throw new WriteError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
