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

/** Every error code that mcpx raises, declared once; surfaces and the reference page are derived from it. */
// Plain data, so that publishing can read the type of its keys without running a compiler: one row, one line.
// deno-fmt-ignore
export const ERROR_CODES = {
  "usage": { http: 400, exit: 2, rpc: -32602, retryable: false, meaning: "The command line could not be understood." },
  "invalid-input": { http: 400, exit: 2, rpc: -32602, retryable: false, meaning: "A value given to an operation does not fit." },
  "not-found": { http: 404, exit: 1, rpc: -32601, retryable: false, meaning: "There is no such route or operation." },
  "method-not-allowed": { http: 405, exit: 1, rpc: -32602, retryable: false, meaning: "The route exists, but not for this HTTP method." },
  "unsupported-media-type": { http: 415, exit: 1, rpc: -32602, retryable: false, meaning: "The request body is not declared as JSON." },
  "too-large": { http: 413, exit: 1, rpc: -32602, retryable: false, meaning: "The request body or a value in it is larger than the limit." },
  "body-timeout": { http: 408, exit: 1, rpc: -32602, retryable: true, meaning: "The request body did not arrive within `http.bodyTimeout`." },
  "unauthorized": { http: 401, exit: 1, rpc: -32602, retryable: false, meaning: "The daemon wants a bearer token that was not sent." },
  "forbidden": { http: 403, exit: 1, rpc: -32602, retryable: false, meaning: "The request came from an origin, host or caller that may not make it." },
  "invalid-config": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "A configuration file could not be used." },
  "untrusted-config": { http: 403, exit: 1, rpc: -32602, retryable: false, meaning: "A project's configuration file asks for something that needs `mcpx trust` first." },
  "unknown-setting": { http: 400, exit: 2, rpc: -32602, retryable: false, meaning: "There is no setting of that name." },
  "setting-scope": { http: 409, exit: 2, rpc: -32602, retryable: false, meaning: "A setting was given where its scope does not allow it." },
  "unknown-server": { http: 404, exit: 1, rpc: -32602, retryable: false, meaning: "No configured server has that name or namespace." },
  "unknown-tool": { http: 404, exit: 1, rpc: -32602, retryable: false, meaning: "The server is known, but has no tool of that name." },
  "ambiguous-tool": { http: 409, exit: 1, rpc: -32602, retryable: false, meaning: "A bare tool name fits more than one server." },
  "tool-changed": { http: 409, exit: 1, rpc: -32602, retryable: false, meaning: "The tool is not what was locked or first seen, and `diagnose.drift` is `pin`." },
  "hidden-tool": { http: 403, exit: 1, rpc: -32602, retryable: false, meaning: "The tool exists, but the configuration's filters hide it." },
  "unknown-prompt": { http: 404, exit: 1, rpc: -32602, retryable: false, meaning: "No server offers a prompt of that name." },
  "unknown-resource": { http: 404, exit: 1, rpc: -32602, retryable: false, meaning: "No server offers a resource of that URI." },
  "unknown-script": { http: 404, exit: 1, rpc: -32602, retryable: false, meaning: "There is no script or file of that name." },
  "unknown-recipe": { http: 404, exit: 1, rpc: -32602, retryable: false, meaning: "There is a script of that name, but it is no recipe: its header declares nothing." },
  "invalid-recipe": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "A recipe's header or a reference in it is wrong, so that it cannot be run or saved." },
  "recipe-exists": { http: 409, exit: 1, rpc: -32602, retryable: false, meaning: "There is a script of that name already, and `replace` was not asked for." },
  "unknown-artifact": { http: 404, exit: 1, rpc: -32602, retryable: false, meaning: "There is no artifact of that id." },
  "unknown-profile": { http: 400, exit: 2, rpc: -32602, retryable: false, meaning: "There is no permission profile of that name." },
  "missing-variable": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "A configuration string names an environment variable that is not set." },
  "server-disabled": { http: 409, exit: 1, rpc: -32602, retryable: false, meaning: "The server is switched off in the configuration." },
  "server-config": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The server's own configuration entry is wrong; the others work." },
  "upstream-command-missing": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The server's command is not on the search path." },
  "upstream-cwd-missing": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The server's working directory does not exist." },
  "upstream-start-exited": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The server's process ended before it answered." },
  "upstream-start-timeout": { http: 504, exit: 124, rpc: -32603, retryable: true, meaning: "The server did not answer within `pool.startTimeout`." },
  "upstream-unauthorized": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The server answered 401 or 403: it wants credentials." },
  "upstream-dns": { http: 502, exit: 1, rpc: -32603, retryable: true, meaning: "The server's host name could not be resolved." },
  "upstream-tls": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The server's TLS certificate or handshake was refused." },
  "upstream-refused": { http: 502, exit: 1, rpc: -32603, retryable: true, meaning: "Nothing listens at the server's address." },
  "upstream-http": { http: 502, exit: 1, rpc: -32603, retryable: true, meaning: "The server answered with an HTTP status that is no MCP answer." },
  "upstream-protocol": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The server sent something that MCP does not allow." },
  "upstream-backoff": { http: 503, exit: 1, rpc: -32603, retryable: true, meaning: "The server failed to start a moment ago and is not started again yet." },
  "upstream-exited": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The server's process ended while the call was open." },
  "upstream-error": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The server answered the request with a JSON-RPC error." },
  "tool-error": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The tool ran and reported an error (`isError`)." },
  "outcome-unknown": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The connection was lost after the call was sent: it may have taken effect." },
  "result-schema": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The tool's result does not fit its output schema (only with `--strict`)." },
  "call-timeout": { http: 504, exit: 124, rpc: -32603, retryable: true, meaning: "The tool did not answer within its timeout." },
  "queue-timeout": { http: 503, exit: 1, rpc: -32603, retryable: true, meaning: "No instance of the server came free in time." },
  "queue-full": { http: 503, exit: 1, rpc: -32603, retryable: true, meaning: "Too many callers wait for the server already." },
  "cancelled": { http: 499, exit: 130, rpc: -32602, retryable: false, meaning: "The caller went away or cancelled." },
  "waiting-input": { http: 202, exit: 75, rpc: -32602, retryable: false, meaning: "A question has to be answered before this can go on." },
  "unknown-question": { http: 404, exit: 1, rpc: -32602, retryable: false, meaning: "There is no question of that id." },
  "question-settled": { http: 409, exit: 1, rpc: -32602, retryable: false, meaning: "The question was answered, cancelled or expired already." },
  "not-confirmed": { http: 403, exit: 1, rpc: -32602, retryable: false, meaning: "A call that may destroy something was not confirmed, so it was not made." },
  "unanswered": { http: 409, exit: 1, rpc: -32602, retryable: false, meaning: "The server needed an answer that it did not get, so the call could not go on." },
  "too-many-questions": { http: 502, exit: 1, rpc: -32603, retryable: false, meaning: "The server went on asking instead of answering." },
  "unknown-task": { http: 404, exit: 1, rpc: -32602, retryable: false, meaning: "There is no task of that id." },
  "task-lost": { http: 500, exit: 1, rpc: -32603, retryable: false, meaning: "The daemon that ran the task ended before the task did." },
  "script-syntax": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script does not parse." },
  "script-types": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script does not fit the generated types." },
  "script-preflight": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script would fail: a call in it does not fit a tool's schema." },
  "script-error": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script threw an error." },
  "script-timeout": { http: 504, exit: 124, rpc: -32603, retryable: false, meaning: "The script ran longer than its limit." },
  "script-cpu": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script used more CPU time than its limit." },
  "script-memory": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script used more memory than its limit." },
  "script-output": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script printed more than its limit." },
  "script-result": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script's result is too large, or is something JSON cannot carry." },
  "script-calls": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script made more tool calls than its limit." },
  "script-storage": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script stored more than its limit, as artifacts or in its scratch folder." },
  "script-unhandled": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script left a rejection or an error in a callback unhandled." },
  "script-stalled": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script waits for something that can never happen." },
  "script-exited": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script's sandbox ended before the script did." },
  "script-protocol": { http: 422, exit: 1, rpc: -32602, retryable: false, meaning: "The script's sandbox sent something that is not its protocol." },
  "model-unavailable": { http: 502, exit: 1, rpc: -32603, retryable: true, meaning: "The configured model gave no answer." },
  "sandbox-unavailable": { http: 503, exit: 1, rpc: -32603, retryable: true, meaning: "A sandbox process could not be started." },
  "daemon-unreachable": { http: 503, exit: 1, rpc: -32603, retryable: true, meaning: "The daemon could not be reached." },
  "daemon-start": { http: 503, exit: 1, rpc: -32603, retryable: true, meaning: "A daemon could not be started." },
  "daemon-stopping": { http: 503, exit: 1, rpc: -32603, retryable: true, meaning: "The daemon is shutting down." },
  "state-unwritable": { http: 500, exit: 1, rpc: -32603, retryable: false, meaning: "A file of mcpx's own could not be written." },
  "unsupported": { http: 501, exit: 1, rpc: -32603, retryable: false, meaning: "This cannot be done here." },
  "internal": { http: 500, exit: 1, rpc: -32603, retryable: false, meaning: "A fault in mcpx itself." },
} as const satisfies Readonly<Record<string, ErrorCodeRow>>;

/** A stable, kebab-case error code. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Whether `value` is a code of the table. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && Object.hasOwn(ERROR_CODES, value);
}
