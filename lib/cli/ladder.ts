import { McpxError } from "../errors/mod.ts";
import { isDeserted } from "./accepts.ts";
import { type Api, readText } from "./api.ts";
import { delay } from "./delay.ts";
import { openSocket } from "./open_socket.ts";
import { type DaemonAddress, HttpConnection } from "./transport.ts";

/** What a daemon says of itself at `GET /v1/health`. */
export interface DaemonHealth {
  version: string;
  pid: number;
  key: string;
  startedAt: string;
  ready: boolean;
}

/** How a command reaches the API. */
export interface LadderOptions {
  /** The version of the command line. */
  version: string;
  /** The key of the configuration set. */
  key: string;
  /** Where the local daemon listens. */
  socket: string;
  /** A configured daemon; then no local one is used or started. */
  endpoint?: { address: DaemonAddress; text: string; token?: string };
  /** Use only a daemon that runs already. */
  existingOnly?: boolean;
  /** Flags that only a starting daemon can take, for the sentence that refuses them. */
  daemonFlags: readonly string[];
  /** Starts a daemon and returns when its socket accepts, or when somebody else's does. */
  start(): Promise<void>;
  /** The API of the daemon that this command runs in already. */
  here?: () => Promise<Api>;
  /** The API in this process, where that was asked for. */
  inline?: () => Promise<Api>;
  /** How long a daemon may take to become ready or to leave. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Shows a sentence on stderr. */
  note(text: string): void;
}

/** The API, and how it was reached. */
export interface Reached {
  api: Api;
  /** Headers that every request needs there. */
  headers: Record<string, string>;
  by: "inline" | "endpoint" | "local" | "started";
}

const POLL_MS = 20;
/** A daemon that is stopped or stuck cannot be asked to end. */
const SILENT_HINT = "mcpx daemons shows its process: kill -9 that, and the next command starts another.";

/**
 * Climbs from a command to the API: in this process if that was asked for, a configured endpoint, an existing local daemon, else a
 * daemon that is started.
 *
 * @returns the API; nothing where only an existing daemon would do and none runs
 * @throws {McpxError} `daemon-unreachable`, `daemon-start`, `unauthorized`, `setting-scope`, `cancelled`
 */
export async function reachApi(options: LadderOptions): Promise<Reached | undefined> {
  if (options.here) {
    refuseDaemonFlags(options, Deno.pid);
    return { api: await options.here(), headers: {}, by: "local" };
  }
  if (options.inline) return { api: await options.inline(), headers: {}, by: "inline" };
  if (options.endpoint) return await reachEndpoint(options, options.endpoint);
  let started = false;
  for (let attempt = 0; attempt < 3; attempt++) {
    const api = await connectLocal(options);
    if (!api) {
      if (options.existingOnly) return undefined;
      await options.start();
      started = true;
      continue;
    }
    const usable = await closedUnless(api, () => isUsable(api, options, started));
    if (usable) return { api, headers: {}, by: started ? "started" : "local" };
  }
  throw new McpxError(
    "daemon-unreachable",
    `Cannot reach the daemon: nothing answers on ${options.socket}.`,
    {
      hint: "mcpx daemons",
    },
  );
}

/** Whether the daemon behind a local connection is ready, ours, and of this version or newer. */
async function isUsable(api: HttpConnection, options: LadderOptions, started: boolean): Promise<boolean> {
  const where = `the socket ${options.socket}`;
  const health = await checkHealth(api, options, where, {});
  if (health === undefined) return false;
  if (health.key !== options.key) throw foreign(where, "it serves another configuration");
  if (!options.existingOnly && await replaceOlder(api, health, options)) return false;
  if (!started) refuseDaemonFlags(options, health.pid);
  return true;
}

/** Closes a connection that turned out to be of no use. */
async function closedUnless(api: HttpConnection, test: () => Promise<boolean>): Promise<boolean> {
  let useful = false;
  try {
    useful = await test();
    return useful;
  } finally {
    if (!useful) api.close();
  }
}

