import type { PoolEvent } from "../pool/mod.ts";
import type { ScriptRunnerOptions } from "../sandbox/mod.ts";
import type { SandboxStatus } from "./scripts/script_processes.ts";

/** What an engine is opened with. */
export interface EngineOptions {
  /** Where the search for configuration starts. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** `--config`: replaces the search. */
  configFile?: string;
  /** Daemon-scoped flags: dotted path to value. */
  flags?: Readonly<Record<string, unknown>>;
  /** Called when an operation asks the daemon to stop. */
  onStop?: (options: { drain: boolean }) => void;
  /** Where the daemon listens, for `status`. */
  address?: () => { socket?: string; url?: string };
  /** Whether callers of other folders come too, all those who find the same files. */
  servesSet?: boolean;
  /** Whether this process outlives its requests, so that one of them can go on as a task. */
  holdsTasks?: boolean;
  onRecord?: (record: EngineRecord) => void;
  /** Told of every start and end of an instance. */
  onPool?: (event: PoolEvent) => void;
  /** How sandboxes are set up, beside what the settings say: tests leave layers out. */
  sandbox?: Partial<ScriptRunnerOptions>;
}

/** Something worth a line in the daemon's log. */
export interface EngineRecord {
  level: "debug" | "info" | "warn" | "error";
  text: string;
  data?: Record<string, unknown>;
}

/** What `mcpx status` shows. */
export interface EngineStatus {
  version: string;
  pid: number;
  startedAt: string;
  uptimeMs: number;
  socket?: string;
  url?: string;
  configFiles: string[];
  memoryBytes: number;
  /** Requests being served now. */
  active: number;
  instances: object[];
  failures: object[];
  notes: string[];
  /** How scripts run, once one was started. */
  sandbox?: SandboxStatus;
}
