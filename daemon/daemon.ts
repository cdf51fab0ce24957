import { configSetKey, findConfigFiles, mcpxPaths, watchConfigFiles } from "../lib/config/mod.ts";
import { accepts } from "../lib/cli/accepts.ts";
import { recordedSocket } from "../lib/cli/recorded_socket.ts";
import { daemonFiles } from "../lib/cli/socket_path.ts";
import { Engine } from "../lib/engine/engine.ts";
import { McpxError } from "../lib/errors/mod.ts";
import type { ScriptRunnerOptions } from "../lib/sandbox/mod.ts";
import { claimPrivateFolder, removeDaemonRecord, writeDaemonRecord } from "../lib/store/mod.ts";
import { VERSION } from "../lib/version.ts";
import type { Hono } from "hono";
import { apiOf } from "./app_api.ts";
import { ChildLedger } from "./child_ledger.ts";
import { readCommand, serveCommand } from "./command_line.ts";
import { createApp } from "./http/app.ts";
import { IdleExit } from "./idle_exit.ts";
import { LazyMcp } from "./lazy_mcp.ts";
import { IdleMemory } from "./idle_memory.ts";
import { parseListen } from "./listen_address.ts";
import { writeRecord } from "./log.ts";
import { served, takeOwnerLock } from "./owner_lock.ts";
import { SocketWatch } from "./socket_watch.ts";

/** What a daemon is started with. */
export interface DaemonOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  configFile?: string;
  /** Daemon-scoped flags. */
  settings: Readonly<Record<string, unknown>>;
  /** How sandboxes are set up, beside what the settings say: tests leave layers out. */
  sandbox?: Partial<ScriptRunnerOptions>;
}

/** How long a listener that had to end waits before it listens again, ms. */
const LISTEN_AGAIN_MS = 500;

/** A running daemon. */
export interface Daemon {
  readonly socket: string;
  readonly url?: string;
  readonly token?: string;
  /** Settles when it has stopped and nothing that it started is left. */
  readonly stopped: Promise<void>;
  /** Stops accepting, lets calls finish for `http.shutdownGrace` (`drain`: however long), then ends everything. */
  stop(options?: { drain?: boolean }): void;
}

