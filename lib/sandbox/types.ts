import type { ErrorBody } from "../errors/mod.ts";

/** What a run may do beside calling tools, after every ceiling was applied. Empty is the profile `none`. */
export interface ScriptGrants {
  /** Folders that may be read: absolute real paths. */
  read: string[];
  /** Hosts (`example.org`, `example.org:443`) that `fetch` may reach. */
  net: string[];
  /** Names of environment variables, with the values that the script sees. */
  env: Record<string, string>;
  /** Commands that may be run. */
  run: string[];
  /** A scratch folder that may be written: absolute real path. */
  write?: string;
}

/** The walls between a script and the machine, innermost first: the language's realm, what the worker gives up, the worker's permissions, the
 * process's flags, the operating system's limits, the daemon's rules. */
export type SandboxLayer = "realm" | "worker-lock" | "worker" | "process" | "system" | "daemon";

/** Code of the configuration that runs around a script, in the same realm. */
export interface ScriptHook {
  /** The hook's script. */
  source: string;
  /** The name in stack positions. */
  filename: string;
}

/** The hooks around one run. */
export interface ScriptHooks {
  /** Before the script; where it fails the script does not run. */
  before?: ScriptHook;
  /** After a script that succeeded; sees `outcome`. */
  onSuccess?: ScriptHook;
  /** After a script that threw; sees `outcome`. */
  onError?: ScriptHook;
}

/** The limits of one run, all enforced by the runner. */
export interface ScriptLimits {
  /** Wall time while no question is open, ms. */
  timeoutMs: number;
  /** Wall time in any case, ms. */
  maxWaitMs: number;
  /** CPU seconds of the whole sandbox. */
  cpuSeconds: number;
  /** Requests to the daemon: tool calls, look-ups, artifacts. */
  maxCalls: number;
  /** Requests open at once; the others wait inside the sandbox. */
  maxConcurrentCalls: number;
  /** Bytes of everything the sandbox writes: logs, emitted values, calls. */
  maxOutputBytes: number;
  /** Bytes of the result as JSON text. */
  maxResultBytes: number;
  /** Bytes of everything that the run stores as artifacts. */
  maxArtifactBytes: number;
  /** Bytes that the run may write into its scratch folder. */
  maxScratchBytes: number;
}

/** One run, ready to start. */
export interface ScriptRequest {
  /** TypeScript or JavaScript source. */
  source: string;
  /** The name shown in stack positions. */
  filename: string;
  /** JSON text of the script's `args`. */
  args: string;
  /** Which export is called, for a script that has some; default `default`. */
  exportName?: string;
  /** Every namespace, with the names that its tools answer to. */
  namespaces: { namespace: string; names: string[] }[];
  /** What it may do beside calling tools. */
  grants: ScriptGrants;
  /** Where it is stopped. */
  limits: ScriptLimits;
  /** What runs around it. */
  hooks?: ScriptHooks;
}

/** A tool call out of a script: `name` is `ns.fn` in any spelling that the catalog takes. */
export interface ScriptCall {
  /** `ns.fn`. */
  name: string;
  /** JSON text of the argument object. */
  arguments: string;
}

/** A log record of a script: `console.*` or `log`. */
export interface ScriptLog {
  /** How much it matters. */
  level: "debug" | "info" | "warn" | "error";
  /** What was said, on one line or several. */
  text: string;
  /** JSON text of the attributes, where there are some. */
  attributes?: string;
}

/** All that a script can reach: nothing here starts another run, changes a setting, or reads a file. */
export interface ScriptPort {
  /** Gives the JSON text of `{ value, raw }`: the unwrapped result and the whole envelope. Throws `McpxError`, which the script
   * sees as a `ToolError` with code, message, hint, data and diagnostics. */
  call(call: ScriptCall, signal: AbortSignal): Promise<string>;
  /** JSON text of the ranked tools. */
  search(query: string, limit: number): Promise<string>;
  /** JSON text of one tool: its names, description, schemas and TypeScript signature. */
  describe(name: string): Promise<string>;
  /** Takes JSON text of one emitted value. */
  emit(json: string): void;
  /** Takes one record. */
  log(record: ScriptLog): void;
  /** Stores bytes; gives JSON text of the artifact reference. */
  artifact(name: string, bytes: Uint8Array, mimeType: string): Promise<string>;
  /** Whether a question is open, which stops the clock of `timeoutMs`. */
  paused(): boolean;
}

/** How a run ended. */
export interface ScriptOutcome {
  /** Whether it ended by itself, without an error. */
  ok: boolean;
  /** JSON text of the result; absent for `undefined`. */
  result?: string;
  /** `stack` holds the script's own frames only, in the user's lines and columns. */
  error?: ErrorBody & { name?: string; stack?: string; diagnostics?: readonly unknown[] };
  /** From the start of the script, ms. */
  durationMs: number;
  /** Tool calls that were made. */
  calls: number;
  /** Bytes that the sandbox wrote, the result aside. */
  outputBytes: number;
  /** Sentences: output that was cut, calls that never returned. */
  notes: string[];
}
