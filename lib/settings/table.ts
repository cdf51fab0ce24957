import type { SettingKind } from "./kinds.ts";

/** Who acts on a setting: the daemon, the command line, or whoever serves one request. */
export type SettingScope = "daemon" | "client" | "call";

/**
 * What a project's file may do with a setting that protects the user: make it less (`lowers`) or more (`raises`) than the user's
 * files and the default say, or than the user's files alone (`under`, `over`), give it once it is trusted (`trusted`), give it where
 * the user's files do not (`yields`), or nothing (`never`). A trusted file may also loosen what only the default says.
 */
export type ProjectRule = "lowers" | "raises" | "under" | "over" | "trusted" | "yields" | "never";

/** One row of the settings table. */
export interface SettingRow {
  readonly kind: SettingKind;
  /** Written as a user would write it. */
  readonly default: string;
  readonly scope: SettingScope;
  /** Whether a change takes effect at once; otherwise the daemon must restart. */
  readonly hot: boolean;
  readonly help: string;
  /** The words of an enum, lowest first where they are ordered. */
  readonly values?: readonly string[];
  /** The setting that is the ceiling of this one. */
  readonly clampedBy?: string;
  /** A ceiling is the lowest value over all files and the environment. */
  readonly ceiling?: true;
  /** What a project's file may do with it; unset, whatever it likes. */
  readonly project?: ProjectRule;
  /** The words of an enum from the strictest on, where `values` is in another order. */
  readonly strictness?: readonly string[];
  /** Whether 0 means more than any number does. */
  readonly zeroIsMost?: true;
  /** Its value is never shown. */
  readonly secret?: true;
}

const PERMISSION_CEILINGS = ["none", "read", "net", "read-net", "write", "all"] as const;
const AUTONOMY = ["off", "advise", "ask", "propose", "apply", "run"] as const;

