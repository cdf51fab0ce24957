import { McpxError } from "../../errors/mod.ts";
import { isObject } from "../../json/mod.ts";
import { delay } from "../../mcp/delay.ts";
import type { RequestOptions, UpstreamConnection } from "../../mcp/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";

/** A call that its server may take as a task only, for a caller that wants its result and knows nothing of tasks. */
export interface TaskCall {
  connection: UpstreamConnection;
  params: JsonObject;
  /** How the call is made. */
  options: RequestOptions;
  /** The limits of waiting for a task. */
  waiting: Pick<RequestOptions, "timeoutMs" | "maxTotalMs" | "timeoutName" | "maxTotalName">;
  /** Whether the tool says that it has to be called as a task of 2025-11-25. */
  asTask: boolean;
  /** Told the task's id once the server has begun it. */
  onTask(taskId: string): void;
  /** Answers what the task wants to know, by the server's keys. */
  answer(inputs: JsonObject): Promise<JsonObject>;
}

const EXTENSION = "io.modelcontextprotocol/tasks";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const MISSING_CAPABILITY = -32021;
const CANCEL_MS = 5000;
const USUAL_POLL_MS = 1000;
const SHORTEST_POLL_MS = 50;
const LONGEST_POLL_MS = 30_000;

/**
 * Calls a tool, and waits for its task's end where the server makes one of it.
 *
 * A task of 2025-11-25 is made where the tool requires it; one of the extension where the server says that it cannot do without.
 *
 * @throws {McpxError} what the call failed with; when the caller goes away or its time is over the task is cancelled
 */
export async function callThroughTask(call: TaskCall): Promise<JsonObject> {
  const { connection, params, options, asTask } = call;
  if (connection.era === "legacy") {
    if (!asTask) return await connection.request("tools/call", params, options);
    const begun = await connection.request("tools/call", { ...params, task: {} }, options);
    return isObject(begun.task) && typeof begun.task.taskId === "string"
      ? await cancelling(call, begun.task.taskId, (taskId) => resultOf(call, taskId))
      : begun;
  }
  try {
    return await connection.request("tools/call", params, options);
  } catch (error) {
    if (!wantsTasks(error)) throw error;
  }
  const begun = await connection.request("tools/call", params, { ...options, meta: declaring(options.meta) });
  return begun.resultType === "task" && typeof begun.taskId === "string"
    ? await cancelling(call, begun.taskId, (taskId) => pollFor(call, taskId, begun))
    : begun;
}

async function cancelling(
  call: TaskCall,
  taskId: string,
  wait: (taskId: string) => Promise<JsonObject>,
): Promise<JsonObject> {
  const { connection, options } = call;
  call.onTask(taskId);
  try {
    return await wait(taskId);
  } catch (error) {
    if (options.signal?.aborted || (error instanceof McpxError && error.code === "call-timeout")) {
      // Whether it could be cancelled nobody is left to hear.
      connection.request("tasks/cancel", { taskId }, { timeoutMs: CANCEL_MS, meta: declaring() }).catch(() =>
        undefined
      );
    }
    throw error;
  }
}

async function resultOf({ connection, options, waiting }: TaskCall, taskId: string): Promise<JsonObject> {
  const { timeoutMs: _limit, ...rest } = options;
  return await connection.request("tasks/result", { taskId }, { ...rest, ...waiting });
}

async function pollFor(call: TaskCall, taskId: string, begun: JsonObject): Promise<JsonObject> {
  const { connection, options: { signal }, waiting } = call;
  const meta = declaring();
  const answered = new Set<string>();
  const since = performance.now();
  const ask = (method: string, params: JsonObject): Promise<JsonObject> =>
    connection.request(method, { taskId, ...params }, {
      ...(signal ? { signal } : {}),
      timeoutMs: LONGEST_POLL_MS,
      meta,
    });
  for (let state = begun;; state = await ask("tasks/get", {})) {
    switch (state.status) {
      case "completed":
        return isObject(state.result) ? state.result : {};
      case "failed":
        throw failure(state);
      case "cancelled":
        throw new McpxError(
          "upstream-error",
          `The server cancelled the task: ${String(state.statusMessage ?? taskId)}`,
        );
    }
    const inputs = Object.entries(isObject(state.inputRequests) ? state.inputRequests : {})
      .filter(([key]) => !answered.has(key));
    if (state.status === "input_required" && inputs.length > 0) {
      for (const [key] of inputs) answered.add(key);
      await ask("tasks/update", { inputResponses: await call.answer(Object.fromEntries(inputs)) });
    }
    const { maxTotalMs = Infinity, maxTotalName = "pool.maxTotal" } = waiting;
    if (performance.now() - since > maxTotalMs) {
      throw new McpxError(
        "call-timeout",
        `Cannot wait for the task any longer: ${maxTotalName} is ${maxTotalMs} ms.`,
      );
    }
    const wished = typeof state.pollIntervalMs === "number" ? state.pollIntervalMs : USUAL_POLL_MS;
    await delay(
      Math.min(Math.max(wished, SHORTEST_POLL_MS), LONGEST_POLL_MS),
      signal ?? new AbortController().signal,
    );
    if (signal?.aborted) throw McpxError.from(signal.reason);
  }
}

function failure({ error, statusMessage }: JsonObject): McpxError {
  const { code, message = statusMessage, data } = isObject(error) ? error : {};
  return new McpxError("upstream-error", String(message ?? "The task failed."), {
    data: {
      code: typeof code === "number" ? code : -32603,
      message,
      ...(data === undefined ? {} : { data }),
    },
  });
}

/** Whether a server says that it makes a task of the call or nothing. */
function wantsTasks(error: unknown): boolean {
  if (!(error instanceof McpxError) || error.code !== "upstream-error") return false;
  const { code, data } = error.data ?? {};
  const required = isObject(data) ? data.requiredCapabilities : undefined;
  return code === MISSING_CAPABILITY && isObject(required) && isObject(required.extensions) &&
    required.extensions[EXTENSION] !== undefined;
}

/** What the caller can do, and tasks. */
function declaring(meta: JsonObject = {}): JsonObject {
  const known = meta[CAPABILITIES];
  const capabilities = isObject(known) ? known : {};
  const extensions = isObject(capabilities.extensions) ? capabilities.extensions : {};
  return { ...meta, [CAPABILITIES]: { ...capabilities, extensions: { ...extensions, [EXTENSION]: {} } } };
}
