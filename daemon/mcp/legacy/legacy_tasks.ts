import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { Exposed } from "../face/exposed.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { requestUpstream } from "../face/upstream_request.ts";
import type { HostRequest } from "../host_request.ts";
import { isObject } from "../wire/host_message.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";
import type { LegacySession } from "./legacy_session.ts";

/** Whether a method is one of the tasks of 2025-11-25. */
export function isTaskMethod(method: string): boolean {
  return ["tasks/get", "tasks/result", "tasks/cancel", "tasks/list"].includes(method);
}

/** Remembers which server a task runs at, when a call was answered with one. */
export function noteTask(
  session: LegacySession,
  params: JsonObject,
  result: JsonObject,
  exposed: Exposed,
): void {
  if (!isObject(result.task) || typeof result.task.taskId !== "string") return;
  const tool = exposed.tools.get(String(params.name));
  if (tool?.kind === "upstream") session.tasks.set(result.task.taskId, tool.entry.definition.name);
}

/** Answers a request about a task: its server does, and the list is of those that this host began. */
export async function answerTask(
  face: McpFace,
  session: LegacySession,
  request: HostRequest,
): Promise<JsonObject> {
  if (request.method === "tasks/list") return await listTasks(face, session, request);
  const { taskId } = request.params;
  const server = typeof taskId === "string" ? session.tasks.get(taskId) : undefined;
  if (server === undefined) throw new RpcError(RPC.invalidParams, `Unknown task: ${String(taskId)}`);
  return await requestUpstream(face.engine, request, {
    entry: face.engine.catalog.server(server),
    own: {},
    idempotent: request.method !== "tasks/cancel",
  });
}

async function listTasks(face: McpFace, session: LegacySession, request: HostRequest): Promise<JsonObject> {
  if (request.params.cursor !== undefined) {
    throw new RpcError(RPC.invalidParams, "The cursor is not one that was given out.");
  }
  const tasks = await Promise.all([...session.tasks].map(async ([taskId, server]) => {
    const get = { ...request, method: "tasks/get", params: { taskId } };
    const entry = face.engine.catalog.server(server);
    // A task that its server has forgotten is no task any more.
    return await requestUpstream(face.engine, get, { entry, own: {}, idempotent: true }).catch(() =>
      undefined
    );
  }));
  return { tasks: tasks.filter((task) => task !== undefined) };
}
