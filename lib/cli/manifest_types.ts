/**
 * The command line's view of operations and settings: plain data, generated from their tables, so that no command has to load a
 * schema library to know its own flags.
 */

/** How the text of an input is read and written into the request. */
export type InputKind =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  | "json"
  | "enum"
  | "string[]"
  /** One JSON object (sent under the input's name) or `key=value` words (sent under `textArguments`). */
  | "pairs"
  | "duration"
  | "bytes";

/** One input of a command: a positional word, a flag, or both. */
export interface ManifestInput {
  /** The field's name in the operation's input; the flag is its kebab-case form. */
  name: string;
  kind: InputKind;
  enum?: readonly string[];
  /** Shown in help; the daemon applies it. */
  default?: string | number | boolean | null | readonly string[];
  required: boolean;
  /** Place among the positional words, from 0. */
  positional?: number;
  /** Takes every remaining word: joined by spaces for a `string`, a list for `string[]`, arguments for `pairs`. */
  rest?: boolean;
  /** Takes the words up to the first `key=value`, joined by spaces. */
  words?: boolean;
  /** One letter: `-n`. */
  short?: string;
  help: string;
  in: "path" | "query" | "body";
  /** `stdin`: the word `-` is replaced by standard input. `script`: so, and a path is sent as `code` and `filename`. */
  reads?: "stdin" | "script";
  /** Where completion takes values from: `tool`, `namespace`, `recipe`, `setting`, `prompt`, `file`, … */
  completion?: string;
  /** Names of inputs that contradict this one. */
  conflicts?: readonly string[];
  hidden?: boolean;
}

/** What every command has, whether an operation of the daemon or local to the machine. */
export interface ManifestCommand {
  /** The command's words: `["recipes", "run"]`. */
  words: readonly string[];
  /** Other spellings, each a list of words joined by one space. */
  aliases: readonly string[];
  summary: string;
  description: string;
  examples: readonly { command: string; note: string }[];
  inputs: readonly ManifestInput[];
  /** Paths of the settings that the command really reads. */
  settings: readonly string[];
  /** Error codes that it raises. */
  errors: readonly string[];
  /** Its place in the short help: lower comes first; absent is only in the full list. */
  rank?: number;
  hidden?: boolean;
}

/** One operation of the daemon. */
export interface ManifestOperation extends ManifestCommand {
  id: string;
  effect: "read" | "write" | "destructive";
  method: string;
  /** Route with `{name}` for inputs that are `in: "path"`. */
  path: string;
  /** Answers with server-sent events when asked to. */
  streams: boolean;
  /**
   * How the answer is shown to a person:
   * `result` (a tool's result), `run` (a script's document), `candidates` (recipes that may be meant), `text:<member>`, `table:<member>:<column>,…` (an empty member is the
   * answer itself; marks on columns: `tableOf` in `render/render_answer.ts`), `fields`, `messages` (a prompt), `contents` (a resource), `json`, `auto`.
   */
  render: string;
  /** `existing`: answered without a daemon when none runs (`status`, `stop`); `start` (default): one is started. */
  daemon?: "start" | "existing";
}

/** One setting, as far as the command line needs it. */
export interface ManifestSetting {
  path: string;
  kind: "bool" | "int" | "duration" | "bytes" | "enum" | "string" | "list" | "json";
  enum?: readonly string[];
  /** As a user would write it. */
  default: string;
  scope: "daemon" | "client" | "call";
  hot: boolean;
  help: string;
  /** The flag without its dashes: `exec-timeout`. */
  flag: string;
  /** The environment variable: `MCPX_EXEC_TIMEOUT`. */
  env: string;
}

/** All that the command line knows about the program it is the client of. */
export interface Manifest {
  version: string;
  operations: readonly ManifestOperation[];
  settings: readonly ManifestSetting[];
  /** Exit statuses and their meaning, for the end of `mcpx --help`. */
  exits: readonly { status: number; meaning: string }[];
}
