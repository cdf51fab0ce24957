import type { Api } from "./api.ts";

/** What a daemon is started with. */
export interface DaemonOptions {
  /** Daemon-scoped settings given as flags. */
  settings: Record<string, unknown>;
  /** The value of `--config`, where one was given. */
  configFile?: string;
  cwd: string;
  /** Called once, when the socket accepts. */
  onReady(): void | Promise<void>;
  /** Print a service unit instead of serving. */
  printUnit?: "systemd" | "launchd";
}

/** What the API is opened with inside the command. */
export interface InlineOptions {
  settings: Record<string, unknown>;
  configFile?: string;
  cwd: string;
}

/** The parts above the command line that it starts on request; the entry point binds them, each loaded when it is used. */
export interface CliEntries {
  /** Runs a daemon until it is told to stop; gives the exit status. */
  daemon(options: DaemonOptions): Promise<number>;
  /** The API in this process. */
  inline(options: InlineOptions): Promise<Api>;
}
