import { isObject } from "../../../lib/json/mod.ts";
import type { CatalogServer } from "../../../lib/engine/catalog.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { mayBecomeTask, TASKS_EXTENSION } from "../face/capabilities.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { isUnknownTask, type NamedTask, TaskNames } from "../face/task_names.ts";
import { requestUpstream, shownResult } from "../face/upstream_request.ts";
import type { HostRequest } from "../host_request.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";

/** A task, with the name that the host knows it by. */
export interface LocatedTask extends NamedTask {
  /** What the host calls it. */
  name: string;
}

/** The tasks extension: servers run the tasks, and mcpx knows which server each of them is at. */
export class ModernTasks {
  readonly #face: McpFace;
  readonly #names = new TaskNames();

  constructor(face: McpFace) {
    this.#face = face;
  }

  /** Whether a method is one of the extension's. */
  has(method: string): boolean {
    return method === "tasks/get" || method === "tasks/update" || method === "tasks/cancel";
  }

  /** A call was answered: remembers the task where it was answered with one, and gives the answer as the host sees it. */
  async note({ params, caller }: HostRequest, result: JsonObject): Promise<JsonObject> {
    if (result.resultType !== "task" || typeof result.taskId !== "string") return result;
    const tool = this.#face.known(caller).tools.get(String(params.name));
    if (tool?.kind !== "upstream") return result;
    const { engine } = this.#face;
    const name = this.#add(tool.entry, result.taskId);
    // Whether the instance can be kept is no reason to withhold what the server has begun.
    await engine.upstreamTasks.began(tool.entry, caller, result).catch((error) =>
      engine.note("info", McpxError.from(error).message)
    );
    return { ...result, taskId: name };
  }

  /** Answers a request about a task: its server does. @throws {RpcError} -32021, -32602 */
  async answer(request: HostRequest): Promise<JsonObject> {
    requireExtension(request);
    const { taskId } = request.params;
    if (typeof taskId !== "string") throw new RpcError(RPC.invalidParams, "`taskId` is not a string.");
    const task = await this.locate(request, taskId);
    if (!task) throw new RpcError(RPC.invalidParams, `Unknown task: ${taskId}`);
    return await this.#ask(request, task);
  }

  /** The state of a task, as `tasks/get` gives it. */
  async state(request: HostRequest, task: LocatedTask): Promise<JsonObject> {
    return await this.#ask({ ...request, method: "tasks/get", params: { taskId: task.name } }, task);
  }

  /** What a server said of a task of its own accord, as the host sees it. */
  shown(task: LocatedTask, { _meta: _own, ...params }: JsonObject): JsonObject {
    const entry = this.#face.engine.catalog.server(task.entry);
    return { ...shownResult("notifications/tasks", params, entry), taskId: task.name };
  }

  /** The task of a name; one that was given out by an earlier daemon is asked for at every server that may have it. */
  async locate(request: HostRequest, name: string): Promise<LocatedTask | undefined> {
    const known = this.#names.get(name);
    if (known) return { ...known, name };
    const { tools } = await this.#face.exposed(request.caller);
    const entries = new Set(
      [...tools.values()].flatMap((tool) =>
        tool.kind === "upstream" && mayBecomeTask(tool) ? [tool.entry] : []
      ),
    );
    for (const entry of entries) {
      const { name: server } = entry.process;
      const ids = name.startsWith(`${server}/`) ? [name, name.slice(server.length + 1)] : [name];
      for (const id of ids) {
        const task = { name, server, entry: entry.definition.name, id };
        try {
          await this.state(request, task);
          this.#names.add(task);
          return task;
        } catch (error) {
          if (!isUnknownTask(error)) throw error;
        }
      }
    }
    return undefined;
  }

  #add({ definition, process }: CatalogServer, id: string): string {
    return this.#names.add({ server: process.name, entry: definition.name, id });
  }

  async #ask(request: HostRequest, { server, entry, id, name }: LocatedTask): Promise<JsonObject> {
    const { engine } = this.#face;
    const result = await requestUpstream(engine, request, {
      entry: engine.catalog.server(entry),
      own: { taskId: id },
      idempotent: request.method === "tasks/get",
    });
    engine.upstreamTasks.seen(
      result,
      (instance) => instance.server.name === server && engine.serves(instance, request.caller),
    );
    return result.taskId === undefined ? result : { ...result, taskId: name };
  }
}

/** Whether a task has come to its end. */
export function isTaskOver({ status }: JsonObject): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Refuses a request that has to do with tasks and does not declare that its host knows them. @throws {RpcError} -32021 */
export function requireExtension({ capabilities: { extensions } }: HostRequest): void {
  if (isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined) return;
  throw new RpcError(RPC.missingCapability, "The request does not declare the tasks extension.", {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
}