/** Every setting, declared once: the config key, the variable, the flag, `/v1/settings` and the reference page follow. */
export const SETTINGS = {
  "artifact.quota": only(
    "trusted",
    daemon("bytes", "1GiB", "How much all stored artifacts may take; the oldest go first."),
  ),
  "artifact.ttl": only("trusted", daemon("duration", "7d", "How long an artifact is kept.")),
  "autonomy.max": {
    kind: "enum",
    values: AUTONOMY,
    default: "run",
    scope: "daemon",
    hot: false,
    ceiling: true,
    help: "The most that mcpx does on its own, whatever is asked for.",
  },
  "catalog.budget": call("int", "4000", "How many tokens (4 bytes each) `mcpx catalog` may print."),
  "completion.maxValues": call(
    "int",
    "100",
    "How many values a completion gives; never more than the 100 that MCP allows.",
  ),
  "config.trust": {
    kind: "enum",
    values: ["settings", "ask"],
    default: "settings",
    scope: "daemon",
    hot: false,
    project: "raises",
    help:
      "Whether a project's file needs `mcpx trust` for its sensitive keys only, or before it starts anything.",
  },
  "daemon.endpoint": only(
    "never",
    client(
      "string",
      "",
      "A daemon to use, such as http://127.0.0.1:7411 or unix:/path; never replaced by a local one.",
    ),
  ),
  "daemon.idleExit": daemon("duration", "30m", "How long a daemon without work lives; 0 keeps it."),
  "daemon.inline": only(
    "never",
    client(
      "bool",
      "false",
      "Whether the command does the work itself instead of asking a daemon.",
    ),
  ),
  "daemon.startTimeout": only(
    "never",
    client("duration", "60s", "How long a command waits for the daemon that it starts."),
  ),
  "daemon.token": {
    ...only("never", client("string", "", "The bearer token for `daemon.endpoint`.")),
    secret: true,
  },
  "diagnose.drift": {
    kind: "enum",
    values: ["pin", "warn"],
    default: "warn",
    scope: "daemon",
    hot: false,
    ceiling: true,
    help:
      "What follows when a tool becomes dangerous or breaks its callers: a note, or its calls are refused until `mcpx history lock`.",
  },
  "diagnose.history": only("over", daemon("int", "50", "How many changes are kept for each tool.")),
  "diagnose.preflight": only(
    "over",
    call(
      "bool",
      "true",
      "Whether a script's calls are checked against the schemas before it runs.",
    ),
  ),
  "elicit.askTimeout": daemon(
    "duration",
    "45s",
    "How long an answer to one of mcpx's own questions is waited for before its default stands.",
  ),
  "elicit.confirmDestructive": only(
    "raises",
    daemon(
      "bool",
      "false",
      "Whether a call that may destroy something is made only after it was confirmed.",
    ),
  ),
  "elicit.disambiguate": {
    kind: "enum",
    values: ["never", "ask"],
    default: "never",
    scope: "daemon",
    hot: true,
    project: "over",
    help: "Whether mcpx asks which instance of an exclusive server is meant, where that is open.",
  },
  "elicit.disambiguateDefault": {
    kind: "enum",
    values: ["new", "recent"],
    default: "new",
    scope: "daemon",
    hot: true,
    project: "under",
    help: "Which instance is taken when nobody says: one of the caller's own, or the one that was used last.",
  },
  "elicit.maxOpen": only(
    "under",
    daemon(
      "int",
      "1000",
      "How many questions may be open at once, half of them one server's and 100 one call's; more are not asked.",
    ),
  ),
  "elicit.prompt": {
    kind: "enum",
    values: ["auto", "never"],
    default: "auto",
    scope: "client",
    hot: true,
    project: "never",
    help: "Whether a person at a terminal is asked what comes up while a command runs.",
  },
  "elicit.sampling": {
    kind: "enum",
    values: ["provider", "ask"],
    default: "ask",
    scope: "daemon",
    hot: false,
    project: "lowers",
    help:
      "Whether servers may ask for a model's completion only where a model is configured, or always, and then of whoever answers.",
  },
  "elicit.ttl": daemon("duration", "1h", "How long a server's question stays open."),
  "events.keep": daemon("int", "1000", "How many events `/v1/events` can replay."),
  "exec.concurrency": only(
    "under",
    call("int", "64", "How many tool calls of one script may be open at once."),
  ),
  "exec.cpu": {
    ...only("under", call("duration", "0s", "CPU time of one script; 0 takes the value of exec.timeout.")),
    zeroIsMost: true,
  },
  "exec.heap": only("under", restart("bytes", "128MiB", "Heap of one script's sandbox.")),
  "exec.maxArtifacts": only("under", call("bytes", "256MiB", "How much one script may store as artifacts.")),
  "exec.maxCalls": only(
    "under",
    call(
      "int",
      "100000",
      "How many tool calls, searches, descriptions and artifacts one script may ask for.",
    ),
  ),
  "exec.maxOutput": only(
    "under",
    call("bytes", "8MiB", "How much one script may write as log and emitted values."),
  ),
  "exec.maxResult": only("under", call("bytes", "32MiB", "How large one script's result may be.")),
  "exec.maxRuns": only(
    "under",
    daemon("int", "8", "How many scripts run at once; the others queue in order."),
  ),
  "exec.maxScratch": only(
    "under",
    call("bytes", "256MiB", "How much one script may write into its scratch folder."),
  ),
  "exec.maxWait": only(
    "under",
    call(
      "duration",
      "1h",
      "How long one script may take in all, waiting for answers included.",
    ),
  ),
  "exec.prewarm": only("under", restart("int", "2", "How many sandboxes are kept started.")),
  "exec.timeout": only("under", call("duration", "120s", "How long one script may run.")),
  "hooks.autonomy": {
    kind: "enum",
    values: ["off", "run"],
    default: "run",
    scope: "call",
    hot: true,
    clampedBy: "autonomy.max",
    project: "lowers",
    help: "Whether the hooks around scripts that the configuration names are run.",
  },
  "http.auth": {
    kind: "enum",
    values: ["token", "none"],
    default: "token",
    scope: "daemon",
    hot: false,
    project: "lowers",
    help: "Whether a caller over TCP needs the bearer token; `none` only on a loopback address.",
  },
  "http.bodyTimeout": only(
    "trusted",
    daemon("duration", "30s", "How long a request's body may take to arrive."),
  ),
  "http.listen": only(
    "trusted",
    restart("string", "", "An address such as 127.0.0.1:7411 to listen on beside the socket."),
  ),
  "http.maxBody": only("trusted", daemon("bytes", "64MiB", "The largest request body.")),
  "http.shutdownGrace": only(
    "trusted",
    daemon(
      "duration",
      "5s",
      "How long calls in flight may finish when the daemon stops.",
    ),
  ),
  "model.apiKey": {
    kind: "string",
    default: "",
    scope: "daemon",
    hot: true,
    secret: true,
    project: "trusted",
    help: "The key of the model's endpoint: `${env:NAME}`, `${file:PATH}`, or the key itself; never printed.",
  },
  "model.baseUrl": only(
    "trusted",
    daemon("string", "", "Where the model's endpoint is, such as http://127.0.0.1:11434/v1."),
  ),
  "model.maxTokens": only("trusted", daemon("int", "2000", "How many tokens a model may answer with.")),
  "model.name": only("trusted", daemon("string", "", "The model that is asked.")),
  "model.provider": {
    kind: "enum",
    values: ["none", "sampling", "openai", "anthropic"],
    default: "none",
    scope: "daemon",
    hot: true,
    project: "trusted",
    help:
      "Who is asked for what no recipe does: nobody, the caller's own MCP host, or an endpoint that speaks one of two protocols.",
  },
  "model.timeout": only(
    "trusted",
    daemon(
      "duration",
      "30s",
      "How long a model may take to answer, a second attempt included.",
    ),
  ),
  "output.preview": call(
    "bytes",
    "32KiB",
    "How much of a result is shown on a terminal or to an agent; the whole becomes an artifact.",
  ),
  "output.strict": call("bool", "false", "Whether a result that does not fit its output schema is an error."),
  "pool.callTimeout": call(
    "duration",
    "60s",
    "How long a call may be silent; progress starts the time anew.",
  ),
  "pool.idleTimeout": daemon("duration", "10m", "How long an unused instance is kept."),
  "pool.max": daemon("int", "8", "How many instances one server may have."),
  "pool.maxTotal": call("duration", "1h", "How long a call may take in all, progress or not."),
  "pool.min": daemon("int", "0", "How many instances of each server are kept started."),
  "pool.queueMax": daemon("int", "1000", "How many callers may wait for one server."),
  "pool.queueTimeout": daemon("duration", "60s", "How long a caller waits for an instance."),
  "pool.startTimeout": daemon("duration", "60s", "How long a server may take to start."),
  "pool.stderrTail": daemon("bytes", "8KiB", "How much of a server's stderr is kept."),
  "pool.stopGrace": daemon(
    "duration",
    "2s",
    "How long a server may take to end by itself, and again after TERM, before KILL.",
  ),
  "prompt.autonomy": {
    kind: "enum",
    values: ["propose", "run"],
    default: "propose",
    scope: "call",
    hot: true,
    clampedBy: "autonomy.max",
    project: "under",
    help: "Whether a request in words gives the script, or runs it.",
  },
  "prompt.catalogBudget": call(
    "int",
    "1200",
    "How many tokens (4 bytes each) of the catalog a model is told for one request.",
  ),
  "prompt.sample": {
    kind: "enum",
    values: ["never", "unmatched"],
    default: "never",
    scope: "call",
    hot: true,
    project: "lowers",
    help: "Whether a model is asked to write a script where no recipe matches a request.",
  },
  "recipes.limit": call("int", "5", "How many recipes are shown where none is clearly meant."),
  "recipes.matchMargin": only(
    "over",
    call(
      "int",
      "150",
      "How much of the next recipe's score the best must have to be chosen, in percent.",
    ),
  ),
  "recipes.minScore": only("over", call("int", "30", "The least score with which a recipe is chosen.")),
  "recipes.toolBudget": call("int", "25", "How many recipes are offered as MCP tools."),
  "repair.autonomy": {
    kind: "enum",
    values: ["off", "advise"],
    default: "advise",
    scope: "call",
    hot: true,
    clampedBy: "autonomy.max",
    help: "Whether a failed call carries findings that explain it.",
  },
  "script.before": only(
    "trusted",
    call(
      "string",
      "",
      "Source, or a file, that runs before every script, in the same sandbox.",
    ),
  ),
  "script.hosts": only(
    "trusted",
    daemon(
      "list",
      "",
      "The hosts that the profiles `net` and `read-net` reach, such as api.example.org or 127.0.0.1:8080.",
    ),
  ),
  "script.isolation": {
    kind: "enum",
    values: ["auto", "process", "bwrap"],
    default: "auto",
    scope: "daemon",
    hot: false,
    project: "lowers",
    strictness: ["bwrap", "auto", "process"],
    help: "Whether sandboxes are also put in a bubblewrap container.",
  },
  "script.onError": only(
    "trusted",
    call(
      "string",
      "",
      "Source, or a file, that runs after a script that threw, in the same sandbox; it sees `outcome`.",
    ),
  ),
  "script.onSuccess": only(
    "trusted",
    call(
      "string",
      "",
      "Source, or a file, that runs after a script that succeeded, in the same sandbox; it sees `outcome`.",
    ),
  ),
  "script.permissionsMax": {
    kind: "enum",
    values: PERMISSION_CEILINGS,
    default: "all",
    scope: "daemon",
    hot: false,
    ceiling: true,
    help: "The most that a script may be given when a person runs it.",
  },
  "script.permissionsMaxAgent": {
    kind: "enum",
    values: PERMISSION_CEILINGS,
    default: "none",
    scope: "daemon",
    hot: false,
    ceiling: true,
    help: "The most that a script may be given when it comes over MCP, by an intent, or over TCP.",
  },
  "script.profile": {
    kind: "enum",
    values: ["none", "read", "net", "read-net", "write"],
    default: "none",
    scope: "call",
    hot: true,
    project: "trusted",
    help: "What a script may do beside calling tools, where the request names no profile.",
  },
  "search.limit": call("int", "10", "How many tools a search gives."),
  "serve.admin": only(
    "lowers",
    daemon(
      "bool",
      "false",
      "Whether agents, over MCP and TCP, may do what changes the daemon's settings or servers, locks its tools, or stops it.",
    ),
  ),
  "serve.mode": {
    kind: "list",
    values: ["code", "full", "passthrough"],
    default: "code",
    scope: "call",
    hot: true,
    project: "yields",
    help: "What MCP hosts are offered: `code` (search, call and script tools), `full` (every operation), " +
      "`passthrough` (the servers' own tools), or several of them.",
  },
  "serve.nameLimit": call("int", "50", "How long the names of tools and prompts towards MCP hosts may be."),
  "serve.pageSize": call("int", "1000", "How many entries one page of a list towards MCP hosts holds."),
  "serve.parkTimeout": daemon(
    "duration",
    "10m",
    "How long a call waits for the answer to a question that its MCP host was given as a result.",
  ),
  "serve.pollAfter": daemon(
    "duration",
    "0s",
    "After how long the stream of a call is ended for its MCP host to come back (2025-11-25 over HTTP); 0 never does.",
  ),
  "serve.sessionTimeout": daemon(
    "duration",
    "1h",
    "How long an MCP session over HTTP lives without a request or an open stream.",
  ),
  "servers.groups": only(
    "yields",
    call(
      "list",
      "",
      "The groups of servers that are seen; empty sees every server that is not `default: false`.",
    ),
  ),
  "task.ttl": daemon("duration", "1d", "How long a finished task and its result are kept."),
  "upstream.maxMessage": only(
    "under",
    daemon("bytes", "128MiB", "The largest single message taken from a server."),
  ),
  "upstream.probeTimeout": daemon(
    "duration",
    "2s",
    "How long `server/discover` may stay unanswered before `initialize` is sent too.",
  ),
} as const satisfies Record<string, SettingRow>;