/**
 * Reads `daemon.endpoint`: `http://host:port`, `unix:/path` or an absolute path.
 *
 * @throws {McpxError} `invalid-input` for anything else
 */
export function parseEndpoint(text: string): DaemonAddress {
  if (text.startsWith("/")) return { kind: "unix", path: text };
  if (/^unix:(\/\/)?\//.test(text)) return { kind: "unix", path: text.replace(/^unix:(\/\/)?/, "") };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:") {
    throw new McpxError(
      "invalid-input",
      `Cannot use daemon.endpoint ${JSON.stringify(text)}: no such address.`,
      {
        hint: "--daemon-endpoint http://127.0.0.1:7411 or --daemon-endpoint unix:/path/to/mcpx.sock",
      },
    );
  }
  return { kind: "tcp", hostname: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || "80") };
}

async function reachEndpoint(
  options: LadderOptions,
  endpoint: NonNullable<LadderOptions["endpoint"]>,
): Promise<Reached> {
  const where = endpoint.text;
  let api: HttpConnection;
  try {
    api = await HttpConnection.open(endpoint.address);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new McpxError(
      "daemon-unreachable",
      `Cannot reach the daemon at ${where} (daemon.endpoint): ${why}.`,
      {
        hint: "Start it there, or unset daemon.endpoint to use a local one.",
        cause: error,
      },
    );
  }
  const headers: Record<string, string> = endpoint.token ? { authorization: `Bearer ${endpoint.token}` } : {};
  await closedUnless(api, async () => {
    const health = await checkHealth(api, options, where, headers);
    if (health === undefined) throw foreign(where, "it closed the connection");
    if (health.version !== options.version) {
      options.note(`The daemon at ${where} is version ${health.version}, this command ${options.version}.`);
    }
    refuseDaemonFlags(options, health.pid);
    return true;
  });
  return { api, headers, by: "endpoint" };
}

/** Connects to the local socket; nothing where no daemon listens. */
async function connectLocal(
  { socket, timeoutMs, signal }: LadderOptions,
): Promise<HttpConnection | undefined> {
  try {
    refuseStranger(socket);
    return await openSocket(socket, { timeoutMs, signal });
  } catch (error) {
    if (isDeserted(error)) return undefined;
    if (error instanceof McpxError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new McpxError("daemon-unreachable", `Cannot connect to ${socket}: ${why}.`, { cause: error });
  }
}

/** A socket in a folder of somebody else's would be told this user's variables. */
function refuseStranger(socket: string): void {
  const folder = socket.slice(0, socket.lastIndexOf("/"));
  const info = Deno.lstatSync(folder);
  const user = Deno.uid();
  if (user === null || info.uid === null || info.uid === user) return;
  throw new McpxError(
    "daemon-unreachable",
    `Cannot use the socket ${socket}: its folder is another user's.`,
    {
      hint: `ls -ld ${folder}`,
    },
  );
}

/** Asks a daemon who it is, until it is ready; nothing when it went away meanwhile. */
async function checkHealth(
  api: HttpConnection,
  options: LadderOptions,
  where: string,
  headers: Record<string, string>,
): Promise<DaemonHealth | undefined> {
  const deadline = Date.now() + options.timeoutMs;
  let told = false;
  for (let polls = 0;; polls++) {
    const health = await askHealth(api, options, where, headers);
    if (!health || health.ready) return health;
    if (Date.now() > deadline) {
      throw new McpxError("daemon-unreachable", `Cannot use the daemon at ${where}: it is not ready.`, {
        hint: "mcpx status",
      });
    }
    if (!told && polls * POLL_MS > 1000) {
      options.note("Waiting for the daemon to be ready.");
      told = true;
    }
    await delay(POLL_MS, options.signal);
  }
}

async function askHealth(
  api: HttpConnection,
  options: LadderOptions,
  where: string,
  headers: Record<string, string>,
): Promise<DaemonHealth | undefined> {
  let status: number;
  let text: string;
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), options.timeoutMs);
  try {
    const signal = AbortSignal.any([options.signal, patience.signal]);
    const answer = await api.request({ method: "GET", path: "/v1/health", headers }, signal);
    status = answer.status;
    text = await readText(answer);
  } catch (error) {
    if (patience.signal.aborted) throw silent(where, options.timeoutMs);
    if (!(error instanceof McpxError) || error.code === "cancelled") throw error;
    const spoke = /HTTP|chunks|too long/.test(String(error.cause));
    if (spoke) throw foreign(where, "it does not speak HTTP");
    return undefined;
  } finally {
    clearTimeout(timer);
  }
  if (status === 401) {
    throw new McpxError("unauthorized", `Cannot use the daemon at ${where}: it wants a bearer token.`, {
      hint: "export MCPX_DAEMON_TOKEN=<the token in its daemon record>",
    });
  }
  const health = status === 200 ? readHealth(text) : undefined;
  if (health) return health;
  throw foreign(where, `it answered ${status} without saying that it is mcpx`);
}

