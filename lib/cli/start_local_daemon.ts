import type { ClientConfig } from "./client_config.ts";
import type { CliIo } from "./io.ts";
import type { DaemonFiles } from "./socket_path.ts";
import { daemonCommand, startDaemon } from "./start_daemon.ts";
import { startUnderLock } from "./start_lock.ts";

/** What the daemon of a configuration set is started with. */
export interface LocalDaemonOptions {
  files: DaemonFiles;
  config: ClientConfig;
  /** Daemon-scoped settings given as flags. */
  settings: Record<string, unknown>;
  cwd: string;
  timeoutMs: number;
  signal: AbortSignal;
  io: Pick<CliIo, "daemonCommand">;
}

/**
 * Starts the daemon of a configuration set, or waits for the one that somebody else is starting.
 *
 * @throws {McpxError} `daemon-start`, `state-unwritable`, `cancelled`
 */
export async function startLocalDaemon(options: LocalDaemonOptions): Promise<void> {
  const { files, config, settings, cwd, timeoutMs, signal, io } = options;
  const args = ["--detached"];
  // The file as it was found: the daemon must come to the same key from wherever it looks.
  if (config.explicit !== undefined) args.push("--config", config.files[0]?.path ?? config.explicit);
  if (Object.keys(settings).length > 0) args.push("--settings-json", JSON.stringify(settings));
  await startUnderLock(files, {
    timeoutMs,
    signal,
    start: () =>
      startDaemon({
        command: (io.daemonCommand ?? daemonCommand)(args),
        cwd,
        logFile: `${config.paths.state}/logs/daemon-${config.key}.log`,
        timeoutMs,
        signal,
      }),
  });
}
