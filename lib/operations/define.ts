import type { z } from "zod";
import type { Caller } from "../engine/caller.ts";
import type { Engine } from "../engine/engine.ts";
import type { ErrorCode } from "../errors/mod.ts";
import type { JsonObject } from "../schema/types.ts";
import type { SettingPath } from "../settings/mod.ts";

/** What an operation changes. */
export type Effect = "read" | "write" | "destructive";

/** What an operation runs with. */
export interface OperationContext {
  engine: Engine;
  caller: Caller;
}

/** One way to write an operation on the command line. */
export interface CliCommand {
  /** Such as `["prompts", "get"]`. */
  words: readonly string[];
  /** Input fields given by position, in order. */
  positional?: readonly string[];
  /** Whether the last positional field takes all remaining words. */
  rest?: boolean;
  /** Input fields that this way does not offer, since another way is for them. */
  without?: readonly string[];
  /** One sentence, where this way needs its own. */
  summary?: string;
  /** Its place in the short help: lower comes first. */
  rank?: number;
}

/** How one input field appears on a command line. */
export interface CliField {
  /** One letter: `-n`. */
  short?: string;
  /** `stdin`: the word `-` is standard input. `script`: so, and a path is sent as `code` and `filename`. */
  reads?: "stdin" | "script";
  /** What completes it: `tool`, `namespace`, `script`, `prompt`, `resource`, `setting`. */
  completion?: string;
  /** Fields that contradict it. */
  conflicts?: readonly string[];
  /** Whether it is `key=value` words or one JSON object. */
  pairs?: true;
  /** Whether it takes the words up to the first `key=value`. */
  words?: true;
  /** Whether the command line fills it by itself, so that nobody types it. */
  hidden?: true;
  /** Whether a hidden field is there for MCP hosts, which have no command line that fills it. */
  onMcp?: true;
}

/** How an operation appears on the command line. */
export interface CliHints {
  commands: readonly CliCommand[];
  fields?: Readonly<Record<string, CliField>>;
  /** How the output is shown to a person: see `ManifestOperation.render`. */
  render: string;
  /** `existing`: answered without a daemon when none runs. */
  daemon?: "existing";
}

/** A second route whose path and body are turned into the operation's input. */
export interface AlternateRoute {
  path: string;
  toInput(params: Readonly<Record<string, string>>, body: unknown): JsonObject;
}

/** One thing that mcpx can do, declared once; every surface is derived from it. */
export interface Operation<I = unknown, O = unknown> {
  /** Such as `prompt.get`; the MCP tool is `mcpx_prompt_get`. */
  id: string;
  summary: string;
  /** More sentences for help and the reference page. */
  description?: string;
  examples: readonly { command: string; note: string }[];
  effect: Effect;
  http: { method: "GET" | "POST" | "DELETE"; path: string; alternate?: AlternateRoute };
  input: z.ZodType<I>;
  output: z.ZodType<O>;
  cli: CliHints;
  /** The settings that it really reads. */
  settings: readonly SettingPath[];
  errors: readonly ErrorCode[];
  /** Whether progress, logs and emitted values can be followed while it runs. */
  streams: boolean;
  /** What it is called as a task, where it may meet a question: it then goes on as one. */
  task?(input: I): string;
  /** Why only whoever runs the daemon may do it: an agent, over MCP or TCP, needs `serve.admin`. */
  admin?: string;
  /** Surfaces that it is not on, each with the reason. */
  notOn?: Readonly<Partial<Record<"cli" | "http" | "mcp", string>>>;
  run(input: I, context: OperationContext): Promise<O>;
}

/** Declares an operation, with the types of its input and output inferred from the schemas. */
export function defineOperation<I, O>(operation: Operation<I, O>): Operation<I, O> {
  return operation;
}