/**
 * Starts a daemon for the configuration set of a folder.
 *
 * @throws {McpxError} `daemon-start` when one runs already, `invalid-config`, `state-unwritable`
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const files = findConfigFiles({
    cwd: options.cwd,
    env: options.env,
    ...(options.configFile === undefined ? {} : { explicit: options.configFile }),
  });
  const key = configSetKey(files);
  const paths = mcpxPaths(options.env);
  const { socket } = daemonFiles({ runtime: paths.runtime, key, uid: Deno.uid() });
  await claimPrivateFolder(socket.slice(0, socket.lastIndexOf("/")));
  const elsewhere = recordedSocket(paths.state, key);
  if (elsewhere !== undefined && elsewhere !== socket && await accepts(elsewhere)) throw served(elsewhere);
  let lock = await takeOwnerLock(socket);
  const ledger = new ChildLedger(`${socket}.children`);
  const left = await ledger.settle();
  const addresses: { socket: string; url?: string } = { socket };
  const { promise: stopped, resolve: settleStopped } = Promise.withResolvers<void>();
  let stop: Daemon["stop"] = () => undefined;
  const live: { engine?: Engine } = {};
  let changedEarly = false;
  // Watched from before the files are read: an edit in between must not be missed.
  const watcher = watchConfigFiles(files, () => {
    if (live.engine) void live.engine.refresh();
    else changedEarly = true;
  }, { onError: (message) => writeRecord({ level: "warn", text: message }) });
  let engine: Engine;
  try {
    engine = await Engine.open({
      cwd: options.cwd,
      env: options.env,
      flags: options.settings,
      address: () => addresses,
      onStop: (how) => queueMicrotask(() => stop(how)),
      holdsTasks: true,
      servesSet: true,
      onRecord: writeRecord,
      onPool: (event) => {
        if (event.type === "started" && event.pid !== undefined) ledger.started(event.pid);
        if (event.type === "stopped" && event.pid !== undefined) ledger.stopped(event.pid);
      },
      ...(options.configFile === undefined ? {} : { configFile: options.configFile }),
      ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }),
    });
  } catch (error) {
    await watcher.close();
    lock[Symbol.dispose]();
    throw error;
  }
  live.engine = engine;
  const startedAt = engine.startedAt.toISOString();
  const health = (): Record<string, unknown> => ({
    version: VERSION,
    pid: Deno.pid,
    key,
    startedAt,
    ready: true,
  });
  const idle = new IdleExit({
    limitMs: () => engine.settings.base.get("daemon.idleExit"),
    isBusy: () => engine.busy,
    onIdle: () => stop(),
  });
  const memory = new IdleMemory();
  const mcp = new LazyMcp(engine);
  const handler = (transport: "unix" | "tcp", token?: string): Deno.ServeHandler => {
    const app: Hono = createApp({
      engine,
      health,
      mcp: (request) => mcp.fetch(request),
      ...(transport === "unix"
        ? { command: (body) => serveCommand(readCommand(body), { key, api: () => apiOf(app) }) }
        : {}),
      guard: { transport, ...(token === undefined ? {} : { token }) },
    });
    return async (request) => {
      idle.used();
      memory.used();
      // Whoever asks after an edit is answered by it.
      if (!request.url.endsWith("/v1/health")) await engine.refresh();
      const response = await app.fetch(request);
      if (request.method !== "GET") idle.reconsider();
      return response;
    };
  };
  let stopping = false;
  const servers: Deno.HttpServer<Deno.Addr>[] = [];
  /** Serves until the daemon stops: a listener ends where the system has no file left for another connection. */
  const serve = <T extends Deno.HttpServer<Deno.Addr>>(bind: () => T): T => {
    const server = bind();
    servers.push(server);
    server.finished.catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      engine.note("warn", `Cannot accept connections for a moment: ${why}`);
      serveAgain(bind);
    });
    return server;
  };
  const serveAgain = (bind: () => Deno.HttpServer<Deno.Addr>): void => {
    const timer = setTimeout(() => {
      if (stopping) return;
      try {
        serve(bind);
      } catch (error) {
        engine.note("warn", McpxError.from(error).message);
        serveAgain(bind);
      }
    }, LISTEN_AGAIN_MS);
    Deno.unrefTimer(timer);
  };
  let watch: SocketWatch | undefined;
  const bindSocket = (): Deno.HttpServer<Deno.Addr> => {
    watch?.[Symbol.dispose]();
    const server = serveSocket(socket, handler("unix"));
    watch = new SocketWatch(socket, onLost);
    return server;
  };
  serve(bindSocket);
  const listen = parseListen(engine.settings.base.get("http.listen"), engine.settings.base.get("http.auth"));
  const token = listen?.auth === "token" ? crypto.getRandomValues(new Uint8Array(24)).toHex() : undefined;
  if (listen) {
    let { port } = listen;
    try {
      const server = serve(() => {
        const bound = Deno.serve(
          { hostname: listen.hostname, port, onListen: () => undefined },
          handler("tcp", token),
        );
        port = bound.addr.port;
        return bound;
      });
      addresses.url = `http://${listen.urlHost}:${server.addr.port}`;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
      const taken = portTaken(engine, error);
      // A file holds for every daemon that reads it, and the first of them has the port.
      if (engine.settings.base.explain("http.listen").layer !== "file") throw taken;
      engine.note("warn", taken.message);
    }
  }
  const record = {
    key,
    pid: Deno.pid,
    socket,
    version: VERSION,
    startedAt,
    configFiles: files.map(({ path }) => path),
    ...(addresses.url === undefined ? {} : { url: addresses.url, ...(token === undefined ? {} : { token }) }),
  };
  await writeDaemonRecord(paths.state, record);
  if (changedEarly) void engine.refresh();
  engine.note("info", `daemon ${VERSION} listens on ${socket}`, { pid: Deno.pid });
  if (left > 0) engine.note("warn", `ended ${left} servers that a killed daemon left running`);

  /** Binds the socket anew, and ends where another daemon has taken this one's place meanwhile. */
  function onLost(): void {
    void (async () => {
      engine.note("warn", `the socket ${socket} was removed; it is made anew`);
      await claimPrivateFolder(socket.slice(0, socket.lastIndexOf("/")));
      if (!lock.holds()) {
        lock[Symbol.dispose]();
        lock = await takeOwnerLock(socket);
      }
      if (stopping) return;
      serve(bindSocket);
      await writeDaemonRecord(paths.state, record);
    })().catch((error) => {
      engine.note("error", McpxError.from(error).message);
      stop({ drain: true });
    });
  }
  stop = (how = {}) => {
    if (stopping) return;
    stopping = true;
    void (async () => {
      engine.note("info", "daemon stops", how);
      idle.close();
      memory.close();
      watch?.[Symbol.dispose]();
      await watcher.close();
      await mcp.leave();
      const ended = Promise.all([...servers.map((server) => server.shutdown()), engine.leave()]);
      lock[Symbol.dispose](); // the socket is gone: a successor may take its place while calls here finish
      await removeDaemonRecord(paths.state, key, Deno.pid);
      const graceMs = how.drain ? undefined : engine.settings.base.get("http.shutdownGrace");
      await settledWithin(ended, graceMs);
      await engine.close(); // what still runs is answered with an error
      await settledWithin(ended, 1000);
      await mcp.close();
    })().catch((error) => engine.note("error", McpxError.from(error).message)).finally(settleStopped);
  };
  return {
    socket,
    ...(addresses.url === undefined ? {} : { url: addresses.url }),
    ...(token === undefined ? {} : { token }),
    stopped,
    stop: (how) => stop(how),
  };
}

function portTaken({ settings }: Engine, cause: unknown): McpxError {
  const { text, source } = settings.base.explain("http.listen");
  return new McpxError(
    "daemon-start",
    `Cannot listen on ${text} (${source}): another program has that port.`,
    { hint: "mcpx daemons shows who listens; with port 0 a free one is taken.", cause },
  );
}

/** Listens on a socket that only its owner can open (0600). */
function serveSocket(path: string, handler: Deno.ServeHandler): Deno.HttpServer<Deno.Addr> {
  try {
    Deno.removeSync(path); // left by a daemon that crashed: the owner lock is ours
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const umask = Deno.umask(0o177);
  try {
    return Deno.serve({ transport: "unix", path, onListen: () => undefined }, handler) as Deno.HttpServer<
      Deno.Addr
    >;
  } finally {
    Deno.umask(umask);
  }
}

/** Waits for `done`, at most `ms`; without `ms` however long it takes. */
async function settledWithin(done: Promise<unknown>, ms: number | undefined): Promise<void> {
  if (ms === undefined) {
    await done;
    return;
  }
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([done, late]);
  clearTimeout(timer);
}
