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

/** What `mcpx serve` bridges to. */
export interface ServeOptions {
  /** Opens another connection to the daemon, by the ladder. */
  connect(): Promise<Api>;
  /** Headers of every request: who calls. */
  headers: Record<string, string>;
  /** Aborted on Ctrl-C. */
  signal: AbortSignal;
}

/** The parts above the command line that it starts on request; the entry point binds them, each loaded when it is used. */
export interface CliEntries {
  /** Runs a daemon until it is told to stop; gives the exit status. */
  daemon(options: DaemonOptions): Promise<number>;
  /** The API in this process. */
  inline(options: InlineOptions): Promise<Api>;
  /** Bridges stdin and stdout to the daemon's MCP face; gives the exit status. */
  serve(options: ServeOptions): Promise<number>;
}
