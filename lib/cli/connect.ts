import { accepts } from "./accepts.ts";
import { type ClientConfig, clientConfig } from "./client_config.ts";
import { clientSettings } from "./client_settings.ts";
import { type CommandContext, globalText, writeNote } from "./context.ts";
import { parseEndpoint, reachApi, type Reached } from "./ladder.ts";
import { requestHeaders, scopedSettings } from "./request_headers.ts";
import type { FlagValue } from "./parse.ts";
import { recordedSocket } from "./recorded_socket.ts";
import { type DaemonFiles, daemonFiles } from "./socket_path.ts";

/** A command's way to the API, opened as often as it needs. */
export interface Connection {
  config: ClientConfig;
  files: DaemonFiles;
  /** Headers of every request: who calls, and with which settings. */
  headers: Record<string, string>;
  /** How long a daemon may take to start or to leave. */
  timeoutMs: number;
  /** Whether a person is there who can be asked, and wants to be. */
  attended: boolean;
  /** Climbs the ladder; nothing where only an existing daemon would do and none runs. */
  open(signal: AbortSignal): Promise<Reached | undefined>;
}

/**
 * Works out which daemon a command talks to and what it tells it.
 *
 * @param cx the command
 * @param options.existingOnly whether a daemon is started where none runs
 * @throws {McpxError} for a configuration file or a client setting that cannot be used
 */
export async function prepareConnection(
  cx: CommandContext,
  options: { existingOnly: boolean },
): Promise<Connection> {
  const { io, manifest, invocation, entries } = cx;
  const explicit = globalText(invocation, "config");
  const session = globalText(invocation, "session");
  const config = clientConfig(io, explicit);
  const settings = await clientSettings(manifest, config, { flags: invocation.settings, env: io.env });
  for (const note of settings.notes) await writeNote(cx, note);
  const files = await filesOf(config);
  const daemonSettings = scopedSettings(manifest, invocation.settings, "daemon");
  const daemonFlags = manifest.settings.filter((row) => Object.hasOwn(daemonSettings, row.path)).map((row) =>
    row.flag
  );
  const shared = {
    settings: daemonSettings,
    cwd: io.cwd,
    ...(explicit === undefined ? {} : { configFile: explicit }),
  };
  const timeoutMs = settings.startTimeoutMs;
  const attended = settings.prompts && isAttended(cx);
  return {
    config,
    files,
    timeoutMs,
    attended,
    headers: requestHeaders({
      attended,
      manifest,
      io,
      config,
      settings: invocation.settings,
      variables: listedNames(invocation.values.get("allowEnv")),
      ...(session === undefined ? {} : { session }),
    }),
    open: (signal) =>
      reachApi({
        version: manifest.version,
        key: config.key,
        socket: files.socket,
        existingOnly: options.existingOnly,
        daemonFlags,
        timeoutMs,
        signal,
        note: (text) => void writeNote(cx, text),
        start: async () => {
          const { startLocalDaemon } = await import(
            "./start_local_daemon.ts" as string
          ) as typeof import("./start_local_daemon.ts");
          await startLocalDaemon({
            files,
            config,
            settings: daemonSettings,
            cwd: io.cwd,
            timeoutMs,
            signal,
            io,
          });
        },
        ...(cx.here ? { here: cx.here } : {}),
        ...(settings.inline ? { inline: () => entries.inline(shared) } : {}),
        ...(settings.endpoint === "" ? {} : {
          endpoint: {
            address: parseEndpoint(settings.endpoint),
            text: settings.endpoint,
            ...(settings.token === "" ? {} : { token: settings.token }),
          },
        }),
      }),
  };
}

/** Where the daemon of a configuration is: by this environment, unless it was started by another one and lives. */
async function filesOf({ paths, key }: ClientConfig): Promise<DaemonFiles> {
  const files = daemonFiles({ runtime: paths.runtime, key, uid: Deno.uid() });
  const recorded = recordedSocket(paths.state, key);
  if (recorded === undefined || recorded === files.socket || await accepts(files.socket)) return files;
  return await accepts(recorded) ? { ...files, socket: recorded } : files;
}

/** A person reads stderr and types on stdin; nobody does where a job runs or one document is wanted. */
function isAttended({ io, json }: CommandContext): boolean {
  return io.isTerminal.stdin && io.isTerminal.stderr && !json && !io.env("CI");
}

/** The names in the values of a list flag, commas between them. */
function listedNames(value: FlagValue | undefined): string[] {
  return Array.isArray(value) ? value.flatMap((part) => part.split(",")).map((name) => name.trim()) : [];
}
