/** One row of the error table: what a code means and how each surface shows it. */
export interface ErrorCodeRow {
  /** Exit status of the command line (spec: 1 failed, 2 usage, 75 waiting, 124 timed out, 130 interrupted). */
  readonly exit: 1 | 2 | 75 | 124 | 130;
  /** Status of an HTTP answer. */
  readonly http: number;
  /** JSON-RPC code where an MCP request cannot be answered at all. */
  readonly rpc: number;
  /** Whether the same request may succeed later without being changed. */
  readonly retryable: boolean;
  /** One sentence for the reference page. */
  readonly meaning: string;
}

function row(http: number, meaning: string, rest: Partial<ErrorCodeRow> = {}): ErrorCodeRow {
  return { exit: 1, http, rpc: http < 500 ? -32602 : -32603, retryable: false, meaning, ...rest };
}

/** Every error code that mcpx raises, declared once; surfaces and the reference page are derived from it. */
export const ERROR_CODES = {
  "usage": row(400, "The command line could not be understood.", { exit: 2 }),
  "invalid-input": row(400, "A value given to an operation does not fit.", { exit: 2 }),
  "not-found": row(404, "There is no such route or operation.", { rpc: -32601 }),
  "method-not-allowed": row(405, "The route exists, but not for this HTTP method."),
  "unsupported-media-type": row(415, "The request body is not declared as JSON."),
  "too-large": row(413, "The request body or a value in it is larger than the limit."),
  "unauthorized": row(401, "The daemon wants a bearer token that was not sent."),
  "forbidden": row(403, "The request came from an origin, host or caller that may not make it."),
  "invalid-config": row(422, "A configuration file could not be used."),
  "untrusted-config": row(
    403,
    "A project's configuration file asks for something that needs `mcpx trust` first.",
  ),
  "unknown-setting": row(400, "There is no setting of that name.", { exit: 2 }),
  "setting-scope": row(409, "A setting was given where its scope does not allow it.", { exit: 2 }),
  "unknown-server": row(404, "No configured server has that name or namespace."),
  "unknown-tool": row(404, "The server is known, but has no tool of that name."),
  "ambiguous-tool": row(409, "A bare tool name fits more than one server."),
  "tool-changed": row(
    409,
    "The tool is not what was locked or first seen, and `diagnose.drift` is `pin`.",
  ),
  "hidden-tool": row(403, "The tool exists, but the configuration's filters hide it."),
  "unknown-prompt": row(404, "No server offers a prompt of that name."),
  "unknown-resource": row(404, "No server offers a resource of that URI."),
  "unknown-script": row(404, "There is no script or file of that name."),
  "unknown-recipe": row(
    404,
    "There is a script of that name, but it is no recipe: its header declares nothing.",
  ),
  "invalid-recipe": row(
    422,
    "A recipe's header or a reference in it is wrong, so that it cannot be run or saved.",
  ),
  "recipe-exists": row(409, "There is a script of that name already, and `replace` was not asked for."),
  "unknown-artifact": row(404, "There is no artifact of that id."),
  "unknown-profile": row(400, "There is no permission profile of that name.", { exit: 2 }),
  "missing-variable": row(422, "A configuration string names an environment variable that is not set."),
  "server-disabled": row(409, "The server is switched off in the configuration."),
  "server-config": row(422, "The server's own configuration entry is wrong; the others work."),
  "upstream-command-missing": row(502, "The server's command is not on the search path."),
  "upstream-cwd-missing": row(502, "The server's working directory does not exist."),
  "upstream-start-exited": row(502, "The server's process ended before it answered."),
  "upstream-start-timeout": row(504, "The server did not answer within `pool.startTimeout`.", {
    exit: 124,
    retryable: true,
  }),
  "upstream-unauthorized": row(502, "The server answered 401 or 403: it wants credentials."),
  "upstream-dns": row(502, "The server's host name could not be resolved.", { retryable: true }),
  "upstream-tls": row(502, "The server's TLS certificate or handshake was refused."),
  "upstream-refused": row(502, "Nothing listens at the server's address.", { retryable: true }),
  "upstream-http": row(502, "The server answered with an HTTP status that is no MCP answer.", {
    retryable: true,
  }),
  "upstream-protocol": row(502, "The server sent something that MCP does not allow."),
  "upstream-backoff": row(503, "The server failed to start a moment ago and is not started again yet.", {
    retryable: true,
  }),
  "upstream-exited": row(502, "The server's process ended while the call was open."),
  "upstream-error": row(502, "The server answered the request with a JSON-RPC error."),
  "tool-error": row(502, "The tool ran and reported an error (`isError`)."),
  "outcome-unknown": row(502, "The connection was lost after the call was sent: it may have taken effect."),
  "result-schema": row(502, "The tool's result does not fit its output schema (only with `--strict`)."),
  "call-timeout": row(504, "The tool did not answer within its timeout.", { exit: 124, retryable: true }),
  "queue-timeout": row(503, "No instance of the server came free in time.", { retryable: true }),
  "queue-full": row(503, "Too many callers wait for the server already.", { retryable: true }),
  "cancelled": row(499, "The caller went away or cancelled.", { exit: 130 }),
  "waiting-input": row(202, "A question has to be answered before this can go on.", { exit: 75 }),
  "unknown-question": row(404, "There is no question of that id."),
  "question-settled": row(409, "The question was answered, cancelled or expired already."),
  "not-confirmed": row(403, "A call that may destroy something was not confirmed, so it was not made."),
  "unanswered": row(409, "The server needed an answer that it did not get, so the call could not go on."),
  "too-many-questions": row(502, "The server went on asking instead of answering."),
  "unknown-task": row(404, "There is no task of that id."),
  "task-lost": row(500, "The daemon that ran the task ended before the task did."),
  "script-syntax": row(422, "The script does not parse."),
  "script-types": row(422, "The script does not fit the generated types."),
  "script-preflight": row(422, "The script would fail: a call in it does not fit a tool's schema."),
  "script-error": row(422, "The script threw an error."),
  "script-timeout": row(504, "The script ran longer than its limit.", { exit: 124 }),
  "script-cpu": row(422, "The script used more CPU time than its limit."),
  "script-memory": row(422, "The script used more memory than its limit."),
  "script-output": row(422, "The script printed more than its limit."),
  "script-result": row(422, "The script's result is too large, or is something JSON cannot carry."),
  "script-calls": row(422, "The script made more tool calls than its limit."),
  "script-unhandled": row(422, "The script left a rejection or an error in a callback unhandled."),
  "script-stalled": row(422, "The script waits for something that can never happen."),
  "script-exited": row(422, "The script's sandbox ended before the script did."),
  "script-protocol": row(422, "The script's sandbox sent something that is not its protocol."),
  "model-unavailable": row(502, "The configured model gave no answer.", { retryable: true }),
  "sandbox-unavailable": row(503, "A sandbox process could not be started.", { retryable: true }),
  "daemon-unreachable": row(503, "The daemon could not be reached.", { retryable: true }),
  "daemon-start": row(503, "A daemon could not be started.", { retryable: true }),
  "daemon-stopping": row(503, "The daemon is shutting down.", { retryable: true }),
  "state-unwritable": row(500, "A file of mcpx's own could not be written."),
  "unsupported": row(501, "This cannot be done here."),
  "internal": row(500, "A fault in mcpx itself."),
} as const satisfies Record<string, ErrorCodeRow>;

/** A stable, kebab-case error code. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Whether `value` is a code of the table. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && Object.hasOwn(ERROR_CODES, value);
}