function readHealth(text: string): DaemonHealth | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // what is no JSON is no daemon of ours, which the caller says
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { version, pid, key, startedAt, ready } = value as Record<string, unknown>;
  if (typeof version !== "string" || typeof pid !== "number" || typeof key !== "string") return undefined;
  return { version, pid, key, startedAt: String(startedAt ?? ""), ready: ready !== false };
}

function silent(where: string, ms: number): McpxError {
  return new McpxError(
    "daemon-unreachable",
    `Cannot use the daemon at ${where}: it has not answered for ${ms / 1000} s.`,
    {
      hint: SILENT_HINT,
    },
  );
}

function foreign(where: string, why: string): McpxError {
  return new McpxError(
    "daemon-unreachable",
    `Cannot use ${where}: what listens there is no daemon of mcpx; ${why}.`,
    {
      hint: "mcpx daemons",
    },
  );
}

function refuseDaemonFlags(options: LadderOptions, pid: number): void {
  const [first] = options.daemonFlags;
  if (first === undefined) return;
  throw new McpxError(
    "setting-scope",
    `Cannot use --${first}: it is for a daemon that starts, and one is running already (pid ${pid}).`,
    { hint: "mcpx stop, then run the command again" },
  );
}

/** Sends an older daemon away, to finish what it has; true when it no longer listens. */
async function replaceOlder(
  api: HttpConnection,
  health: DaemonHealth,
  options: LadderOptions,
): Promise<boolean> {
  if (health.version === options.version) return false;
  if (compareVersions(health.version, options.version) > 0) {
    options.note(`The daemon is version ${health.version}, newer than this command (${options.version}).`);
    return false;
  }
  const answer = await api.request(
    { method: "POST", path: "/v1/stop", headers: {}, body: '{"drain":true}' },
    options.signal,
  );
  await readText(answer);
  api.close();
  options.note(`Replacing the daemon of version ${health.version} by one of ${options.version}.`);
  for (const deadline = Date.now() + options.timeoutMs; Date.now() < deadline;) {
    const other = await connectLocal(options);
    if (!other) return true;
    const now = await askHealth(other, options, options.socket, {}).finally(() => other.close());
    if (now && now.pid !== health.pid) return true;
    await delay(POLL_MS, options.signal);
  }
  throw new McpxError(
    "daemon-unreachable",
    `Cannot replace the daemon of version ${health.version}: it still listens (pid ${health.pid}).`,
    { hint: "mcpx stop" },
  );
}

/** Below 0 where `a` is older, above 0 where it is newer; a release is newer than what led to it. */
export function compareVersions(a: string, b: string): number {
  const [left = "", leftTail = ""] = a.split("-", 2);
  const [right = "", rightTail = ""] = b.split("-", 2);
  const ours = left.split(".").map(Number);
  const theirs = right.split(".").map(Number);
  for (let at = 0; at < 3; at++) {
    const difference = (ours[at] || 0) - (theirs[at] || 0);
    if (difference !== 0) return difference;
  }
  if (leftTail === rightTail) return 0;
  if (leftTail === "") return 1;
  if (rightTail === "") return -1;
  return leftTail < rightTail ? -1 : 1;
}