/** The dotted path of a setting. */
export type SettingPath = keyof typeof SETTINGS;

/** The top-level groups of a configuration file that hold settings. */
export const SETTING_GROUPS: readonly string[] = [
  ...new Set(Object.keys(SETTINGS).map((path) => path.split(".")[0] ?? path)),
];

/** Whether there is a setting of that path. */
export function isSettingPath(path: string): path is SettingPath {
  return Object.hasOwn(SETTINGS, path);
}

/** The settings that a project's file gives only once it is trusted. */
export const GUARDED_SETTINGS: readonly string[] = Object.entries<SettingRow>(SETTINGS)
  .filter(([, { project }]) => project === "trusted").map(([path]) => path);

/** The row of a setting. */
export function settingRow(path: SettingPath): SettingRow {
  return SETTINGS[path];
}

function only<R extends SettingRow, P extends ProjectRule>(project: P, row: R): R & { project: P } {
  return { ...row, project };
}

function daemon<K extends SettingKind>(
  kind: K,
  value: string,
  help: string,
): { kind: K; default: string; scope: "daemon"; hot: true; help: string } {
  return { kind, default: value, scope: "daemon", hot: true, help };
}

function restart<K extends SettingKind>(
  kind: K,
  value: string,
  help: string,
): { kind: K; default: string; scope: "daemon"; hot: false; help: string } {
  return { kind, default: value, scope: "daemon", hot: false, help };
}

function client<K extends SettingKind>(
  kind: K,
  value: string,
  help: string,
): { kind: K; default: string; scope: "client"; hot: true; help: string } {
  return { kind, default: value, scope: "client", hot: true, help };
}

function call<K extends SettingKind>(
  kind: K,
  value: string,
  help: string,
): { kind: K; default: string; scope: "call"; hot: true; help: string } {
  return { kind, default: value, scope: "call", hot: true, help };
}
